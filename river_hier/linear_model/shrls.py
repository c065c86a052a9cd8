from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .._kernels import Vector
from ..base import check_positive
from ..base.multilabel import Mask
from ..taxonomy import Taxonomy
from .least_squares import LeastSquaresModel

__all__ = ["SHRLS"]


class SHRLS(LeastSquaresModel):
    """SH-RLS: H-RLS that stores an instance only where it is in doubt.

    Node i learns from an example of round t whose parents are truly on only if its score is
    small,

    $$|w_{i,t} \\cdot x_t| \\le \\sqrt{c \\ln t / N_i},$$

    $N_i$ being the number of instances it has stored so far (the first is always stored) and c
    the `threshold`. Otherwise it works as `HRLS` does. The nodes store different instances, so
    each has a system of equations of its own, in dual or in primal variables, whichever is the
    smaller.

    A step takes $O(\\min(N_i, d)^2)$ for each node whose parents are truly on and which stores x
    or comes close to it, and as much memory; an instance is stored once, whatever the number of
    nodes that use it, and its dot products with x, O(stored nonzeros), are shared. The score
    that the rule asks for is $w_i \\cdot x / (1 + r)$ with $0 \\le r \\le \\|x\\|^2 / \\lambda$, so
    where $|w_i \\cdot x|$ alone decides, no system is solved. Predicting takes O(features of x) a
    node visited in primal variables; in dual ones the same dot products, until so many predictions
    come in a row that an explicit w pays off. Scores and probabilities take
    $O(\\min(N_i, d)^2)$ for every node.

    Its flat counterpart, S-RLS, is `SHRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive.
    threshold
        The constant c of the rule; 5 in the paper. The larger, the more is stored.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.

    Raises
    ------
    ValueError
        If `threshold` or `l2` is not positive; from `learn_one` and `predict_one`, if a feature
        is not a finite number, a label is unknown, or a label is on whose ancestor is explicitly
        False.

    Notes
    -----
    Section 8 of the paper [^1]. The text writes the labels as {0, 1}; its own analysis needs
    {-1, +1}. The paper assumes unit norm, which is left to
    `preprocessing.Normalizer() | SHRLS(...)`.

    An x that is empty, zero, or has only features never learned from has score 0 everywhere, and
    a score of 0 counts as on: all nodes are on. Learning from an x that is empty or zero
    only counts as a round.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.SHRLS(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.5615

    >>> model.n_stored
    {'news': 810, 'sport': 570, 'politics': 603}

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self, taxonomy: Taxonomy | None = None, threshold: float = 5.0, l2: float = 1.0
    ) -> None:
        super().__init__(taxonomy, l2)
        check_positive("threshold", threshold)
        self.threshold = threshold
        self._t = 0

    @property
    def n_stored(self) -> dict[object, int]:
        """How many instances each node has stored."""
        labels = self._taxonomy.nodes[1:]
        return dict(zip(labels, self._rls.n_stored, strict=True))

    def _systems(self, taxonomy: Taxonomy) -> list[NDArray[np.intp]]:
        return [np.array([v]) for v in range(1, len(taxonomy))]

    def _learn(self, x: Vector, on: Mask) -> None:
        self._t += 1
        if x.norm2 == 0.0:
            return
        most = 1.0 + x.norm2 / self.l2  # 1 + r is at most this
        rls, visit = self._rls, self._rls.visit(x)
        yes = on.tolist()
        for s in self._active(yes):
            n = rls.n_stored[s]
            bound = math.sqrt(self.threshold * math.log(self._t) / n) if n else math.inf
            doubt = abs(float(rls.scores(s, visit)[0]))
            if doubt > bound * most:
                continue
            r, u = rls.solve(s, visit)
            if doubt <= bound * (1.0 + r):
                v = np.array([1.0 if yes[s + 1] else -1.0])
                rls.store(s, visit, v, r, u)

    def _add_nodes(self, n_nodes: int) -> None:
        for _ in range(len(self._nodes) + 1, n_nodes):
            self._rls.add_system()
        self._arrange()
