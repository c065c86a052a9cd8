"""Comparators that see all examples at once: trained by `fit`, then frozen."""

from __future__ import annotations

from .frozen import Frozen
from .hierarchical_multilabel_svm import HierarchicalMultilabelSVM
from .hminover import BatchHMinOver
from .hsvm import HSVM
from .kernel_hsvm import KernelHSVM
from .svm import SVM

__all__ = ["HSVM", "SVM", "BatchHMinOver", "Frozen", "HierarchicalMultilabelSVM", "KernelHSVM"]
