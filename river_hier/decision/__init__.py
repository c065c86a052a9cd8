"""Answers made from probabilities: calibrated ones, and the answer with the least expected loss."""

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
