"""Binary trees over classes: built from data, and classifiers."""

from __future__ import annotations

from .decomposition import BinaryDecomposition, SoftBinaryDecomposition
from .jensen_shannon_tree import JensenShannonTree

__all__ = ["BinaryDecomposition", "JensenShannonTree", "SoftBinaryDecomposition"]
