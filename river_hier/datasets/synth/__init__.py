"""Synthetic streams: the two papers' own generators, with the truth attached."""

from __future__ import annotations

from .linear_labels import LinearLabels
from .prototype_tree import PrototypeTree

__all__ = ["LinearLabels", "PrototypeTree"]
