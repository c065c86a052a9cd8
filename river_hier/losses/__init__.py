"""The losses of the papers, as functions of a taxonomy, the truth and a prediction.

The truth must respect the taxonomy: no node can be on below a node that is off. The prediction need
not: an ancestor that it explicitly sets to False stays False. The root is always on and costs
nothing.

The losses of rankings take `{label: score}` as a prediction.

"""

from __future__ import annotations

from .average_precision import average_precision
from .expected_h import expected_h_loss
from .expected_symmetric_difference import expected_symmetric_difference_loss
from .expected_zero_one import expected_zero_one_loss
from .h import h_loss
from .maximal_loss import maximal_loss
from .one_accuracy import one_accuracy
from .parent_one_accuracy import parent_one_accuracy
from .ranking_loss import ranking_loss
from .symmetric_difference import symmetric_difference_loss
from .tree_induced import tree_induced_error
from .zero_one import zero_one_loss

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
