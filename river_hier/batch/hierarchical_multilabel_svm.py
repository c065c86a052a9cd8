from __future__ import annotations

import math
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..base import Attributes, check_integer, check_positive
from ..kernel.functions import Function, Kernel
from ..losses.costs import Costs, by_node, check, check_factor
from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates
from .examples import Examples
from .label_ranker import LabelRanker
from .progress import Progress
from .working_sets import Losses, WorkingSets

__all__ = ["HierarchicalMultilabelSVM"]

Floats = NDArray[np.float64]


class HierarchicalMultilabelSVM(LabelRanker):
    """Hierarchical multilabel SVM: the large margin twin of `BatchHMinOver`, with slack.

    Labels are scored by $F(x, y) = \\sum_{v \\in anc(y)} t_v \\langle w_v, x \\rangle$. The weights
    minimise

    $$\\frac12 \\|w\\|^2 + C \\sum_i \\xi_i \\quad \\text{such that} \\quad
    F(x_i, y) - F(x_i, \\bar y) \\ge 1 - \\xi_i / \\Delta(y, \\bar y), \\quad \\xi_i \\ge 0$$

    for each relevant candidate y and each irrelevant one $\\bar y$ of each example i, so that a
    misordered pair costs at least $\\Delta$, the symmetric difference of its labels.

    The dual is ascended one example at a time: the most violated pair joins the example's working
    set, and the subproblem of that set is solved. Each pass over the examples starts with the
    duality gap, and stops if that is small enough. The sum of the $\\xi_i$ bounds the sum of the
    maximal losses of the training examples (Proposition 2 of the paper).

    A pass takes O(features of x * nodes + pairs) an example, with a kernel O(examples * nodes
    moved + pairs); the memory taken is O(features * nodes), with a kernel O(examples^2), and in
    both cases O(candidates^2). An x is scored in O(features of x * nodes); with a kernel by its
    values at the support vectors, O(support vectors * (features + nodes)).

    Its flat counterpart is `HierarchicalMultilabelSVM(taxonomy.flatten(),
    candidates=taxonomy.leaves)`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    C
        What a unit of slack costs.
    t
        The attribute $t_v$ of every node, or `{label: t_v}`, 1 for the labels it does not hold.
    candidates
        The labels that are ranked; `None` for the leaves.
    volumes
        `{label: volume}` of the nodes that $\\Delta$ adds up; 1 for the labels it does not hold.
    missed
        The factor of nodes above the relevant label only, at least 0.
    spurious
        The factor of nodes above the irrelevant label only, at least 0. The paper's experiments
        charge half of the symmetric difference, `missed=0.5, spurious=0.5`.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that answers with a number; symmetric, and positive semi-definite.
        With a function of one's own features may be of any kind, and training calls it for each
        pair of examples. `None` is the linear kernel, and keeps weights of features instead of
        coefficients of examples: what suits it is more examples than features.
    tol
        Stop when the duality gap is at most this share of the primal objective.
    max_passes
        Stop after so many passes, whatever the gap is by then.

    Raises
    ------
    TypeError
        If `kernel` is no function, or `max_passes` not an integer; from `fit` and answers, if a
        function of one's own does not give a number.
    ValueError
        If `C` or `tol` is not positive, an attribute, volume or factor out of its range,
        `candidates` empty or with the root in it, or `max_passes` below 1; from `fit`, if there is
        no example or something is wrong with one; from answers, if a feature or a value of the
        kernel is not a finite number.
    RuntimeError
        From all but `fit`, if the model has not been fitted.

    Notes
    -----
    Section 3 and Algorithm 1 of the paper [^1]. There each step takes the example that is farthest
    from its optimum, which asks for the scores of all examples at every step; here a pass visits
    all examples that are not at theirs, the farthest first. After `fit`, `primal`, `dual` and their
    difference `gap` tell the objectives, and `n_passes` the passes made. The threshold of
    `predict_one` is learned from the training examples, as in `linear_model.HMinOver`.

    Examples
    --------

    >>> from river_hier import batch, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.08, seed=42)
    >>> examples = [(x, [y]) for x, y in stream.take(300)]
    >>> labels = stream.taxonomy.nodes[1:]
    >>> model = batch.HierarchicalMultilabelSVM(stream.taxonomy, candidates=labels)
    >>> model = model.fit(examples[:100])
    >>> model.gap <= 0.01 * model.primal
    True

    >>> metric = metrics.AveragePrecision(stream.taxonomy, candidates=labels)
    >>> for x, y in examples[100:]:
    ...     metric.update(y, model.score_one(x))
    >>> metric
    AveragePrecision: 98.72%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. In Proceedings of the 20th International Joint Conference on Artificial
        Intelligence, pp. 714-719.

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
    ) -> None:
        super().__init__(taxonomy, t, candidates, kernel)
        check_positive("C", C)
        check(taxonomy, volumes, "volumes")
        check_factor("missed", missed)
        check_factor("spurious", spurious)
        check_positive("tol", tol)
        check_integer("max_passes", max_passes, 1)
        self.C = C
        self.volumes = volumes
        self.missed = missed
        self.spurious = spurious
        self.tol = tol
        self.max_passes = max_passes
        self.primal, self.dual, self.n_passes = math.inf, -math.inf, 0

    @property
    def gap(self) -> float:
        """The duality gap: no weights have an objective lower by more than that."""
        return self.primal - self.dual

    def fit(self, examples: Examples) -> Self:
        expansion, relevant = self._read(examples)
        sets = WorkingSets(expansion, self._ranking, relevant, self._delta(), float(self.C))
        n_passes, losses = self._ascend(sets)
        self._trained = self._freeze(expansion, relevant)
        self.primal, self.dual, self.n_passes = losses.primal, losses.dual, n_passes
        return self

    def _ascend(self, sets: WorkingSets) -> tuple[int, Losses]:
        """Passes until the gap is small enough: how many, and what came of it."""
        progress = Progress(range(self.max_passes + 1), "passes")
        for n_passes in progress:
            losses = sets.losses()
            progress.note(f"gap {losses.gap:.3g} of {losses.primal:.3g}")
            if losses.gap <= self.tol * losses.primal or n_passes == self.max_passes:
                break
            # The gap is at most C times the sum of psi, so what is below its share may wait.
            enough = self.tol * losses.primal / (2.0 * self.C * len(losses.psi))
            for i in np.argsort(-losses.psi):
                if losses.psi[i] <= enough:
                    break
                sets.ascend(int(i), enough / 2.0)
        return n_passes, losses

    def _delta(self) -> Floats:
        """Delta(y, ybar) of each pair of candidates, y relevant."""
        volume = by_node(self.taxonomy, self.volumes, "volumes")
        volumes = np.array([volume(v) for v in range(len(self.taxonomy))])
        above = self._ranking._replace(t=np.ones(len(volumes))).attributes  # 1 if v in anc(y)
        shared = (above.T * volumes) @ above
        own = shared.diagonal()
        delta: Floats = self.missed * (own[:, None] - shared) + self.spurious * (own - shared)
        return delta
