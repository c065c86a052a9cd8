"""Floor 0: the taxonomy, an immutable value that everything else takes."""

from __future__ import annotations

from .arrays import Arrays
from .errors import UnknownLabelError
from .nodes import Label, check_taxonomy
from .taxonomy import Taxonomy

__all__ = ["Arrays", "Label", "Taxonomy", "UnknownLabelError", "check_taxonomy"]
