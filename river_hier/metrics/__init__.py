"""Metrics of labels, multilabels, rankings and probabilities, for River's evaluation.

Their first parameter is the taxonomy, and they evaluate both single-label and multilabel models.
Otherwise they are River metrics: they support weights, `revert`, `evaluate.progressive_val_score`,
`+` with each other and with River's single-label metrics (River's multi-output metrics do not
support `+`), and windows: `utils.Rolling(metrics.HLoss, window_size=100, taxonomy=taxonomy)`.

`OneAccuracy`, `AveragePrecision`, `RankingLoss`, `MaximalLoss` and `ParentOneAccuracy` evaluate
rankings of labels: their predictions are `{label: score}`, as returned by `evaluate.Ranked(model)`.
For `PooledAUPRC`, `Reliability`, `CalibrationError` and `LogLoss`, which read probabilities, wrap
the model in `evaluate.Probabilities`. `TopLabelCalibrationError` is for single labels.
"""

from .multilabels import HLoss, HLossByDepth, SymmetricDifferenceLoss, TreeInducedError, ZeroOneLoss
from .pooled_auprc import PooledAUPRC
from .precision_recall import HF1, HFBeta, HPrecision, HRecall
from .probabilities import CalibrationError, LogLoss, Reliability, TopLabelCalibrationError
from .rankings import AveragePrecision, MaximalLoss, OneAccuracy, ParentOneAccuracy, RankingLoss

__all__ = [
    "HF1",
    "AveragePrecision",
    "CalibrationError",
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
