"""Changes to a taxonomy: each function returns the labels or edges of the new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .graph import Label, check_label
from .multilabel import spelled
from .nodes import Nodes

Edges = list[tuple[Label, Label]]


def renamed(taxonomy: Nodes, names: Mapping[Any, Label]) -> tuple[Label, ...]:
    """The labels, in taxonomy order, after replacing some of them."""
    if not isinstance(names, Mapping):
        raise TypeError(f"`names` must be {{old label: new label}}, got {type(names).__name__}")
    names = spelled(taxonomy, names)
    for label, name in names.items():
        taxonomy.index(label)
        check_label(name)
    owner: dict[Label, Label] = {}
    for label in taxonomy.nodes:
        other = owner.setdefault(names.get(label, label), label)
        if other != label:
            raise ValueError(
                f"{other!r} and {label!r} would both be {names.get(label, label)!r}; "
                "to make one node of them there is `merge`"
            )
    return tuple(owner)


def moved(taxonomy: Nodes, label: Label, parent: Label) -> Edges:
    """The edges after moving `label` and its descendants: `parent` is its only parent."""
    label, parent = (taxonomy.nodes[taxonomy.index(v)] for v in (label, parent))
    if label == taxonomy.root:
        raise ValueError(f"the root, {label!r}, cannot be moved")
    if parent in taxonomy.subtree(label):
        raise ValueError(f"{label!r} cannot be moved under {parent!r}, which is in its subtree")
    return [edge for edge in taxonomy.edges if edge[1] != label] + [(parent, label)]


def merged(taxonomy: Nodes, labels: Iterable[Label], into: Label) -> Edges:
    """The edges after merging `labels` into `into`, which gets their children."""
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise TypeError(f"`labels` must be a collection of labels, got {labels!r}")
    gone = set()
    into = taxonomy.nodes[taxonomy.index(into)]
    above = taxonomy.ancestors(into)
    for label in labels:
        label = taxonomy.nodes[taxonomy.index(label)]
        if label in above:
            raise ValueError(
                f"{label!r} is above {into!r}, so it cannot be merged into it; "
                "merge the other way round, and rename"
            )
        if label != into:
            gone.add(label)
    target = {label: into if label in gone else label for label in taxonomy.nodes}
    return [
        (target[parent], child)
        for parent, child in taxonomy.edges
        if child not in gone and target[parent] != child
    ]
