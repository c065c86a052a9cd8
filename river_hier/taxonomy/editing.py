"""Changes to a taxonomy: each function returns the labels or edges of the new one, or itself."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from .arrays import Parents
from .graph import Label, check_label, is_pair, topological
from .nodes import Nodes, check_taxonomy

N = TypeVar("N", bound=Nodes)
_KEPT = (
    "a model keeps all nodes that it has, and where they are: add to them, e.g. by "
    "model.taxonomy_.extend([(parent, child)]), or train a new model"
)


def new_nodes(
    taxonomy: Nodes, edges: Iterable[Sequence[Label]]
) -> tuple[list[Label], list[tuple[int, ...]]] | None:
    """The new nodes of these edges and their parents, in topological order: O(edges).

    None if there is something wrong, or an old node gets another parent.
    """
    spelling: dict[Label, Label] = {}  # of new labels, the first of equal ones

    def spelled(label: Label) -> Label:
        check_label(label)
        v = taxonomy._arrays.number(label)
        return spelling.setdefault(label, label) if v is None else taxonomy._arrays.label(v)

    children: dict[Label, list[Label]] = {}
    parents: dict[Label, list[Label]] = {}  # of the new nodes
    for edge in edges:
        if not is_pair(edge):
            return None
        try:
            parent, child = map(spelled, edge)
        except (TypeError, ValueError):
            return None
        v = taxonomy._arrays.number(child)
        if v is None:
            above = parents.setdefault(child, [])
            if parent not in above:
                above.append(parent)
                children.setdefault(parent, []).append(child)
        elif taxonomy._arrays.number(parent) not in taxonomy._arrays.rows[v]:
            return None
    known = [p for p in children if taxonomy._arrays.number(p) is not None]
    waiting = {label: len(above) for label, above in parents.items()}
    added = topological(children, waiting, known)[len(known) :]
    numbers = {label: len(taxonomy) + i for i, label in enumerate(added)}
    if len(numbers) < len(parents):  # a cycle, or a second root
        return None
    everything = {**numbers, **{p: taxonomy.index(p) for p in children if p not in numbers}}
    rows = [tuple(sorted(everything[p] for p in parents[label])) for label in numbers]
    return list(numbers), rows


def with_paths(taxonomy: Nodes, edges: list[Sequence[Label]]) -> list[Sequence[Label]]:
    """Edges whose new children are paths, where labels are paths and only names are given.

    A name that is new stands for the same path in the edges after it.
    """
    path, paths = taxonomy._path_format, dict[Label, Label]()
    if not path.whole or not all(map(is_pair, edges)):
        return edges
    new: list[Sequence[Label]] = []
    for parent, child in edges:
        check_label(child)
        parent = paths.get(parent, parent)
        mark = isinstance(child, str) and path.separator
        is_path = isinstance(child, tuple) or (mark and mark in child)
        if child not in paths and not is_path and taxonomy._find(child) is None:
            at_top = parent == taxonomy.root and not taxonomy._names(parent)  # no path has the root
            paths[child] = path.child(None if at_top else parent, path.name(child))
        new.append((parent, paths.get(child, child)))
    return new


def extended(before: N, after: N) -> N:
    """`after` with the nodes that `before` lacks last: O(1) if they are; an error if one moved."""
    check_taxonomy(after)
    if after._arrays.extends(before._arrays):
        return after
    if missing := [label for label in before.nodes if after._arrays.number(label) is None]:
        raise ValueError(f"label {missing[0]!r} is not in the new taxonomy; {_KEPT}")
    nodes = (*before.nodes, *(v for v in after.nodes if before._arrays.number(v) is None))
    numbers = {after.index(label): v for v, label in enumerate(nodes)}

    def sorted_rows(parents: Parents) -> Parents:
        return tuple(tuple(sorted(numbers[p] for p in parents[old])) for old in numbers)

    parents, implied = map(sorted_rows, (after._arrays.parents, after._arrays.implied_parents))
    larger = type(after)._of(nodes, parents, after._path_format, implied)
    if not larger._arrays.extends(before._arrays):
        kept = zip(before, before._arrays.parents, parents[: len(before)], strict=True)
        label = next((u for u, a, b in kept if a != b), before.root)
        raise ValueError(
            f"label {label!r} is not where it was in the new taxonomy, but below "
            f"{', '.join(map(repr, larger.parents(label)))}; {_KEPT}"
        )
    return larger


def check_kept(taxonomy: Nodes, label: Label, v: int | None) -> None:
    """Raise an error if a label of an open taxonomy was retired at its top."""
    if v == 0 and label != taxonomy.root:
        raise ValueError(
            f"label {label!r} was retired, and the root of an open taxonomy is no label; leave out "
            "its examples, or edit with `old_labels=False` to learn it anew"
        )


def check_current(taxonomy: Nodes, label: Label, v: int) -> None:
    """Raise an error if an edit has given the node of a label another one."""
    aliases, path = taxonomy._arrays.table.aliases, taxonomy._path_format
    if not aliases:
        return
    if path.whole and (isinstance(label, tuple | list) or path.separator):
        label = path.label(path.names(label)) if v else label
    label = tuple(label) if isinstance(label, list) else label
    if aliases.get(label) == v:
        raise ValueError(
            f"label {label!r} has become {taxonomy._arrays.label(v)!r}: name that, or make the "
            "edit with `old_labels=False`, which frees old labels"
        )


def with_children(star: N, labels: Iterable[Label]) -> N:
    """Add labels to a star without sorting; if there is nothing to add, it is the same object."""
    new: dict[Label, Label] = {}
    for label in labels:
        check_label(label)
        v = star._arrays.number(label)
        check_kept(star, label, v)
        if v == 0:
            raise ValueError(
                f"label {label!r} names the root of a flat or open taxonomy and would be its own "
                "parent; give a taxonomy with another root, e.g. Taxonomy.flat(labels, root=...)"
            )
        if v is None:
            new.setdefault(label, label)
    if not new:
        return star
    return star._with_nodes(new, star_parents(1 + len(new))[1:])


def star_parents(n: int) -> Parents:
    """The parents of n nodes, the root first, of which all others are children."""
    return ((), *((0,),) * (n - 1))
