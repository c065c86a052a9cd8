"""Parsing of taxonomies: each function turns a description into nodes and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .errors import is_missing, short
from .graph import Label
from .paths import PathReader

Edges = list[tuple[Label, Label]]


def from_parents(parents: Mapping[Label, Label | None]) -> tuple[list[Label], Edges]:
    """`{child: parent}`; a missing parent marks a root."""
    if not isinstance(parents, Mapping):
        raise TypeError(
            f"`parents` must be {{child: parent}}, got {type(parents).__name__}; "
            "a Series has .to_dict()"
        )
    roots = [child for child, parent in parents.items() if is_missing(parent)]
    return roots, [(above, child) for child, above in parents.items() if not is_missing(above)]


def from_paths(paths: Any, reader: PathReader) -> None:
    """Add the paths of an iterable, or of a column of a dataframe."""
    table = hasattr(paths, "columns")  # a DataFrame would give its columns' names
    if isinstance(paths, str | Mapping) or table or not isinstance(paths, Iterable):
        raise TypeError(
            f"`paths` must be an iterable of paths, got {type(paths).__name__}; of a table take "
            "one column, df.path, or zip(df.first, df.second, ...)"
        )
    seen: set[tuple[Label, ...]] = set()
    several = None  # the first string of several names
    as_label = False  # whether one of them contains its label
    for number, path in enumerate(_items(paths)):
        if is_missing(path):
            continue
        try:
            names = reader.format.names(path)
            if isinstance(path, str) and len(names) > 1 and not as_label:
                several = path if several is None else several
                as_label = reader.format.whole and reader.format.labels(names)[-1] in path
            if not names or names in seen:
                continue
            label = None
            for name in names:
                label = reader.add(label, name)
            seen.add(names)
        except (TypeError, ValueError) as error:
            raise type(error)(f"path {number}: {error}") from None
    if not reader.tops:
        raise ValueError("`paths` holds no name; a taxonomy without children is Taxonomy.flat([])")
    if reader.format.whole and several is not None and not as_label:
        raise ValueError(
            f"{short(several)} is written with other spaces around {reader.format.separator!r}; "
            "include them in `separator`, so that labels are written as your paths are"
        )


def _items(column: Any) -> Iterable[Any]:
    """The values of a column of pandas, polars or pyarrow, or of any other iterable."""
    for method in ("to_pylist", "to_list"):
        if hasattr(column, method):
            items: Iterable[Any] = getattr(column, method)()
            return items
    items = column
    return items


def from_nested(nested: Mapping[Label, Any], reader: PathReader) -> None:
    """Add `{name: children}`, where children are a mapping, names, one string or None."""
    if not isinstance(nested, Mapping):
        raise TypeError(f"`nested` must be a mapping of mappings, got {type(nested).__name__}")
    name = reader.format.name
    # A stack instead of recursion, so that Python's recursion limit does not bound the depth.
    stack: list[tuple[Label | None, Iterator[tuple[Label, Any]]]] = [(None, iter(nested.items()))]
    while stack:
        parent, below = stack[-1]
        for child, deeper in below:
            stack.append((reader.add(parent, name(child)), _below(child, deeper)))
            break
        else:
            stack.pop()


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
        f"the value of {label!r} is {below!r}: it must be a mapping, an iterable of labels or None"
    )
