"""Batch comparators: models that `fit` trains on a list of examples, and that then only predict."""

from __future__ import annotations

from .estimator import BatchEstimator
from .hierarchical_multilabel_svm import HierarchicalMultilabelSVM
from .hminover import BatchHMinOver
from .hsvm import HSVM
from .kernel_hsvm import KernelHSVM
from .svm import SVM

__all__ = [
    "HSVM",
    "SVM",
    "BatchEstimator",
    "BatchHMinOver",
    "HierarchicalMultilabelSVM",
    "KernelHSVM",
]
