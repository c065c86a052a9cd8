"""Online hierarchical classification for River."""

from __future__ import annotations

from .taxonomy import Taxonomy

__version__ = "0.1.0"

__all__ = ["Taxonomy", "__version__"]
