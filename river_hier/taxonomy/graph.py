"""From a list of edges to nodes in topological order, or a message that names the culprit."""

from __future__ import annotations

import numbers
from collections import deque
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

Label = Hashable
DEFAULT_ROOT = "root"


def build(
    edges: Iterable[tuple[Label, Label]], nodes: Iterable[Label] = (), root: Label | None = None
) -> tuple[tuple[Label, ...], tuple[tuple[int, ...], ...]]:
    """Labels in topological order, root first, and the indices of each one's parents.

    `nodes` are labels known to exist besides those of the edges. O(nodes + edges).
    """
    children, parents = _read(edges, nodes)
    root = _single_root(children, parents, root)
    order = _topological(children, parents, root)
    if len(order) < len(children):
        raise ValueError(f"the edges hold a cycle: {_show_cycle(parents, set(order))}")
    index = {label: i for i, label in enumerate(order)}
    return tuple(order), tuple(tuple(sorted(index[p] for p in parents[v])) for v in order)


def _read(
    edges: Iterable[tuple[Label, Label]], nodes: Iterable[Label]
) -> tuple[dict[Label, list[Label]], dict[Label, list[Label]]]:
    if isinstance(edges, str | dict):
        raise TypeError(
            f"`edges` must be an iterable of (parent, child) pairs, got {type(edges).__name__}; "
            "for mappings there are Taxonomy.from_parents and Taxonomy.from_nested"
        )
    # One dict serves to look up the children and to keep the first spelling of every label.
    children: dict[Label, list[Label]] = {}
    parents: dict[Label, list[Label]] = {}
    spelling: dict[Label, Label] = {}

    def add(label: Any, number: int, edge: Any) -> Label:
        try:
            first = spelling.get(label)
            if first is None or _is_bool(first) != _is_bool(label):
                raise TypeError
        except TypeError:  # new, or to be refused: only now is it worth naming the place
            where = f"edge {number} is {edge!r}" if number >= 0 else f"node {label!r}"
            first = spelling.get(check_label(label, where))
            if first is not None:
                raise ValueError(
                    f"{where}: labels {first!r} and {label!r} are equal in Python, so they would "
                    "be one node; give each node a label of its own"
                ) from None
            first = spelling[label] = label
            children[label], parents[label] = [], []
        return first

    for label in nodes:
        add(label, -1, None)
    seen: set[tuple[Label, Label]] = set()
    for number, edge in enumerate(edges):
        if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) != 2:
            raise ValueError(f"edge {number} is {edge!r}: it must be a (parent, child) pair")
        parent, child = edge
        parent, child = add(parent, number, edge), add(child, number, edge)
        if parent == child:
            raise ValueError(f"edge {number} makes node {child!r} its own parent")
        if (parent, child) not in seen:
            seen.add((parent, child))
            children[parent].append(child)
            parents[child].append(parent)
    if not children:
        raise ValueError("`edges` is empty; a taxonomy without children is Taxonomy.flat([])")
    return children, parents


def check_label(label: Label, where: str) -> Label:
    """The label, if it can name a node."""
    if label is None or (isinstance(label, numbers.Real) and label != label):
        raise ValueError(f"{where}: {label!r} cannot be a label; every node needs one")
    try:
        hash(label)
    except TypeError:
        raise TypeError(
            f"{where}: label {label!r} is not hashable; use a string, a number or a tuple"
        ) from None
    return label


def _is_bool(label: Label) -> bool:
    return isinstance(label, bool | np.bool_)


def _single_root(
    children: dict[Label, list[Label]], parents: dict[Label, list[Label]], root: Label | None
) -> Label:
    """The one node without parents; several are put under a new one."""
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
    check_label(root, "`root`")
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


def _topological(
    children: dict[Label, list[Label]], parents: dict[Label, list[Label]], root: Label
) -> list[Label]:
    """Kahn's algorithm with a queue: level by level, siblings side by side."""
    waiting = {label: len(above) for label, above in parents.items()}
    order: list[Label] = []
    queue = deque([root])
    while queue:
        label = queue.popleft()
        order.append(label)
        for child in children[label]:
            waiting[child] -= 1
            if not waiting[child]:
                queue.append(child)
    return order


def _show_cycle(parents: dict[Label, list[Label]], ordered: set[Label]) -> str:
    """Walk upwards among the nodes that found no place until one comes back."""
    label = next(v for v in parents if v not in ordered)
    walk: dict[Label, None] = {}
    while label not in walk:
        walk[label] = None
        label = next(p for p in parents[label] if p not in ordered)
    seen = list(walk)
    cycle = [label, *reversed(seen[seen.index(label) :])]
    if len(cycle) > 12:
        return " -> ".join([*map(repr, cycle[:6]), "...", *map(repr, cycle[-5:])])
    return " -> ".join(map(repr, cycle))
