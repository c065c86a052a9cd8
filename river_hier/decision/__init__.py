"""Calibrated probabilities, and the predictions with the least expected loss under them."""

from __future__ import annotations

from .bayes import HLossBayes, SymmetricDifferenceBayes, ZeroOneBayes
from .calibration import Calibrated, Tempered
from .tree_bayes import TreeBayes

__all__ = [
    "Calibrated",
    "HLossBayes",
    "SymmetricDifferenceBayes",
    "Tempered",
    "TreeBayes",
    "ZeroOneBayes",
]
