"""Local classifiers: a River classifier per node, per parent or per level of the taxonomy."""

from __future__ import annotations

from .per_level import PerLevel
from .per_node import PerNode
from .per_parent import PerParent

__all__ = ["PerLevel", "PerNode", "PerParent"]
