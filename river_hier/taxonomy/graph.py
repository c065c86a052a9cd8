"""Sort the nodes of a list of edges topologically, or raise an error that names the wrong edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any

import numpy as np

from .errors import is_missing, short

Label = Any  # any hashable; `Any`, so that users with labels of type str get str back
DEFAULT_ROOT = "root"


def build(
    edges: Iterable[Sequence[Label]],
    nodes: Iterable[Label] = (),
    root: Label | None = None,
    known: Sequence[tuple[Label, Label]] = (),
) -> tuple[tuple[Label, ...], tuple[tuple[int, ...], ...]]:
    """Labels in topological order, root first, and the indices of each one's parents.

    `nodes` are further labels; `known` are edges that precede `edges`. Takes O(nodes + edges).
    """
    children, parents = _read(edges, nodes, known)
    root = _single_root(children, parents, root)
    order = topological(children, parents, [root])
    if len(order) < len(parents):
        raise ValueError(f"the edges hold a cycle: {_show_cycle(parents, set(order))}")
    children.clear()  # here and below memory is freed as soon as possible, a third of all
    index = {label: i for i, label in enumerate(order)}
    rows: list[tuple[int, ...]] = []
    row: tuple[int, ...] = ()
    for label in order:
        above = tuple(sorted(index[p] for p in parents.pop(label)))
        row = row if row == above else above  # siblings share it
        rows.append(row)
    return tuple(order), tuple(rows)


def _read(
    edges: Iterable[Sequence[Label]], nodes: Iterable[Label], known: Sequence[tuple[Label, Label]]
) -> tuple[dict[Label, list[Label]], dict[Label, list[Label]]]:
    edges = checked_edges(edges)
    children: dict[Label, list[Label]] = {}  # of nodes that have some
    parents: dict[Label, list[Label]] = {}
    spelling: dict[Label, Label] = {}  # the first of equal labels

    def add(label: Label) -> Label:
        if type(label) is not str:  # nearly never; saves a fifth of the whole time
            check_label(label)
            label = spelling.setdefault(label, label)
        if label not in parents:
            parents[label] = []
        return label

    for label in nodes:
        add(label)
    seen: set[tuple[Label, Label]] = set()  # without the first edge to each node
    for number, edge in enumerate(chain(known, edges), start=-len(known)):
        if not is_pair(edge):
            raise ValueError(f"edge {number} is {short(edge)}: it must be a (parent, child) pair")
        try:
            parent, child = map(add, edge)
        except (TypeError, ValueError) as error:  # formatting the place earlier would be slow
            help_ = "; for roots without a parent there is Taxonomy.from_parents"
            help_ *= is_missing(edge[0])
            raise type(error)(f"edge {number} is {short(edge)}: {error}{help_}") from None
        if parent == child:
            raise ValueError(f"edge {number} makes node {child!r} its own parent")
        above = parents[child]
        if above:
            if parent == above[0] or (parent, child) in seen:
                continue
            seen.add((parent, child))
        children.setdefault(parent, []).append(child)
        above.append(parent)
    if not parents:
        raise ValueError("`edges` is empty; a taxonomy without children is Taxonomy.flat([])")
    return children, parents


def checked_edges(edges: Any) -> Iterable[Any]:
    """The edges, with labels of Python if they are an array; an error if they cannot be edges."""
    table = hasattr(edges, "columns")  # a DataFrame would give its columns' names
    if isinstance(edges, str | dict) or table or not isinstance(edges, Iterable):
        raise TypeError(
            f"`edges` must be an iterable of (parent, child) pairs, got {type(edges).__name__}; "
            "for mappings there are Taxonomy.from_parents and Taxonomy.from_nested, "
            "and of a table take zip(df.parent, df.child)"
        )
    return edges.tolist() if isinstance(edges, np.ndarray) else edges


def is_pair(edge: Any) -> bool:
    """Whether the edge is an ordered pair; sets and dicts are not ordered."""
    if isinstance(edge, tuple):  # nearly always
        return len(edge) == 2
    return (
        not isinstance(edge, str | bytes | Set | Mapping)
        and hasattr(edge, "__len__")
        and len(edge) == 2
    )


def check_label(label: Label) -> None:
    """Raise an error unless this can be the label of a node."""
    if is_missing(label):
        raise ValueError(f"{label!r} cannot be a label; every node needs one")
    try:
        hash(label)
    except TypeError:
        raise TypeError(
            f"label {short(label)} is not hashable; use a string, a number or a tuple"
        ) from None


def _single_root(
    children: dict[Label, list[Label]], parents: dict[Label, list[Label]], root: Label | None
) -> Label:
    """The only node without parents; if there are several, a new root above them."""
    if root is not None:
        check_label(root)
    tops = [label for label, above in parents.items() if not above]
    if not tops:
        raise ValueError(f"the edges hold a cycle: {_show_cycle(parents, set())}")
    if len(tops) == 1:
        if root is not None and root != tops[0]:
            raise ValueError(
                f"`root` is {root!r}, but {tops[0]!r} is the only node without a parent"
            )
        return tops[0]
    if root is None:
        root = DEFAULT_ROOT
    if root in tops:
        other = next(label for label in tops if label != root)
        raise ValueError(f"{other!r} is a second root beside {root!r}: it has no parent")
    if root in parents:
        raise ValueError(
            f"{len(tops)} nodes have no parent ({tops[0]!r}, {tops[1]!r}, ...) and cannot be "
            f"joined under {root!r}, which has parent {parents[root][0]!r}; choose another `root`"
        )
    children[root], parents[root] = tops, []
    for label in tops:
        parents[label] = [root]
    return root


def topological(
    children: dict[Label, list[Label]], parents: dict[Label, list[Label]], first: Iterable[Label]
) -> list[Label]:
    """Kahn's algorithm with a queue, from the first nodes: level by level, siblings together."""
    waiting = {label: len(above) for label, above in parents.items()}
    order = list(first)
    for label in order:  # which grows
        for child in children.get(label, ()):
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


def _show_cycle(parents: dict[Label, list[Label]], ordered: set[Label]) -> str:
    """Walk upwards through the unsorted nodes until one is reached again."""
    label = next(v for v in parents if v not in ordered)
    walk: dict[Label, None] = {}
    while label not in walk:
        walk[label] = None
        label = next(p for p in parents[label] if p not in ordered)
    seen = list(walk)
    cycle = list(map(repr, [label, *reversed(seen[seen.index(label) :])]))
    return " -> ".join(cycle if len(cycle) <= 12 else [*cycle[:6], "...", *cycle[-5:]])


def reach(neighbours: Sequence[tuple[int, ...]], v: int) -> set[int]:
    """All nodes that can be reached from v, without v itself."""
    reached: set[int] = set()
    stack = list(neighbours[v])
    while stack:
        u = stack.pop()
        if u not in reached:
            reached.add(u)
            stack += neighbours[u]
    return reached
