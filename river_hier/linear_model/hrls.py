from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._kernels import Vector
from ..base.multilabel import Mask
from ..taxonomy import Taxonomy
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

    A step takes $O(\\min(Q, d)^2)$ for each node that is truly on, and as much memory; in dual
    variables the instances are stored besides, each once. The sign of a score does not depend on x
    being counted in, so predicting takes O(features of x) a node visited in primal variables. In
    dual ones it takes the dot products of x with the instances, O(stored nonzeros) for all nodes
    together, until so many predictions come in a row that an explicit w pays off. Scores and
    probabilities take $O(\\min(Q, d)^2)$ for every inner node. For endless streams of text use
    `SHRLS`, or a learner without such a system.

    Its flat counterpart is `HRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive: a label is
        taken to have been off before.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.

    Raises
    ------
    ValueError
        If `l2` is not positive; from `learn_one` and `predict_one`, if a feature is not a finite
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

    def __init__(self, taxonomy: Taxonomy | None = None, l2: float = 1.0) -> None:
        super().__init__(taxonomy, l2)

    def _systems(self, taxonomy: Taxonomy) -> list[NDArray[np.intp]]:
        if self.taxonomy is None:  # one system from the start, though nobody is in it yet
            return [np.arange(1, len(taxonomy))]
        return list(taxonomy.arrays.groups)

    def _learn(self, x: Vector, on: Mask) -> None:
        if x.norm2 == 0.0:
            return
        v = np.where(on, 1.0, -1.0)
        visit = self._rls.visit(x)
        for s in self._active(on.tolist()):
            r, u = self._rls.solve(s, visit)
            self._rls.store(s, visit, v[self._nodes[s]], r, u)

    def _add_nodes(self, n_nodes: int) -> None:
        self._rls.add_outputs(0, n_nodes - 1 - len(self._nodes[0]))
        self._arrange()
