"""Learners of dense features, with probabilities."""

from __future__ import annotations

from .linear_discriminant import LinearDiscriminant
from .nearest_neighbors import DiscriminantNeighbors, NearestNeighbors
from .newton_softmax import NewtonSoftmax

__all__ = ["DiscriminantNeighbors", "LinearDiscriminant", "NearestNeighbors", "NewtonSoftmax"]
