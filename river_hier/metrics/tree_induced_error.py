from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import losses
from .base import MeanLoss

__all__ = ["TreeInducedError"]


class TreeInducedError(MeanLoss):
    r"""Tree-induced error: the mean distance of the prediction from the truth, in edges.

    For single labels in a tree this is $\gamma(y, \hat{y})$, the number of edges on the way from
    the true to the predicted label[^1]. For multilabels, and in DAGs, it is the number of nodes in
    the closure of one of the two answers only, which in the first case is the same number.

    An update takes O(nodes of both closures), plus reading the answers.

    Parameters
    ----------
    taxonomy
        The taxonomy. Labels that are not in it raise an `UnknownLabelError`; an answer or a
        weight that is refused leaves the metric as it was.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", "wolf", "owl", "whale"]
    >>> y_pred = ["wolf", "owl", "bird", "wolf"]

    >>> metric = metrics.TreeInducedError(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    TreeInducedError: 1.75

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML. Section 2.

    """

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.tree_induced_error(self.taxonomy, y_true, y_pred)

    def expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        """The expected error of a prediction when the truth, a multilabel, is drawn at random.

        Parameters
        ----------
        probabilities
            `{label: P(on | parent on)}` for every label but the root.
        y_pred
            The prediction.

        """
        return losses.expected_symmetric_difference_loss(self.taxonomy, probabilities, y_pred)
