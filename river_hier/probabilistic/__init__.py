"""Learners of dense features, with probabilities."""

from .discriminant_neighbors import DiscriminantNeighbors
from .linear_discriminant import LinearDiscriminant
from .newton_softmax import NewtonSoftmax

__all__ = ["DiscriminantNeighbors", "LinearDiscriminant", "NewtonSoftmax"]
