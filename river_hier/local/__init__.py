"""Local classifiers: a River classifier per node, per parent or per level of the taxonomy."""

from .per_node import PerNode
from .routing import PerLevel, PerParent

__all__ = ["PerLevel", "PerNode", "PerParent"]
