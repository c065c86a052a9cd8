from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from .._core import reader_of
from ..losses.h import mistakes
from .base import Table


class HLossByDepth(Table):
    """False positives and false negatives of the H-loss, by depth.

    A wrong node whose ancestors are all right counts at its depth: as a false positive if it is
    predicted on, otherwise as a false negative. `get` returns
    `{depth: (false positives, false negatives)}`, sums of weights, for every depth below the root.
    Their total is the cumulative H-loss with unit costs.

    This is Table 2 of the paper[^1], where depths are counted from the children of the root. There
    the ancestors must be correctly predicted *on*; here they must be correct, as in the H-loss.
    This differs only for predictions that do not respect the taxonomy.

    An update takes O(nodes that differ and their ancestors), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.

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

    bigger_is_better: bool = False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = reader_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.predicted(y_pred)
        for i in mistakes(self.taxonomy_, true, pred):
            yield (int(self.taxonomy_.arrays.depth[i]), i in pred), 1.0

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
