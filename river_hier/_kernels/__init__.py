"""Floor 1: the arithmetic of the learners, on arrays; no label, no River class comes in here.

This is the reference in numpy. Whatever replaces it must offer the names below.
"""

from __future__ import annotations

from .features import Features, Vector
from .hieron import distances_from, hieron_step
from .least_squares import LeastSquares
from .paths import path_sums, top_down, top_down_probabilities, trained_nodes
from .weights import Weights

__all__ = [
    "Features",
    "LeastSquares",
    "Vector",
    "Weights",
    "distances_from",
    "hieron_step",
    "path_sums",
    "top_down",
    "top_down_probabilities",
    "trained_nodes",
]
