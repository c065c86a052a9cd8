"""Binary trees over classes: built from data, with bounds on their error, and classifiers."""

from __future__ import annotations

from .bayes_error_bounds import bayes_error_bounds
from .binary_decomposition import BinaryDecomposition
from .jensen_shannon_tree import JensenShannonTree
from .soft_binary_decomposition import SoftBinaryDecomposition
from .tree_recursions import tree_recursions

__all__ = [
    "BinaryDecomposition",
    "JensenShannonTree",
    "SoftBinaryDecomposition",
    "bayes_error_bounds",
    "tree_recursions",
]
