"""Calibrated probabilities, and the predictions they decide: of least expected loss or risk."""

from __future__ import annotations

from .bayes import HLossBayes, SymmetricDifferenceBayes, TreeBayes, ZeroOneBayes
from .calibration import Calibrated, Tempered
from .selective import Selective

__all__ = [
    "Calibrated",
    "HLossBayes",
    "Selective",
    "SymmetricDifferenceBayes",
    "Tempered",
    "TreeBayes",
    "ZeroOneBayes",
]
