"""Stars, in which every other node is a child of the root: flat and open taxonomies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from .graph import Label, check_label, check_spelling
from .nodes import Nodes
from .paths import Parents

N = TypeVar("N", bound=Nodes)


def with_labels(star: N, labels: Iterable[Label]) -> N:
    """Add labels to a star; if there is nothing to add, the same object is returned.

    No graph has to be sorted here, so that new labels in a stream stay cheap.
    """
    new: dict[Label, Label] = {}
    for label in labels:
        check_label(label)
        v = star.known_index(label)
        if v == 0:
            raise ValueError(
                f"label {label!r} names the root of a flat or open taxonomy and would be its own "
                "parent; give a taxonomy with another root, e.g. Taxonomy.flat(labels, root=...)"
            )
        check_spelling(label, new.setdefault(label, label) if v is None else star.label(v))
    if not new:
        return star
    return star._with_nodes(new, star_parents(1 + len(new))[1:])


def star_parents(n: int) -> Parents:
    """The parents of n nodes, the root first, of which all others are children."""
    return ((), *((0,),) * (n - 1))
