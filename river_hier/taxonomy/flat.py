"""Stars, in which every node hangs under the root: flat taxonomies, and open ones that grow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from .graph import Label, check_label, check_spelling
from .nodes import Nodes

N = TypeVar("N", bound=Nodes)


def with_labels(star: N, labels: Iterable[Label]) -> N:
    """The star with these labels too, or itself if it has them all.

    No graph has to be sorted here, which is what makes a stream of new labels affordable.
    """
    new: dict[Label, Label] = {}
    for label in labels:
        check_label(label)
        v = star.label_index.get(label)
        if v == 0:
            raise ValueError(
                f"label {label!r} names the root of a flat or open taxonomy and would be its own "
                "parent; give a taxonomy with another root, e.g. Taxonomy.flat(labels, root=...)"
            )
        check_spelling(label, new.setdefault(label, label) if v is None else star.nodes[v])
    return of(star, (*star.nodes, *new)) if new else star


def of(like: N, nodes: tuple[Label, ...]) -> N:
    """The star of these nodes, the root first."""
    return type(like)._of(nodes, ((), *((0,),) * (len(nodes) - 1)))
