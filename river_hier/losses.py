"""The formulas of the metrics for one example, and their expectations under known probabilities.

Each is defined beside its metric, whose page has the formula, the parameters and the source.

* `y_true` is a label, an iterable of labels or `{label: bool}`. It must respect the taxonomy: a
  label that is True below one that is False raises a `ValueError`, an unknown label an
  `UnknownLabelError`.
* `y_pred` is the same, but need not respect the taxonomy: an ancestor that it explicitly sets to
  False stays False. `None`, no answer, counts as the root, which is always on and costs nothing.
* Losses of rankings take `{label: score}` as `y_pred`; candidates without a score rank last. A
  score that is not a number raises a `ValueError`. With `None`, all candidates tie.
* Expected losses are for trees and take the probabilities `{label: P(on | parent on)}` of all
  labels but the root. A missing label, or a value outside [0, 1], raises a `ValueError` where it is
  used.

"""

from .metrics.multilabels import (
    expected_h_loss,
    expected_symmetric_difference_loss,
    expected_zero_one_loss,
    h_loss,
    hieron_loss,
    symmetric_difference_loss,
    tree_induced_error,
    zero_one_loss,
)
from .metrics.rankings import (
    average_precision,
    maximal_loss,
    one_accuracy,
    parent_one_accuracy,
    ranking_loss,
)

__all__ = [
    "average_precision",
    "expected_h_loss",
    "expected_symmetric_difference_loss",
    "expected_zero_one_loss",
    "h_loss",
    "hieron_loss",
    "maximal_loss",
    "one_accuracy",
    "parent_one_accuracy",
    "ranking_loss",
    "symmetric_difference_loss",
    "tree_induced_error",
    "zero_one_loss",
]
