"""Binary trees over classes: built from data, classifiers, and bounds on their errors."""

from .balanced import balanced_tree
from .decomposition import BinaryDecomposition, SoftBinaryDecomposition
from .error_bounds import bayes_error_bounds, tree_recursions
from .jensen_shannon_tree import JensenShannonTree

__all__ = [
    "BinaryDecomposition",
    "JensenShannonTree",
    "SoftBinaryDecomposition",
    "balanced_tree",
    "bayes_error_bounds",
    "tree_recursions",
]
