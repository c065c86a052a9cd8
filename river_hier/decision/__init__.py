"""Calibrated probabilities, and the predictions with the least expected loss under them."""

from .bayes import HFBetaBayes, HLossBayes, SymmetricDifferenceBayes, TreeBayes, ZeroOneBayes
from .calibration import Calibrated, Tempered
from .noisy_labels import NoisyLabels
from .selective import Selective

__all__ = [
    "Calibrated",
    "HFBetaBayes",
    "HLossBayes",
    "NoisyLabels",
    "Selective",
    "SymmetricDifferenceBayes",
    "Tempered",
    "TreeBayes",
    "ZeroOneBayes",
]
