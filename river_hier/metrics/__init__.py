"""Metrics for answers on a taxonomy.

They take the taxonomy first, work with single-label and multilabel models, and are River metrics
otherwise: weights, `revert`, `evaluate.progressive_val_score`, `+` among themselves and with
River's single-label metrics (its multi-output ones do not add), and windows:
`utils.Rolling(metrics.HLoss, window_size=100, taxonomy=taxonomy)`.

`OneAccuracy`, `AveragePrecision`, `RankingLoss`, `MaximalLoss` and `ParentOneAccuracy` score
rankings of labels: they read `{label: score}`, as `evaluate.Ranked` makes models answer. So does
`PooledAUPRC`, which compares scores of different examples, too: `evaluate.Probabilities` serves it,
as it does `Reliability` and `CalibrationError`, which ask whether probabilities are frequencies.

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
from .maximal_loss import MaximalLoss
from .one_accuracy import OneAccuracy
from .parent_one_accuracy import ParentOneAccuracy
from .pooled_auprc import PooledAUPRC
from .ranking_loss import RankingLoss
from .reliability import Reliability
from .symmetric_difference_loss import SymmetricDifferenceLoss
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
    "MaximalLoss",
    "OneAccuracy",
    "ParentOneAccuracy",
    "PooledAUPRC",
    "RankingLoss",
    "Reliability",
    "SymmetricDifferenceLoss",
    "TreeInducedError",
    "ZeroOneLoss",
]
