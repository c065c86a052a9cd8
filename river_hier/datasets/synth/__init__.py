"""Synthetic streams whose true model is known.

There are generators, two from papers and one of multilabels with partial paths, and transformers,
each of which adds a difficulty of real data to any stream of `datasets`.

"""

from __future__ import annotations

from .appearing import Appearing
from .imbalanced import Imbalanced
from .label_noise import LabelNoise
from .linear_labels import LinearLabels
from .prototype_paths import PrototypePaths
from .prototype_tree import PrototypeTree
from .subtree_drift import SubtreeDrift

__all__ = [
    "Appearing",
    "Imbalanced",
    "LabelNoise",
    "LinearLabels",
    "PrototypePaths",
    "PrototypeTree",
    "SubtreeDrift",
]
