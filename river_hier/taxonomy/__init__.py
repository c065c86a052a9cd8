"""The taxonomy: an immutable value on which all other layers build."""

from __future__ import annotations

from .arrays import Arrays
from .errors import UnknownLabelError
from .graph import Label
from .mapping import NodeMapping, Renamed, map_nodes, only_adds, without_branch
from .misc_leaves import MiscLeaves
from .nodes import check_taxonomy
from .open import OpenTaxonomy, TaxonomyLike
from .taxonomy import Taxonomy

__all__ = [
    "Arrays",
    "Label",
    "MiscLeaves",
    "NodeMapping",
    "OpenTaxonomy",
    "Renamed",
    "Taxonomy",
    "TaxonomyLike",
    "UnknownLabelError",
    "check_taxonomy",
    "map_nodes",
    "only_adds",
    "without_branch",
]
