from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import NodeMapping, Taxonomy, TaxonomyLike
from .least_squares import LeastSquaresModel
from .systems import shared_systems


class HRLS(LeastSquaresModel):
    """H-RLS: regularised least squares at every node, trained and evaluated from the top down.

    A node learns from every example whose parents are truly on. With the instances $S = [x_1 \\dots
    x_Q]$ that it has seen and their labels $v = \\pm 1$, its weights for a new instance x, which
    the paper counts in, are

    $$w = (\\lambda I + S S^\\top + x x^\\top)^{-1} S v.$$

    All children of a node see the same instances, so they share one system of equations. While a
    node has seen fewer instances Q than there are features d, the system is solved in dual
    variables; after that, in primal ones. The weights are those of the formula, up to rounding, as
    long as $\\|x\\|^2 / \\lambda$ is well below $10^{12}$; beyond that an error is raised.

    In primal variables a step takes $O(d^2)$ for each node that is truly on, and as much memory. In
    dual variables learning only stores x, once for all nodes, and the next prediction solves the
    system: by a Cholesky factor, in $O(Q^2)$ for each instance stored since, as long as all factors
    fit into `memory`; otherwise by conjugate gradients, in about ten passes over the instances of
    each visited node, until the residual is $10^{-10}$ of the right-hand side. (The numpy backend
    solves the system directly.) The sign of a score does not depend on whether x is
    counted in. Scores and probabilities do, and require solving a system at every inner node.

    With `forgetting` $f < 1$ the past is discounted in periods of $h = \\lceil \\log_f 1/2 \\rceil$
    examples that the node was trained on: at the end of each period, everything seen so far is
    weighted by $f^h$, one half or slightly less. Of Q examples the i-th, from 0, then has an age
    $a_i$, and the weights are

    $$w = \\Bigl(\\lambda I + \\sum_i f^{a_i} x_i x_i^\\top + x x^\\top\\Bigr)^{-1}
    \\sum_i f^{a_i} v_i x_i, \\qquad
    a_i = h \\lfloor Q / h \\rfloor - h \\lfloor i / h \\rfloor.$$

    The regularisation is not discounted, so the solution stays stable for features that no longer
    occur. In dual variables an instance is dropped once $f^{a_i} \\max(1, \\|x_i\\|^2 / \\lambda) <
    1/1000$, which bounds the memory of endless streams: for x of norm 1 a node holds at most 10
    periods. The end of a period takes $O(Q^3)$, or $O(d^3)$ in primal variables, and siblings no
    longer share discounted instances with other nodes.

    The flat counterpart is `HRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive; a new label
        counts as off in all earlier examples. An `OpenTaxonomy` grows with labels that are paths.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    memory
        The bytes available for the Cholesky factors of all nodes together; systems beyond that use
        conjugate gradients. Instances and primal inverses are not counted. The numpy backend always
        uses factors and ignores this limit.
    n_features
        The number of rows, a power of 2, into which names of features are hashed. Names that share
        a row count as one feature. `None` keeps every name.
    forgetting
        The factor by which one more example reduces the weight of the earlier ones, on average; 1
        forgets nothing.
    intercept
        The value of a constant feature that is added to every x. The default, 0, adds none, as in
        the paper. Choose a value similar to those of other features, e.g. 1 for standardised ones.

    Raises
    ------
    ValueError
        If `l2` is not positive, `memory` negative, `n_features` not a power of 2 or `forgetting`
        not above 0 and at most 1; if `intercept` is neither 0 nor between 1e-6 and 1e6; from
        `learn_one` and `predict_one`, if a feature is not a finite number, a label is unknown, or a
        label is on although one of its ancestors is explicitly False.

    Notes
    -----
    Figure 3 and Eq. (1) of the paper [^1]. The text writes the labels as {0, 1}; the paper's own
    analysis needs {-1, +1}. The paper assumes examples of unit norm; for that, use
    `preprocessing.Normalizer() | HRLS(...)`. `score_one` is the paper's $w \\cdot x$, and
    `predict_proba_one` puts it into the paper's label model, (1 + score) / 2.

    Without an intercept, if x is empty, zero, or has only features that were never learned, all
    scores are 0. A score of 0 counts as on, so all nodes are on. Learning from an x that is empty
    or zero changes nothing.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.HRLS(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.5525

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        l2: float = 1.0,
        memory: float = 8e7,
        n_features: int | None = None,
        forgetting: float = 1.0,
        intercept: float = 0.0,
    ) -> None:
        self._systems: list[list[int]] = []  # the nodes of each
        self._below: dict[tuple[int, ...], int] = {}  # that of the first child of these parents
        super().__init__(taxonomy, l2, None, memory, n_features, forgetting, intercept)

    def _trained_systems(self, trained: NDArray[np.intp]) -> Iterable[int]:
        nodes = set(trained.tolist())
        return [s for s, group in enumerate(self._systems) if not group or group[0] in nodes]

    def _remap(self, change: NodeMapping) -> None:
        change.check_unmerged(self)
        plan = shared_systems(self._systems, change)
        self._remap_systems(plan)
        self._systems = [planned.nodes + planned.new for planned in plan]
        self._below = {}
        for v, s in sorted((v, s) for s, nodes in enumerate(self._systems) for v in nodes):
            self._below.setdefault(change.after._parent_rows[v], s)

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        groups: dict[tuple[int, ...], list[int]] = {}  # nodes with the same parents share a system
        if self.taxonomy is None and before == 1:  # an open taxonomy, maybe without labels yet
            groups[0,] = []
        for v in range(before, len(after)):
            groups.setdefault(after._parent_rows[v], []).append(v)
        for above, nodes in groups.items():
            if above not in self._below:
                self._add_system(nodes)
                self._below[above] = len(self._systems)
                self._systems.append(nodes)
                continue
            s = self._below[above]
            if self.taxonomy is None:
                n_stored = self._rls.n_stored
                s = n_stored.index(max(n_stored))  # the first, unless it has been forgotten
            self._rls.add_outputs(s, nodes)
            self._systems[s] += nodes

    def _keep_systems(self, n_nodes: int) -> int:
        kept = [nodes for nodes in self._systems if not nodes or nodes[0] < n_nodes]
        self._systems = [[v for v in nodes if v < n_nodes] for nodes in kept]
        self._below = {above: s for above, s in self._below.items() if s < len(kept)}
        return len(kept)

    def _shard_units(self) -> list[list[int]]:
        return [[0, *nodes] for nodes in self._systems] if self.taxonomy is None else self._systems

    def _places(self) -> dict[int, tuple[int, int]]:
        systems = enumerate(self._systems)
        return {v: (s, i) for s, nodes in systems for i, v in enumerate(nodes)}
