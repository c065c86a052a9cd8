from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from .. import losses
from .base import Table

__all__ = ["DistanceHistogram"]


class DistanceHistogram(Table):
    r"""How often the prediction is how far from the truth.

    `get` returns `{distance: weight}`, the distances in increasing order: the sum of the weights
    of the examples whose tree-induced error $\gamma(y, \hat{y})$ is that distance, which is 0 for
    right answers. The difference of two histograms, one of a model that knows the taxonomy and one
    of a model that does not, is Figure 2 of the paper[^1].

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

    @property
    def bigger_is_better(self) -> bool:
        return False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        yield int(losses.tree_induced_error(self.taxonomy, y_true, y_pred)), 1.0

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
