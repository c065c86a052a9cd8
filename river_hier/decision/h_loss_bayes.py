from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._backend import least_h_loss
from ..losses.costs import Costs, check, check_values
from ..taxonomy import Taxonomy
from .decoder import Decoder

__all__ = ["HLossBayes"]


class HLossBayes(Decoder):
    r"""The multilabel with the least expected H-loss under a model's probabilities.

    Where a node $i$ with parent $j$ is on with probability $P_i \le P_j$, an answer that respects
    the taxonomy has the expected H-loss

    $$\sum_{i\,:\,\hat{y}_j = 1} c_i \, (\hat{y}_i \, (P_j - P_i) + (1 - \hat{y}_i) \, P_i),$$

    since a node costs only where all above it is right. So, from the leaves up, a node had better
    be on, were its parent on, if

    $$c_i \, (P_j - P_i) + \sum_{k \textrm{ below } i} \ell_k \le c_i P_i$$

    with $\ell_k$ the least loss in the subtree of child $k$. A node that is likelier than not is
    switched off all the same where the answers below it are too unsure: to be on opens its children
    to mistakes. Only nodes with $2 P_i \ge P_j$, all the way up, are visited, and their children.

    How much it gains depends on the probabilities: see `Calibrated`.

    Parameters
    ----------
    model
        A multilabel model in a tree, with `predict_proba_one`, or a pipeline that ends in one.
    costs
        `{label: cost}`, positive and finite; 1 for the labels it does not hold. In an open taxonomy
        labels may be among them that are yet to come.

    Raises
    ------
    TypeError
        If `model` is no multilabel model in a taxonomy.
    ValueError
        If the taxonomy is not a tree, or a cost is not positive and finite or its label unknown.

    Notes
    -----
    The H-loss and its expectation are those of [^1]; the paper's own rule switches a node on if its
    own probability, given its parent, is at least 1/2. `predict_proba_one` is the model's: an
    answer need not hold the labels that are likelier than not.

    Beside the model's probabilities an answer takes O(visited nodes + nodes).

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
        super().__init__(model)
        self.costs = costs
        if isinstance(self.taxonomy, Taxonomy):
            self._check_taxonomy(self.taxonomy)
        else:
            check_values(costs, "costs")  # their labels may be yet to come

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy.check_tree()
        check(taxonomy, self.costs, "costs")

    def _decide(self, likely: Sequence[float]) -> list[int]:
        costs = [1.0] * len(likely)
        if self.costs is not None:
            costs = [float(self.costs.get(label, 1.0)) for label in self._taxonomy.nodes]
        return least_h_loss(likely, self._taxonomy.child_indices, costs)
