"""Sort the nodes of a list of edges topologically, or raise an error that names the wrong edge."""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, TypeVar

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
    labels, children, n_above = _read(edges, nodes, known)
    top = _single_root(labels, children, n_above, root)
    order = topological(children, n_above.copy(), [top])
    if len(order) < len(labels):
        raise ValueError(f"the edges hold a cycle: {_show_cycle(labels, children, order)}")
    rows: list[tuple[int, ...]] = [()] * len(labels)
    for v, u in enumerate(order):
        own = (v,)  # siblings share it
        for c in children.pop(u, ()):
            rows[c] = rows[c] + own if rows[c] else own
    return tuple(labels[u] for u in order), tuple(rows[u] for u in order)


def _read(
    edges: Iterable[Sequence[Label]], nodes: Iterable[Label], known: Sequence[tuple[Label, Label]]
) -> tuple[list[Label], dict[int, list[int]], list[int]]:
    """The labels as they come; by their numbers, the children and how many parents each has."""
    edges = checked_edges(edges)
    numbers: dict[Label, int] = {}  # the first of equal labels is kept
    children: dict[int, list[int]] = {}  # of nodes that have some
    first: list[int] = []  # the first parent of each node, or -1
    n_above: list[int] = []

    def add(label: Label) -> int:
        if type(label) is not str:  # nearly never
            check_label(label)
        if (v := numbers.setdefault(label, len(first))) == len(first):
            first.append(-1)
            n_above.append(0)
        return v

    for label in nodes:
        add(label)
    seen: set[tuple[int, int]] = set()  # without the first edge to each node
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
            raise ValueError(f"edge {number} makes node {edge[1]!r} its own parent")
        if first[child] < 0:
            first[child] = parent
        elif parent == first[child] or (parent, child) in seen:
            continue
        else:
            seen.add((parent, child))
        children.setdefault(parent, []).append(child)
        n_above[child] += 1
    if not first:
        raise ValueError("`edges` is empty; a taxonomy without children is Taxonomy.flat([])")
    return list(numbers), children, n_above


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
    labels: list[Label], children: dict[int, list[int]], n_above: list[int], root: Label | None
) -> int:
    """The only node without parents; if there are several, a new root above them."""
    if root is not None:
        check_label(root)
    tops = [v for v, n in enumerate(n_above) if not n]
    if not tops:
        raise ValueError(f"the edges hold a cycle: {_show_cycle(labels, children, [])}")
    first = labels[tops[0]]
    if len(tops) == 1:
        if root is not None and root != first:
            raise ValueError(f"`root` is {root!r}, but {first!r} is the only node without a parent")
        return tops[0]
    if root is None:
        root = DEFAULT_ROOT
    if root in (above := {labels[v]: v for v in tops}):
        other = next(label for label in above if label != root)
        raise ValueError(f"{other!r} is a second root beside {root!r}: it has no parent")
    if root in labels:
        parent = next(labels[u] for u, below in children.items() if labels.index(root) in below)
        raise ValueError(
            f"{len(tops)} nodes have no parent ({first!r}, {labels[tops[1]]!r}, ...) and cannot be "
            f"joined under {root!r}, which has parent {parent!r}; choose another `root`"
        )
    children[len(labels)] = tops
    labels.append(root)
    for v in tops:
        n_above[v] = 1
    n_above.append(0)
    return len(labels) - 1


V = TypeVar("V")


def topological(children: Mapping[V, Iterable[V]], waiting: Any, first: Iterable[V]) -> list[V]:
    """Kahn's algorithm with a queue, from the first nodes: level by level, siblings together.

    `waiting` has the number of parents of each node, and is used up.
    """
    order = list(first)
    for v in order:  # which grows
        for child in children.get(v, ()):
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


def _show_cycle(labels: list[Label], children: dict[int, list[int]], order: list[int]) -> str:
    """Walk upwards through the unsorted nodes until one is reached again."""
    parents: dict[int, list[int]] = {v: [] for v in range(len(labels))}
    for u in set(children).difference(order):
        for v in children[u]:
            parents[v].append(u)
    v = next(v for v in parents if v not in set(order))
    walk: dict[int, None] = {}
    while v not in walk:
        walk[v] = None
        v = parents[v][0]
    seen = list(walk)
    cycle = [repr(labels[u]) for u in (v, *reversed(seen[seen.index(v) :]))]
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
