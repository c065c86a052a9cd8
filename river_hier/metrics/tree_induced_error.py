from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import losses
from .base import MeanScore


class TreeInducedError(MeanScore):
    r"""Tree-induced error: mean distance in edges or, for multilabels, mean number of wrong nodes.

    For single labels in a tree this is $\gamma(y, \hat{y})$, the number of edges on the path from
    the true to the predicted label[^1]. For multilabels and DAGs it is the number of nodes in
    exactly one of the closures of truth and prediction: the symmetric difference, as in
    `SymmetricDifferenceLoss` with its defaults. For two labels of a tree both are the same number.

    An update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.

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

    bigger_is_better: bool = False

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.tree_induced_error(self.taxonomy_, y_true, y_pred)

    def expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        """The expected error of a prediction when the truth, a multilabel, is random.

        Parameters
        ----------
        probabilities
            `{label: P(on | parent on)}` for every label but the root.
        y_pred
            The prediction.

        """
        return losses.expected_symmetric_difference_loss(self.taxonomy_, probabilities, y_pred)
