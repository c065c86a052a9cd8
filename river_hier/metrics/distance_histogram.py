from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from .. import losses
from .base import Table


class DistanceHistogram(Table):
    r"""Histogram of the distances between prediction and truth.

    `get` returns `{distance: weight}`, in increasing order of the distances: the total weight of
    the examples whose tree-induced error $\gamma(y, \hat{y})$ is that distance. Correct predictions
    have distance 0. Figure 2 of the paper[^1] is the difference between the histograms of a
    hierarchical and a flat model.

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
    >>> y_pred = ["wolf", "owl", "owl", "wolf"]

    >>> metric = metrics.DistanceHistogram(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    Distance   Weight   Share
           0        2   50.00%
           2        1   25.00%
           4        1   25.00%

    >>> metric.get()
    {0: 2.0, 2: 1.0, 4: 1.0}

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML. Section 5.

    """

    bigger_is_better: bool = False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        yield int(losses.tree_induced_error(self.taxonomy_, y_true, y_pred)), 1.0

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
