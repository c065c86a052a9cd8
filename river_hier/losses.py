"""The formulas of the metrics for one example, and their expectations under known probabilities.

Each is defined beside its metric, whose page has the formula and the source. The truth must respect
the taxonomy: no node can be on below a node that is off. The prediction need not: an ancestor that
it explicitly sets to False stays False. The root is always on and costs nothing.

The losses of rankings take `{label: score}` as a prediction.

"""

from __future__ import annotations

from .metrics.h_loss import expected_h_loss, h_loss
from .metrics.maximal_loss import maximal_loss
from .metrics.rankings import average_precision, one_accuracy, parent_one_accuracy, ranking_loss
from .metrics.symmetric_difference_loss import (
    expected_symmetric_difference_loss,
    symmetric_difference_loss,
)
from .metrics.tree_induced_error import tree_induced_error
from .metrics.zero_one_loss import expected_zero_one_loss, zero_one_loss

__all__ = [
    "average_precision",
    "expected_h_loss",
    "expected_symmetric_difference_loss",
    "expected_zero_one_loss",
    "h_loss",
    "maximal_loss",
    "one_accuracy",
    "parent_one_accuracy",
    "ranking_loss",
    "symmetric_difference_loss",
    "tree_induced_error",
    "zero_one_loss",
]
