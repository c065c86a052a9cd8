from __future__ import annotations

from typing import Any

import numpy as np

from .._core import least_h_loss
from ..metrics.costs import Costs, check, check_values
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import spelled
from .decoder import Decoder


class HLossBayes(Decoder):
    r"""The multilabel with the least expected H-loss under a model's probabilities.

    Let a node $i$ with parent $j$ be on with probability $P_i \le P_j$. The expected H-loss of a
    prediction that respects the taxonomy is

    $$\sum_{i\,:\,\hat{y}_j = 1} c_i \, (\hat{y}_i \, (P_j - P_i) + (1 - \hat{y}_i) \, P_i),$$

    since a node costs only if the prediction is right at all its ancestors. Working up from the
    leaves, it is best to switch a node on, if its parent is on, when

    $$c_i \, (P_j - P_i) + \sum_{k \textrm{ below } i} \ell_k \le c_i P_i$$

    with $\ell_k$ the least expected loss in the subtree of child $k$. So a node may stay off even
    if it is more likely on than off: it is predicted only if the expected loss of its subtree is
    not higher with it than without it. Only nodes for which $2 P_i \ge P_j$ holds all the way up
    are visited, and their children.

    Decoding is only as good as the probabilities of the model: see `Calibrated`.

    Parameters
    ----------
    model
        A multilabel model in a tree, with `predict_proba_one`, or a pipeline that ends in one.
    costs
        `{label: cost}`, positive and finite; other labels cost 1. In an open taxonomy, labels that
        have not arrived yet may be named.

    Raises
    ------
    TypeError
        If `model` is not a multilabel model in a taxonomy.
    ValueError
        If the taxonomy is not a tree, a cost is not positive and finite, or its label is unknown.

    Notes
    -----
    The H-loss and its expectation are those of [^1]. The paper's own rule switches a node on if its
    probability, given that its parent is on, is at least 1/2. `predict_proba_one` is the model's,
    so the prediction may leave out labels whose probability is above 1/2.

    On top of the model's probabilities, a prediction takes O(nodes) time.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HRLS(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 1.0385

    >>> model = decision.HLossBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 0.894

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(self, model: Any, costs: Costs | None = None) -> None:
        self.costs = costs
        check_values(costs, "costs")  # their labels may arrive later
        super().__init__(model)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._check_tree()
        check(taxonomy, self.costs, "costs")

    def _decide(self, marginals: Any) -> list[int]:
        labels = self._labels
        if self.costs is None:
            return least_h_loss(labels, marginals)
        costs = np.ones(len(self._taxonomy))
        for label, cost in spelled(self._taxonomy, self.costs).items():
            if label in self._taxonomy:  # in an open one it may not have arrived yet
                costs[self._taxonomy.index(label)] = cost
        return least_h_loss(labels, marginals, costs)
