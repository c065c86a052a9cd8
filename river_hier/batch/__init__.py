"""Batch comparators: models that `fit` trains on a list of examples, and that then only predict."""

from .hierarchical_multilabel_svm import HierarchicalMultilabelSVM
from .label_ranker import BatchHMinOver
from .svm import HSVM

__all__ = ["HSVM", "BatchHMinOver", "HierarchicalMultilabelSVM"]
