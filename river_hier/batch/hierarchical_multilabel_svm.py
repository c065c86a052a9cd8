"""The hierarchical multilabel SVM, trained by dual ascent."""

import math
from typing import Self

import numpy as np

from ..base.checks import check_integer, check_positive
from ..kernel.functions import Function, Kernel
from ..linear_model.rankings import Attributes, LabelAttributes
from ..linear_model.rankings import unit_norm as unit_norm_of
from ..metrics.costs import Costs, by_node, check, check_factors
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .estimator import progress
from .expansions import Examples, Expansion, Floats, Ints, Mask
from .label_ranker import LabelRanker


class HierarchicalMultilabelSVM(LabelRanker):
    """Hierarchical multilabel SVM: the large-margin counterpart of `BatchHMinOver`, with slack.

    Labels are scored by $F(x, y) = \\sum_{v \\in anc(y)} t_v \\langle w_v, x \\rangle$. The weights
    minimise

    $$\\frac12 \\|w\\|^2 + C \\sum_i \\xi_i \\quad \\text{such that} \\quad
    F(x_i, y) - F(x_i, \\bar y) \\ge 1 - \\xi_i / \\Delta(y, \\bar y), \\quad \\xi_i \\ge 0$$

    for each relevant candidate y and each irrelevant one $\\bar y$ of each example i, so that a
    misordered pair costs at least $\\Delta$, the symmetric difference of its labels.

    The dual is maximised by coordinate ascent, one example at a time: the most violated pair joins
    the working set of the example, and the subproblem of that set is solved. The sum of the
    $\\xi_i$ bounds the sum of the maximal losses of the examples (Proposition 2 of the paper).

    A pass takes O(features of x * nodes + pairs) per example, with a kernel O(examples * nodes
    changed + pairs). Memory is O(features * nodes), with a kernel O(examples^2), and in both cases
    O(candidates^2) more. Scoring an x takes O(features of x * nodes), with a kernel
    O(support vectors * (features + nodes)). Its flat counterpart is made as for `BatchHMinOver`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    C
        The cost of a unit of slack.
    t
        The attribute $t_v$ of every node, at least 0, or `{label: t_v}`, with 1 for the others.
    candidates
        The labels that are ranked; `None` for the leaves.
    volumes
        `{label: volume}` of the nodes, which $\\Delta$ sums; 1 for the labels it does not hold.
    missed
        The factor of nodes above the relevant label only, at least 0; in the paper both are 0.5.
    spurious
        The factor of nodes above the irrelevant label only, at least 0.
    kernel
        A kernel, such as `kernel.RBF(sigma)`, or a function of two feature dicts.
    tol
        Stop when the duality gap is at most this fraction of the primal objective.
    max_passes
        The largest number of passes.
    unit_norm
        Whether to give the attributes of each candidate norm 1: they are divided by the largest
        norm, and then its own attribute is enlarged. With all leaves at the same depth, this is the
        paper's $t_v = 1 / \\sqrt{depth}$. No candidate may be above another.

    Notes
    -----
    Section 3 and Algorithm 1 of the paper [^1], which takes the example that
    is farthest from its optimum; here, a pass visits all that are not at theirs, the farthest
    first. `fit` sets the objectives `primal` and `dual`, their difference `gap`, and `n_passes`.

    Examples
    --------

    >>> from river_hier import batch, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.08, seed=42)
    >>> examples = [(x, [y]) for x, y in stream.take(300)]
    >>> labels = stream.taxonomy.nodes[1:]
    >>> model = batch.HierarchicalMultilabelSVM(stream.taxonomy, candidates=labels)
    >>> model = model.fit(examples[:100])
    >>> metric = metrics.AveragePrecision(stream.taxonomy, candidates=labels)
    >>> for x, y in examples[100:]:
    ...     metric.update(y, model.score_one(x))
    >>> metric
    AveragePrecision: 98.72%

    References
    ----------
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.

    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        C: float = 1.0,
        t: Attributes = 1.0,
        candidates: Candidates | None = None,
        volumes: Costs | None = None,
        missed: float = 1.0,
        spurious: float = 1.0,
        kernel: Kernel | Function | None = None,
        tol: float = 0.01,
        max_passes: int = 1000,
        unit_norm: bool = False,
    ) -> None:
        super().__init__(taxonomy, t, candidates, kernel)
        check_positive("C", C)
        check(taxonomy, volumes, "volumes")
        check_factors(missed, spurious)
        check_positive("tol", tol)
        check_integer("max_passes", max_passes, 1)
        if unit_norm:
            self._ranking = unit_norm_of(taxonomy, self._ranking)
        self.C = C
        self.volumes = volumes
        self.missed = missed
        self.spurious = spurious
        self.tol = tol
        self.max_passes = max_passes
        self.unit_norm = unit_norm
        self.primal: float = math.inf
        self.dual: float = -math.inf
        self.n_passes: int = 0

    @property
    def gap(self) -> float:
        """The duality gap: the primal objective is above its minimum by at most that."""
        return self.primal - self.dual

    def fit(self, examples: Examples) -> Self:
        expansion, relevant = self._read(examples)
        sets = WorkingSets(expansion, self._ranking, relevant, self._delta(), float(self.C))
        for n_passes in progress(range(self.max_passes + 1), "passes"):
            primal, dual, psi = sets.objectives()
            if primal - dual <= self.tol * primal or n_passes == self.max_passes:
                break
            # The gap is at most C times the sum of psi, so examples with a small psi are skipped.
            enough = self.tol * primal / (2.0 * self.C * len(psi))
            for i in np.argsort(-psi):
                if psi[i] <= enough:
                    break
                sets.ascend(int(i), enough / 2.0)
        self._trained = self._train_threshold(expansion, relevant)
        self.primal, self.dual, self.n_passes = primal, dual, n_passes
        return self

    def _delta(self) -> Floats:
        """Delta(y, ybar) of each pair of candidates, where y is the relevant one."""
        volume = by_node(self.taxonomy, self.volumes, "volumes")
        volumes = np.array([volume(v) for v in range(len(self.taxonomy))])
        above = self._ranking._replace(t=np.ones(len(volumes))).attributes  # 1 if v in anc(y)
        shared = (above.T * volumes) @ above
        own = shared.diagonal()
        return self.missed * (own[:, None] - shared) + self.spurious * (own - shared)


class WorkingSets:
    """Dual ascent, one instance at a time (Algorithm 1).

    A pair p = (y, ybar) of a relevant and an irrelevant candidate of instance i has a dual variable
    alpha_p >= 0. With beta_p = alpha_p / Delta_p the constraint is sum_p beta_p <= C, and the
    derivative of the dual objective with respect to beta_p is

        h_p = Delta_p (1 - <w, dPhi_p>).

    The slack C - sum beta is one more variable, with h = 0. At the optimum no positive variable has
    a smaller h than any other one: psi_i = max h - min {h_p : beta_p > 0} is 0 for all i.
    """

    def __init__(
        self,
        expansion: Expansion,
        ranking: LabelAttributes,
        relevant: Mask,
        delta: Floats,
        c: float,
    ) -> None:
        self.expansion = expansion
        self.ranking = ranking
        self.delta = delta
        self.c = c
        self.attributes: Floats = ranking.attributes  # (nodes, candidates)
        self.relevant: list[Ints] = [np.flatnonzero(row) for row in relevant]
        self.others: list[Ints] = [np.flatnonzero(~row) for row in relevant]
        self.pairs: list[Ints] = [np.empty((0, 2), np.intp) for _ in relevant]
        self.betas: list[Floats] = [np.empty(0) for _ in relevant]

    def objectives(self) -> tuple[float, float, Floats]:
        """Primal and dual, and how far each instance is from its optimum: O(all scores + pairs)."""
        scores = self.ranking.scores(self.expansion.all_scores().T)[self.ranking.candidates].T
        norm2 = self.expansion.norm2()
        slack = dual = 0.0
        psi = np.zeros(len(scores))
        for i, f in enumerate(scores):
            _, most = self._worst(i, f)
            slack += most  # xi_i
            y, ybar = self.pairs[i].T
            delta, betas = self.delta[y, ybar], self.betas[i]
            dual += float(betas @ delta)  # sum alpha
            # The smallest h of the positive variables, including the slack.
            least = float((delta * (1.0 - f[y] + f[ybar])).min(initial=np.inf))
            psi[i] = most - (min(least, 0.0) if betas.sum() < self.c else least)
        return norm2 / 2 + self.c * slack, dual - norm2 / 2, psi

    def ascend(self, i: int, tol: float) -> None:
        """Add the most violated pair of an instance, and solve its working set."""
        f = self.ranking.scores(self.expansion.scores(i))[self.ranking.candidates]
        pair, most = self._worst(i, f)
        pairs, before = self.pairs[i], self.betas[i]
        if most > 0.0 and not (pairs == pair).all(axis=1).any():
            pairs, before = np.vstack((pairs, pair)), np.append(before, 0.0)
        y, ybar = pairs.T
        delta = self.delta[y, ybar]
        h = delta * (1.0 - f[y] + f[ybar])
        d_phi = delta * (self.attributes[:, y] - self.attributes[:, ybar])  # (nodes, pairs)
        q = d_phi.T @ d_phi * self.expansion.norms2[i]
        betas = ascend_simplex(q, h, before, self.c, tol)
        steps = d_phi @ (betas - before)
        nodes = np.flatnonzero(steps)
        self.expansion.add(i, nodes, steps[nodes])
        kept = betas > 0.0
        self.pairs[i], self.betas[i] = pairs[kept], betas[kept]

    def _worst(self, i: int, f: Floats) -> tuple[Ints, float]:
        """The pair with the largest h, and that h, or 0, which is that of the slack."""
        y, ybar = self.relevant[i], self.others[i]
        if not len(y) or not len(ybar):
            return np.empty(2, np.intp), 0.0
        h = self.delta[y[:, None], ybar] * (1.0 - f[y, None] + f[ybar])
        a, b = np.unravel_index(h.argmax(), h.shape)
        return np.array([y[a], ybar[b]]), max(float(h[a, b]), 0.0)


def ascend_simplex(q: Floats, h: Floats, betas: Floats, c: float, tol: float) -> Floats:
    """argmax h.d - d.q.d / 2 over d = b - betas, with b >= 0 and sum b <= c.

    As in SMO, the variable with the largest derivative takes from the positive one with the
    smallest, until the two differ by at most `tol`, or by rounding errors.
    """
    n, tol = len(h), max(tol, 1e-12 * float(np.abs(h).max(initial=0.0)))
    q = np.pad(q, (0, 1))  # the slack
    h = np.append(h, 0.0)
    b = np.append(betas, max(c - betas.sum(), 0.0))
    while True:
        up = int(h.argmax())
        down = int(np.where(b > 0.0, h, np.inf).argmin())
        if h[up] - h[down] <= tol:
            return b[:n]
        curvature = q[up, up] + q[down, down] - 2.0 * q[up, down]
        step = b[down]
        if curvature * step > h[up] - h[down]:
            step = (h[up] - h[down]) / curvature
        b[up] += step
        b[down] -= step
        h = h - step * (q[up] - q[down])
