from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ..losses.h import mistakes
from ..taxonomy.multilabel import answered, closed
from .base import Table

__all__ = ["HLossByDepth"]


class HLossByDepth(Table):
    """The nodes that the H-loss charges, by depth: false positives and false negatives.

    Where a node is wrong though all its ancestors are right, it counts at its depth: as a false
    positive if it is predicted on, as a false negative if it is truly on. `get` returns
    `{depth: (false positives, false negatives)}`, sums of weights, for every depth but the root's.
    All together they are the cumulative H-loss with unit costs.

    This is Table 2 of the paper[^1], whose depth 0 is our depth 1, our root being depth 0. There
    the ancestors must be rightly *on*; here they must be right, as in the H-loss. That differs
    only for predictions that do not respect the taxonomy.

    An update takes O(nodes that differ and their ancestors), plus reading the answers.

    Parameters
    ----------
    taxonomy
        The taxonomy. Labels that are not in it raise an `UnknownLabelError`; an answer or a
        weight that is refused leaves the metric as it was.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "owl"}, {"bird"}]
    >>> y_pred = ["owl", {"mammal", "owl"}, {"bird", "owl"}]

    >>> metric = metrics.HLossByDepth(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    Depth   False positives   False negatives
        1                 1                 1
        2                 1                 1

    >>> metric.get()
    {1: (1.0, 1.0), 2: (1.0, 1.0)}

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54. Section 8.

    """

    @property
    def bigger_is_better(self) -> bool:
        return False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        true, pred = closed(self.taxonomy, y_true), answered(self.taxonomy, y_pred)
        for i in mistakes(self.taxonomy, true, pred):
            yield (int(self.taxonomy.arrays.depth[i]), i in pred), 1.0

    def get(self) -> Any:
        """Return `{depth: (false positives, false negatives)}`."""
        return {
            depth: (self._sums[(depth, True)], self._sums[(depth, False)])
            for depth in range(1, self.taxonomy.height + 1)
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        counts = self.get()
        return {
            "Depth": [str(depth) for depth in counts],
            "False positives": [f"{positives:{self._fmt}}" for positives, _ in counts.values()],
            "False negatives": [f"{negatives:{self._fmt}}" for _, negatives in counts.values()],
        }
