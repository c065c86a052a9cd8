"""The losses of the papers, as plain functions of a taxonomy and two answers.

The truth is a multilabel: what is below an "off" cannot be on. The prediction is taken at its
word: an ancestor that it explicitly switches off stays off. The root is always on and never costs.

Rankings of labels are measured, too; there the prediction is `{label: score}`.

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
