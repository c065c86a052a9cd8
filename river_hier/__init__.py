"""Online hierarchical classification for River."""

from __future__ import annotations

from . import batch, datasets, evaluate, linear_model, losses, metrics
from .taxonomy import Taxonomy
from .versions import show_versions

__version__ = "0.1.0"

__all__ = [
    "Taxonomy",
    "__version__",
    "batch",
    "datasets",
    "evaluate",
    "linear_model",
    "losses",
    "metrics",
    "show_versions",
]
