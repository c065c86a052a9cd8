from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from .._core import labels_of
from ..taxonomy import Taxonomy
from .base import MeanLoss, TableMetric
from .symmetric_difference_loss import expected_symmetric_difference_loss


class TreeInducedError(MeanLoss):
    r"""Tree-induced error: mean distance in edges or, for multilabels, mean number of wrong nodes.

    For single labels in a tree this is $\gamma(y, \hat{y})$, the number of edges on the path from
    the true to the predicted label[^1]. For multilabels and DAGs it is the number of nodes in
    exactly one of the closures of truth and prediction: the symmetric difference, as in
    `SymmetricDifferenceLoss` with its defaults. For two labels of a tree both are the same number.

    An update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.TreeInducedError(t)
    >>> metric.update("wolf", "wolf")
    >>> metric.update("wolf", "owl")
    >>> metric.update("wolf", "mammal")
    >>> metric
    TreeInducedError: 1.666667

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML. Section 2.

    """

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return tree_induced_error(self.taxonomy_, y_true, y_pred)

    def _expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        return expected_symmetric_difference_loss(self.taxonomy_, probabilities, y_pred)


class DistanceHistogram(TableMetric):
    r"""Histogram of the distances between prediction and truth.

    `get` returns `{distance: weight}`, in increasing order of the distances: the total weight of
    the examples whose tree-induced error $\gamma(y, \hat{y})$ is that distance. Correct predictions
    have distance 0. Figure 2 of the paper of `TreeInducedError` is the difference between the
    histograms of a hierarchical and a flat model.

    An update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.DistanceHistogram(t)
    >>> metric.update("wolf", "wolf")
    >>> metric.update("wolf", "owl")
    >>> metric
    Distance   Weight   Share
           0        1   50.00%
           4        1   50.00%

    >>> metric.get()
    {0: 1.0, 4: 1.0}

    """

    bigger_is_better: bool = False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        yield int(tree_induced_error(self.taxonomy_, y_true, y_pred)), 1.0

    def get(self) -> Any:
        """Return `{distance: weight}`."""
        return {distance: self._sums[distance] for distance in sorted(self._sums)}

    def _columns(self) -> dict[str, Sequence[str]]:
        weights = self.get()
        total = sum(weights.values())
        return {
            "Distance": [str(distance) for distance in weights],
            "Weight": [f"{weight:{self._fmt}}" for weight in weights.values()],
            "Share": [f"{weight / total:.2%}" for weight in weights.values()],
        }


def tree_induced_error(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    """Tree-induced error: the distance between two labels; see `metrics.TreeInducedError`.

    `losses` says what `y_true` and `y_pred` may be.

    For single labels in a tree, `tree_induced_error(t, u, v) == t.distance(u, v)`.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.tree_induced_error(t, "wolf", "owl"), losses.tree_induced_error(t, "wolf", "mammal")
    (4.0, 1.0)
    >>> losses.tree_induced_error(t, {"wolf", "owl"}, {"whale", "owl"})
    2.0

    """
    labels = labels_of(taxonomy)
    return float(len(labels.closure(y_true) ^ labels.predicted(y_pred)))
