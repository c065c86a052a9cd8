"""The taxonomy: an immutable value on which all other layers build."""

from .arrays import Arrays
from .below import Below
from .editing import extended
from .errors import UnknownLabelError
from .graph import Label
from .multilabel import closure_mask
from .nodes import check_taxonomy
from .open import OpenTaxonomy, TaxonomyLike
from .taxonomy import MiscLeaves, Taxonomy

__all__ = [
    "Arrays",
    "Below",
    "Label",
    "MiscLeaves",
    "OpenTaxonomy",
    "Taxonomy",
    "TaxonomyLike",
    "UnknownLabelError",
    "check_taxonomy",
    "closure_mask",
    "extended",
]
