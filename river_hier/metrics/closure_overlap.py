from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from ..taxonomy.multilabel import closed, literal
from .base import SumMetric

__all__ = ["ClosureOverlap"]


class ClosureOverlap(SumMetric):
    """Mother class of hierarchical precision and recall: how far two closures overlap.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        nodes = self.taxonomy.nodes
        true = closed(self.taxonomy, y_true)
        # Labels alone, without what the answer says of their ancestors: those are added.
        pred = closed(self.taxonomy, [nodes[v] for v in literal(self.taxonomy, y_pred)])
        yield "both", len(true & pred) - 1  # the root is in both and counts for nothing
        yield "true", len(true) - 1
        yield "pred", len(pred) - 1
