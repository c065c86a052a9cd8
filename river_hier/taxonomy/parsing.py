"""Parsing of taxonomies: each function turns a description into nodes and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from .graph import Label

Edges = list[tuple[Label, Label]]


def from_parents(parents: Mapping[Label, Label | None]) -> tuple[list[Label], Edges]:
    """`{child: parent}`; a parent of `None` marks a root."""
    if not isinstance(parents, Mapping):
        raise TypeError(
            f"`parents` must be {{child: parent}}, got {type(parents).__name__}; "
            "a Series has .to_dict()"
        )
    roots = [child for child, parent in parents.items() if parent is None]
    return roots, [(parent, child) for child, parent in parents.items() if parent is not None]


def from_paths(paths: Iterable[Iterable[Label]]) -> tuple[list[Label], Edges]:
    """`[(a, b, c), ...]`, each from the top downwards."""
    nodes: list[Label] = []
    edges: Edges = []
    for number, path in enumerate(paths):
        if isinstance(path, str) or not isinstance(path, Iterable):
            raise TypeError(f"path {number} is {path!r}: it must be a sequence of labels")
        labels = list(path)
        nodes += labels[:1]
        edges += pairwise(labels)
    return nodes, edges


def from_nested(nested: Mapping[Label, Any]) -> tuple[list[Label], Edges]:
    """`{label: children}`, where children are a mapping, labels, one string or None."""
    if not isinstance(nested, Mapping):
        raise TypeError(f"`nested` must be a mapping of mappings, got {type(nested).__name__}")
    edges: Edges = []
    # A stack instead of recursion, so that Python's recursion limit does not bound the depth.
    stack: list[tuple[Label, Iterator[tuple[Label, Any]]]] = [
        (label, _below(label, below)) for label, below in reversed(list(nested.items()))
    ]
    while stack:
        parent, below = stack[-1]
        for child, deeper in below:
            edges.append((parent, child))
            stack.append((child, _below(child, deeper)))
            break
        else:
            stack.pop()
    return list(nested), edges


def check_directed(g: Any) -> None:
    """Raise an error unless `g` is a directed networkx graph."""
    if not (hasattr(g, "is_directed") and g.is_directed()):
        kind = type(g).__name__
        raise TypeError(f"`g` must be a networkx.DiGraph, edges from parent to child, got {kind}")


def _below(label: Label, below: Any) -> Iterator[tuple[Label, Any]]:
    if below is None:
        return iter(())
    if isinstance(below, Mapping):
        return iter(below.items())
    if isinstance(below, str):
        return iter([(below, None)])
    if isinstance(below, Iterable):
        return iter([(child, None) for child in below])
    raise TypeError(
        f"below {label!r} stands {below!r}: it must be a mapping, an iterable of labels or None"
    )
