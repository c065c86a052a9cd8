"""Metrics for predictions on a taxonomy.

Their first parameter is the taxonomy, and they evaluate both single-label and multilabel models.
Otherwise they are River metrics: they support weights, `revert`, `evaluate.progressive_val_score`,
`+` with each other and with River's single-label metrics (River's multi-output metrics do not
support `+`), and windows: `utils.Rolling(metrics.HLoss, window_size=100, taxonomy=taxonomy)`.

`OneAccuracy`, `AveragePrecision`, `RankingLoss`, `MaximalLoss` and `ParentOneAccuracy` evaluate
rankings of labels: their predictions are `{label: score}`, as returned by `evaluate.Ranked(model)`.
`PooledAUPRC` also compares the scores of different examples, and `Reliability` and
`CalibrationError` compare probabilities with frequencies, `LogLoss` with the truth: wrap the model
in `evaluate.Probabilities` for these. `TopLabelCalibrationError` is for single labels.

"""

from __future__ import annotations

from .average_precision import AveragePrecision
from .calibration_error import CalibrationError
from .depth_accuracy import DepthAccuracy
from .distance_histogram import DistanceHistogram
from .h_fbeta import HF1, HFBeta
from .h_loss import HLoss
from .h_loss_by_depth import HLossByDepth
from .h_precision import HPrecision
from .h_recall import HRecall
from .log_loss import LogLoss
from .maximal_loss import MaximalLoss
from .one_accuracy import OneAccuracy
from .parent_one_accuracy import ParentOneAccuracy
from .pooled_auprc import PooledAUPRC
from .ranking_loss import RankingLoss
from .reliability import Reliability
from .symmetric_difference_loss import SymmetricDifferenceLoss
from .top_label_calibration_error import TopLabelCalibrationError
from .tree_induced_error import TreeInducedError
from .zero_one_loss import ZeroOneLoss

__all__ = [
    "HF1",
    "AveragePrecision",
    "CalibrationError",
    "DepthAccuracy",
    "DistanceHistogram",
    "HFBeta",
    "HLoss",
    "HLossByDepth",
    "HPrecision",
    "HRecall",
    "LogLoss",
    "MaximalLoss",
    "OneAccuracy",
    "ParentOneAccuracy",
    "PooledAUPRC",
    "RankingLoss",
    "Reliability",
    "SymmetricDifferenceLoss",
    "TopLabelCalibrationError",
    "TreeInducedError",
    "ZeroOneLoss",
]
