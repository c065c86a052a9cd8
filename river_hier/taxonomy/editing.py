"""Changes to a taxonomy: each function returns the labels or edges of the new one, or itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from .graph import Label, check_label, check_spelling, is_pair
from .multilabel import spelled
from .nodes import Nodes
from .paths import Parents

Edges = list[tuple[Label, Label]]
N = TypeVar("N", bound=Nodes)


def new_nodes(
    taxonomy: Nodes, edges: Iterable[Sequence[Label]]
) -> tuple[list[Label], list[tuple[int, ...]]] | None:
    """The new nodes of these edges and their parents, in topological order: O(edges).

    None if there is something wrong, or an old node gets another parent.
    """
    spelling: dict[Label, Label] = {}  # of new labels, the first of equal ones

    def spelled(label: Label) -> Label:
        check_label(label)
        v = taxonomy._known_index(label)
        first = spelling.setdefault(label, label) if v is None else taxonomy._label(v)
        check_spelling(label, first)
        return first

    children: dict[Label, list[Label]] = {}
    parents: dict[Label, list[Label]] = {}  # of the new nodes
    for edge in edges:
        if not is_pair(edge):
            return None
        try:
            parent, child = map(spelled, edge)
        except (TypeError, ValueError):
            return None
        v = taxonomy._known_index(child)
        if v is None:
            above = parents.setdefault(child, [])
            if parent not in above:
                above.append(parent)
                children.setdefault(parent, []).append(child)
        elif taxonomy._known_index(parent) not in taxonomy._parent_rows[v]:
            return None
    numbers: dict[Label, int] = {}  # of the new nodes
    waiting = {label: len(above) for label, above in parents.items()}
    queue = deque(p for p in children if taxonomy._known_index(p) is not None)
    while queue:
        parent = queue.popleft()
        for child in children.get(parent, ()):
            waiting[child] -= 1
            if not waiting[child]:
                numbers[child] = len(taxonomy) + len(numbers)
                queue.append(child)
    if len(numbers) < len(parents):  # a cycle, or a second root
        return None
    everything = {**numbers, **{p: taxonomy.index(p) for p in children if p not in numbers}}
    rows = [tuple(sorted(everything[p] for p in parents[label])) for label in numbers]
    return list(numbers), rows


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
    above = set(taxonomy.ancestors(into))
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


def with_children(star: N, labels: Iterable[Label]) -> N:
    """Add labels to a star; if there is nothing to add, the same object is returned.

    No graph has to be sorted here, so that new labels in a stream stay cheap.
    """
    new: dict[Label, Label] = {}
    for label in labels:
        check_label(label)
        v = star._known_index(label)
        if v == 0:
            raise ValueError(
                f"label {label!r} names the root of a flat or open taxonomy and would be its own "
                "parent; give a taxonomy with another root, e.g. Taxonomy.flat(labels, root=...)"
            )
        check_spelling(label, new.setdefault(label, label) if v is None else star._label(v))
    if not new:
        return star
    return star._with_nodes(new, star_parents(1 + len(new))[1:])


def star_parents(n: int) -> Parents:
    """The parents of n nodes, the root first, of which all others are children."""
    return ((), *((0,),) * (n - 1))
