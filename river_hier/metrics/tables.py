"""Metrics with several values, which print them as a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from .._core import labels_of
from .base import TableMetric
from .multilabels import mistakes


class DepthAccuracy(TableMetric):
    """Accuracy by depth.

    `get` returns `{depth: share}`: among the examples with a true node at that depth, the share
    whose predicted nodes there are exactly the true ones. Depth 0 and depths without true nodes are
    left out. An update takes O(nodes that are on), plus the time to parse the labels.

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
            depth: self._sums[depth, "right"] / reached
            for depth in range(1, self.taxonomy_.height + 1)
            if (reached := self._sums[depth, "reached"])
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        shares = self.get()
        reached = [self._sums[depth, "reached"] for depth in shares]
        return {
            "Depth": [str(depth) for depth in shares],
            "Accuracy": [f"{share:.2%}" for share in shares.values()],
            "Weight": [f"{weight:{self._fmt}}" for weight in reached],
        }


class HLossByDepth(TableMetric):
    """False positives and false negatives of the H-loss, by depth.

    A wrong node whose ancestors are all right counts at its depth: as a false positive if it is
    predicted on, otherwise as a false negative. `get` returns
    `{depth: (false positives, false negatives)}`, sums of weights, for every depth below the root.
    Their total is the cumulative H-loss with unit costs.

    This is Table 2 of the paper of `HLoss` (section 8), where depths are counted from the children
    of the root, and the ancestors must be correctly predicted *on*; here they must be correct. An
    update takes O(nodes that differ and their ancestors), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HLossByDepth(t)
    >>> metric.update("wolf", "owl")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    Depth   False positives   False negatives
        1                 1                 1
        2                 0                 1

    """

    bigger_is_better: bool = False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = labels_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.predicted(y_pred)
        for i in mistakes(self.taxonomy_, true, pred):
            yield (int(self.taxonomy_._arrays.depth[i]), i in pred), 1.0

    def get(self) -> Any:
        """Return `{depth: (false positives, false negatives)}`."""
        return {
            depth: (self._sums[(depth, True)], self._sums[(depth, False)])
            for depth in range(1, self.taxonomy_.height + 1)
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        counts = self.get()
        return {
            "Depth": [str(depth) for depth in counts],
            "False positives": [f"{positives:{self._fmt}}" for positives, _ in counts.values()],
            "False negatives": [f"{negatives:{self._fmt}}" for _, negatives in counts.values()],
        }
