"""Synthetic streams whose true model is known.

There are generators, two from papers and one of multilabels with partial paths, and transformers,
each of which adds a difficulty of real data to any stream of `datasets`.
"""

from .linear_labels import LinearLabels
from .prototypes import PrototypePaths, PrototypeTree
from .transformers import Appearing, Edited, SubtreeDrift

__all__ = ["Appearing", "Edited", "LinearLabels", "PrototypePaths", "PrototypeTree", "SubtreeDrift"]
