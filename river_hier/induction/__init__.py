"""Binary trees over classes: built from data, with bounds on their error, and classifiers."""

from __future__ import annotations

from .decomposition import BinaryDecomposition, SoftBinaryDecomposition
from .divergence import bayes_error_bounds, tree_recursions
from .jensen_shannon_tree import JensenShannonTree

__all__ = [
    "BinaryDecomposition",
    "JensenShannonTree",
    "SoftBinaryDecomposition",
    "bayes_error_bounds",
    "tree_recursions",
]
