"""Comparators that are trained on a list of examples, by `fit`, and then only predict."""

from __future__ import annotations

from .base import Frozen
from .hierarchical_multilabel_svm import HierarchicalMultilabelSVM
from .hminover import BatchHMinOver

__all__ = ["BatchHMinOver", "Frozen", "HierarchicalMultilabelSVM"]
