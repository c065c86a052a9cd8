from __future__ import annotations

from typing import Any

from .._core import likeliest
from ..taxonomy import Taxonomy
from .decoder import Decoder


class ZeroOneBayes(Decoder):
    r"""The most probable multilabel: the one with the least expected zero-one loss.

    Given that its parent is on, each node is on with probability $p_i$, independently of the other
    nodes. Working up from the leaves, it is best to switch a node on, if its parent is on, when

    $$p_i \prod_{k \textrm{ below } i} \pi_k \ge 1 - p_i$$

    with $\pi_k$ the probability of the most probable multilabel in the subtree of child $k$:
    products in place of the sums of `HLossBayes`. Only nodes for which $p_i \ge 1/2$ holds all the
    way up are visited, and their children.

    Parameters
    ----------
    model
        A multilabel model in a tree, with `predict_proba_one`, or a pipeline that ends in one.

    Raises
    ------
    TypeError
        If `model` is not a multilabel model in a taxonomy.
    ValueError
        If the taxonomy is not a tree.

    Notes
    -----
    The labels are assumed to depend on their parents only, as in section 5 of [^1].
    On top of the model's probabilities, a prediction takes O(nodes) time.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HRLS(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.ZeroOneLoss(t))
    ZeroOneLoss: 75.30%

    >>> model = decision.ZeroOneBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.ZeroOneLoss(t))
    ZeroOneLoss: 71.00%

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._check_tree()

    def _decide(self, marginals: Any) -> list[int]:
        return likeliest(self._labels, marginals)
