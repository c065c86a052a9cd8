"""The taxonomy: an immutable value on which all other layers build."""

from .arrays import Arrays
from .editing import extended
from .edits import Edit, check_edits
from .errors import UnknownLabelError
from .evidence import Among, Below, Evidence, Known, Not, Part, part_of
from .graph import Label
from .multilabel import closure_mask
from .nodes import check_taxonomy
from .open import OpenTaxonomy, TaxonomyLike
from .taxonomy import MiscLeaves, Taxonomy

__all__ = [
    "Among",
    "Arrays",
    "Below",
    "Edit",
    "Evidence",
    "Known",
    "Label",
    "MiscLeaves",
    "Not",
    "OpenTaxonomy",
    "Part",
    "Taxonomy",
    "TaxonomyLike",
    "UnknownLabelError",
    "check_edits",
    "check_taxonomy",
    "closure_mask",
    "extended",
    "part_of",
]
