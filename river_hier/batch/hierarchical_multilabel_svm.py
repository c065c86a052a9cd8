from __future__ import annotations

import math
from typing import Self

import numpy as np

from ..base.checks import check_integer, check_positive
from ..base.rankings import Attributes
from ..base.rankings import unit_norm as unit_norm_of
from ..kernel.functions import Function, Kernel
from ..metrics.costs import Costs, by_node, check, check_factor
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .estimator import Progress
from .examples import Examples, Floats
from .label_ranker import LabelRanker
from .working_sets import Objectives, WorkingSets


class HierarchicalMultilabelSVM(LabelRanker):
    """Hierarchical multilabel SVM: the large-margin counterpart of `BatchHMinOver`, with slack.

    Labels are scored by $F(x, y) = \\sum_{v \\in anc(y)} t_v \\langle w_v, x \\rangle$. The weights
    minimise

    $$\\frac12 \\|w\\|^2 + C \\sum_i \\xi_i \\quad \\text{such that} \\quad
    F(x_i, y) - F(x_i, \\bar y) \\ge 1 - \\xi_i / \\Delta(y, \\bar y), \\quad \\xi_i \\ge 0$$

    for each relevant candidate y and each irrelevant one $\\bar y$ of each example i, so that a
    misordered pair costs at least $\\Delta$, the symmetric difference of its labels.

    The dual is maximised by coordinate ascent, one example at a time: the most violated pair joins
    the working set of the example, and the subproblem of that set is solved. Training stops when
    the duality gap, which is computed before each pass over the examples, is small enough. The sum
    of the $\\xi_i$ bounds the sum of the maximal losses of the training examples (Proposition 2 of
    the paper).

    A pass takes O(features of x * nodes + pairs) per example, with a kernel O(examples * nodes
    changed + pairs). Memory is O(features * nodes), with a kernel O(examples^2), and in both cases
    O(candidates^2) more. Scoring an x takes O(features of x * nodes), with a kernel
    O(support vectors * (features + nodes)).

    Its flat counterpart is `HierarchicalMultilabelSVM(taxonomy.flatten(),
    candidates=taxonomy.leaves)`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    C
        The cost of a unit of slack.
    t
        The attribute $t_v$ of every node, or `{label: t_v}`, 1 for the labels it does not hold.
    candidates
        The labels that are ranked; `None` for the leaves.
    volumes
        `{label: volume}` of the nodes, which $\\Delta$ sums; 1 for the labels it does not hold.
    missed
        The factor of nodes above the relevant label only, at least 0.
    spurious
        The factor of nodes above the irrelevant label only, at least 0. The paper's experiments
        use half of the symmetric difference, `missed=0.5, spurious=0.5`.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or a function of
        two feature dicts that returns a number, symmetric and positive semi-definite. With a
        function, features may be of any type; training calls it for each pair of examples.
        `None` is the linear kernel with feature weights instead of example coefficients, which is
        better if there are more examples than features.
    tol
        Stop when the duality gap is at most this fraction of the primal objective.
    max_passes
        The largest number of passes.
    unit_norm
        Whether to give the attributes of each candidate norm 1. They are divided by the largest
        norm of a candidate's attributes, and then each candidate's own attribute is enlarged until
        their norm is 1. Where all leaves have the same depth, this is $t_v = 1 / \\sqrt{depth}$,
        as in the paper's experiments. In other taxonomies that constant would give shallow leaves
        smaller norms, so that C fits them too weakly. No candidate may be above another.

    Raises
    ------
    TypeError
        If `kernel` is not callable, or `max_passes` not an integer; from `fit` and predictions, if
        the kernel function does not return a number.
    ValueError
        If `C` or `tol` is not positive, an attribute, volume or factor is out of its range,
        `candidates` is empty or contains the root, `max_passes` is below 1, or, with `unit_norm`,
        a candidate is above another; from `fit`, if there
        are no examples or one is invalid; from predictions, if a feature or a kernel value is not a
        finite number.
    RuntimeError
        From every method but `fit`, if the model has not been fitted.

    Notes
    -----
    Section 3 and Algorithm 1 of the paper [^1]. There, each step takes the example that is farthest
    from its optimum, which needs the scores of all examples at every step; here, a pass visits all
    examples that are not at their optimum, the farthest first. After `fit`, `primal` and `dual` are
    the objectives, `gap` is their difference, and `n_passes` the number of passes. The threshold
    of `predict_one` is learned from the training examples, as in `linear_model.HMinOver`.

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
        unit_norm: bool = False,
    ) -> None:
        super().__init__(taxonomy, t, candidates, kernel)
        check_positive("C", C)
        check(taxonomy, volumes, "volumes")
        check_factor("missed", missed)
        check_factor("spurious", spurious)
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
        n_passes, now = self._ascend(sets)
        self._trained = self._train_threshold(expansion, relevant)
        self.primal, self.dual, self.n_passes = now.primal, now.dual, n_passes
        return self

    def _ascend(self, sets: WorkingSets) -> tuple[int, Objectives]:
        """Make passes until the gap is small enough; their number, and the objectives."""
        progress = Progress(range(self.max_passes + 1), "passes")
        for n_passes in progress:
            now = sets.objectives()
            progress.note(f"gap {now.gap:.3g} of {now.primal:.3g}")
            if now.gap <= self.tol * now.primal or n_passes == self.max_passes:
                break
            # The gap is at most C times the sum of psi, so examples with a small psi are skipped.
            enough = self.tol * now.primal / (2.0 * self.C * len(now.psi))
            for i in np.argsort(-now.psi):
                if now.psi[i] <= enough:
                    break
                sets.ascend(int(i), enough / 2.0)
        return n_passes, now

    def _delta(self) -> Floats:
        """Delta(y, ybar) of each pair of candidates, where y is the relevant one."""
        volume = by_node(self.taxonomy, self.volumes, "volumes")
        volumes = np.array([volume(v) for v in range(len(self.taxonomy))])
        above = self._ranking._replace(t=np.ones(len(volumes))).attributes  # 1 if v in anc(y)
        shared = (above.T * volumes) @ above
        own = shared.diagonal()
        delta: Floats = self.missed * (own[:, None] - shared) + self.spurious * (own - shared)
        return delta
