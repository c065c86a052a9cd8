"""Floor 0: the taxonomy, an immutable value that everything else takes."""

from __future__ import annotations

from .arrays import Arrays
from .errors import UnknownLabelError
from .nodes import Label, check_taxonomy
from .open import OpenTaxonomy, Start
from .succession import Renamed, Succession, succession, without_branch
from .taxonomy import Taxonomy

__all__ = [
    "Arrays",
    "Label",
    "OpenTaxonomy",
    "Renamed",
    "Start",
    "Succession",
    "Taxonomy",
    "UnknownLabelError",
    "check_taxonomy",
    "succession",
    "without_branch",
]
