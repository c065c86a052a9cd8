from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import Batch, Multilabels, hrls_step, hrls_steps, shared_systems
from ..taxonomy import NodeMapping, TaxonomyLike
from .least_squares import LeastSquaresModel

__all__ = ["HRLS"]


class HRLS(LeastSquaresModel):
    """H-RLS: regularised least squares at every node, trained and evaluated from the top down.

    A node learns from every example whose parents are truly on. With the instances
    $S = [x_1 \\dots x_Q]$ that it has seen and their labels $v = \\pm 1$, its weights for a new
    instance x, which is counted in, are

    $$w = (\\lambda I + S S^\\top + x x^\\top)^{-1} S v.$$

    All children of a node see the same instances, so they share one system of equations. While a
    node has seen fewer instances Q than there are features d, it is solved in dual variables; then
    in primal ones. The weights are those of the formula, up to rounding, as long as
    $\\|x\\|^2 / \\lambda$ is well below $10^{12}$; beyond that x is refused.

    In primal variables a step takes $O(d^2)$ for each node that is truly on, and as much memory. In
    dual ones learning only stores x, once for all nodes, and the first prediction after it does
    the work: by a Cholesky factor, $O(Q^2)$ for each instance that waits, as long as all factors
    fit into `memory`; by conjugate gradients beyond, some ten walks over the instances of each
    node visited. Either way the signs, and so the answers, are those of the formula: the iteration
    stops only when an error bound says so. (The numpy backend always keeps a factor, and updates
    it while learning.) The sign of a score does not depend on x being counted in; scores and
    probabilities do, and take a solve at every inner node.

    With `forgetting` $f < 1$ the past fades by periods of $h = \\lceil \\log_f 1/2 \\rceil$
    examples that the node was trained on: after each of them all that has been seen counts $f^h$
    times as much, one half or just below. Of Q examples the i-th, from 0, then has an age $a_i$,
    and the weights are

    $$w = \\Bigl(\\lambda I + \\sum_i f^{a_i} x_i x_i^\\top + x x^\\top\\Bigr)^{-1}
    \\sum_i f^{a_i} v_i x_i, \\qquad
    a_i = h \\lfloor Q / h \\rfloor - h \\lfloor i / h \\rfloor.$$

    The regularisation does not fade, so nothing winds up where the stream is silent. In dual
    variables an instance is dropped once $f^{a_i} \\max(1, \\|x_i\\|^2 / \\lambda) < 1/1000$, which
    bounds the memory of endless streams: for x of norm 1 a node holds at most 10 periods. The end
    of a period takes $O(Q^3)$, or $O(d^3)$ in primal variables, and siblings no longer share what
    has faded with nodes elsewhere.

    Its flat counterpart is `HRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive: a label is
        taken to have been off before.
        An `OpenTaxonomy` grows along labels that are paths.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    memory
        Bytes for the Cholesky factors of all nodes together; systems beyond it take conjugate
        gradients. Instances and primal inverses are not counted. The numpy backend has factors
        alone and no such limit.
    n_features
        A power of 2: hash the names of features into so many rows. Names that meet in a row are
        taken for one. `None` remembers every name.
    forgetting
        What is left of an example's weight after one more example, on average; 1 forgets nothing.

    Raises
    ------
    ValueError
        If `l2` is not positive, `memory` negative, `n_features` not a power of 2 or `forgetting`
        not above 0 and at most 1; from `learn_one` and `predict_one`, if a feature is not a finite
        number, a label is unknown, or a label is on whose ancestor is explicitly False.

    Notes
    -----
    Figure 3 and Eq. (1) of the paper [^1]. The text writes the labels as {0, 1}; its own analysis
    needs {-1, +1}. The paper assumes unit norm, which is left to
    `preprocessing.Normalizer() | HRLS(...)`. `score_one` is the paper's $w \\cdot x$, and
    `predict_proba_one` puts it into the paper's label model, (1 + score) / 2.

    An x that is empty, zero, or has only features never learned from has score 0 everywhere, and
    a score of 0 counts as on: all nodes are on. Learning from an x that is empty or zero
    changes nothing.

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
    ) -> None:
        self._systems: list[list[int]] = []  # the nodes of each
        super().__init__(taxonomy, l2, None, memory, n_features, forgetting)

    def _step(self, x: Mapping[Any, Any], y: Any) -> None:
        if not hrls_step(self._rls, self._features, self._labels, x, y):
            raise self._lost_in_rounding(x)

    def _steps(self, X: Batch, y: Multilabels) -> None:
        hrls_steps(self._rls, self._features, self._labels, X, y)

    def _trained_systems(self, trained: NDArray[np.intp]) -> Iterable[int]:
        nodes = set(trained.tolist())
        return [s for s, group in enumerate(self._systems) if not group or group[0] in nodes]

    def _remap(self, change: NodeMapping) -> None:
        change.check_unmerged(self)
        before, after = change.before.arrays, change.after.arrays
        plan = shared_systems(self._systems, change.sources, before, after, change.reset)
        self._remap_systems(plan)
        self._systems = [planned.nodes + planned.new for planned in plan]

    def _add_nodes(self, before: int, after: int) -> None:
        if self.taxonomy is not None:  # nodes with the same parents share a system
            self._systems = [group.tolist() for group in self._taxonomy.arrays.groups]
            for nodes in self._systems:
                self._add_system(nodes)
        elif not self._systems:  # an open taxonomy: nobody is there yet
            self._systems = [list(range(before, after))]
            self._add_system(self._systems[0])
        else:
            n_stored = self._rls.n_stored
            longest = n_stored.index(max(n_stored))  # the first, unless it has been forgotten
            self._systems[longest] += range(before, after)
            self._rls.add_outputs(longest, list(range(before, after)))

    def _shard_units(self) -> list[list[int]]:
        return [[0, *nodes] for nodes in self._systems] if self.taxonomy is None else self._systems

    def _place(self, v: int) -> tuple[int, int]:
        s = next(s for s, nodes in enumerate(self._systems) if v in nodes)
        return s, self._systems[s].index(v)
