"""Online hierarchical classification for River."""

from __future__ import annotations

from . import datasets, evaluate, linear_model, losses, metrics
from .taxonomy import Taxonomy

__version__ = "0.1.0"

__all__ = [
    "Taxonomy",
    "__version__",
    "datasets",
    "evaluate",
    "linear_model",
    "losses",
    "metrics",
]
