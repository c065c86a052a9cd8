"""Calibrated probabilities, and the predictions with the least expected loss under them."""

from __future__ import annotations

from .calibrated import Calibrated
from .h_loss_bayes import HLossBayes
from .symmetric_difference_bayes import SymmetricDifferenceBayes
from .tempered import Tempered
from .tree_bayes import TreeBayes
from .zero_one_bayes import ZeroOneBayes

__all__ = [
    "Calibrated",
    "HLossBayes",
    "SymmetricDifferenceBayes",
    "Tempered",
    "TreeBayes",
    "ZeroOneBayes",
]
