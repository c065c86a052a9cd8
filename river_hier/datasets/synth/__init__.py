"""Synthetic streams, with the truth attached.

Generators: those of two papers, and one of several partial paths. Transformers: each takes any
stream of `datasets` and gives it one of the troubles that real streams have.

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
