from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from .._core import labels_of
from .base import TableMetric


class DepthAccuracy(TableMetric):
    """Accuracy by depth.

    `get` returns `{depth: share}`. Among the examples with a true node at that depth, it is the
    share whose predicted nodes at that depth are exactly the true ones. Depth 0, the root, and
    depths without true nodes are left out. Nodes predicted below the deepest true node are not
    counted; `HLossByDepth` shows them as false positives.

    An update takes O(nodes that are on), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.DepthAccuracy(t)
    >>> metric.update("wolf", "whale")
    >>> metric.update("wolf", "mammal")
    >>> metric.update("owl", "owl")
    >>> metric
    Depth   Accuracy   Weight
        1    100.00%        3
        2     33.33%        3

    >>> metric.get()
    {1: 1.0, 2: 0.333333}

    """

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = labels_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.predicted(y_pred)
        depth = self.taxonomy_._arrays.depth
        reached = {int(depth[i]) for i in true} - {0}
        wrong = {int(depth[i]) for i in true ^ pred}
        for d in sorted(reached):
            yield (d, "reached"), 1.0
            if d not in wrong:
                yield (d, "right"), 1.0

    def get(self) -> Any:
        """Return `{depth: share}`."""
        return {
            depth: self._sums[depth, "right"] / self._sums[depth, "reached"]
            for depth in range(1, self.taxonomy_.height + 1)
            if (depth, "reached") in self._sums
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        shares = self.get()
        reached = [self._sums[depth, "reached"] for depth in shares]
        return {
            "Depth": [str(depth) for depth in shares],
            "Accuracy": [f"{share:.2%}" for share in shares.values()],
            "Weight": [f"{weight:{self._fmt}}" for weight in reached],
        }
