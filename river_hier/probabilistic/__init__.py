"""Learners of dense features, with probabilities."""

from __future__ import annotations

from .linear_discriminant import LinearDiscriminant
from .nearest_neighbors import NearestNeighbors
from .newton_softmax import NewtonSoftmax

__all__ = ["LinearDiscriminant", "NearestNeighbors", "NewtonSoftmax"]
