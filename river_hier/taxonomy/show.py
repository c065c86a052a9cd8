"""A taxonomy as text and as HTML."""

from __future__ import annotations

import html
import numbers
from collections.abc import Iterator, Sequence
from operator import add
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .nodes import Nodes

# The most nodes that a notebook shows, the first ones in taxonomy order.
_MOST_NODES, _DEEPEST = 2_000, 30
_OPEN = 2  # depths that a notebook unfolds


class Text(str):
    """A string whose repr is the string itself, so that interactive sessions show its lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Entry(NamedTuple):
    """A node below one of its parents, or nodes that are left out (`node` is None)."""

    text: str
    node: int | None
    depth: int
    last: bool  # of its siblings
    folded: bool  # its children are not shown


def text(taxonomy: Nodes, max_depth: int | None, notes: Sequence[str] = ()) -> Text:
    """One line for each node, with its note."""
    whole = isinstance(max_depth, numbers.Integral) and not isinstance(max_depth, bool)
    if max_depth is not None and not (whole and max_depth >= 0):
        raise ValueError(f"`max_depth` must be an integer of at least 0 or None, got {max_depth!r}")
    lines: list[str] = []
    bars: list[str] = []  # the text to the left of the nodes of each depth
    for entry in _entries(taxonomy, len(taxonomy), max_depth, notes):
        del bars[max(entry.depth - 1, 0) :]
        branch = "" if entry.depth == 0 else "└── " if entry.last else "├── "
        lines.append("".join(bars) + branch + entry.text)
        if entry.depth:
            bars.append("    " if entry.last else "│   ")
    return Text("\n".join(lines))


def page(taxonomy: Nodes, notes: Sequence[str] = ()) -> str:
    """Nested lists, which can be unfolded, with a note at each node."""
    parts = [f"<div><small>{html.escape(repr(taxonomy))}</small>"]
    depth = -1  # of the list that is open
    for entry in _entries(taxonomy, _MOST_NODES, _DEEPEST, notes):
        while depth >= entry.depth:
            parts.append("</ul></details></li>" if depth else "</ul></details>")
            depth -= 1
        name = html.escape(entry.text)
        leaf = entry.node is None or entry.folded or not taxonomy._arrays.children[entry.node]
        if leaf:
            parts.append(f"<li>{name}</li>" if entry.depth else f"<div>{name}</div>")
            continue
        opened = " open" if entry.depth < _OPEN else ""
        parts.append("<li>" if entry.depth else "")
        parts.append(f"<details{opened}><summary>{name}</summary>")
        parts.append('<ul style="list-style: none; margin: 0; padding-left: 1.5em">')
        depth = entry.depth
    parts.append("</ul></details></li>" * max(depth, 0) + "</ul></details>" * (depth >= 0))
    return "".join([*parts, "</div>"])


def names(taxonomy: Nodes) -> list[str]:
    """The label of each node as text; of paths, only the part after the parent's."""
    written = taxonomy._path_format
    names = []
    for label, above in zip(taxonomy.nodes, taxonomy._arrays.parents, strict=True):
        parent = taxonomy.nodes[above[0]] if above else None
        if written.whole and isinstance(label, tuple) and label[:-1] in (parent, ()):
            label = label[-1] if label else label
        elif written.whole and isinstance(label, str):
            label = label.removeprefix(f"{parent}{written.separator}")
        name = str(label)
        names.append(name if name and name.isprintable() else repr(label))
    return names


def _entries(
    taxonomy: Nodes, most: int, max_depth: int | None, notes: Sequence[str]
) -> Iterator[Entry]:
    """Every node below its first parent, and its name below others; the first `most` nodes."""
    label, below = names(taxonomy), taxonomy._arrays.children
    noted = [*map(add, label, notes)] if notes else label
    stack = [Entry(noted[0], 0, 0, True, False)]
    while stack:
        entry = stack.pop()
        v = entry.node
        if v is None or entry.folded:
            yield entry
            continue
        shown = [c for c in below[v] if c < most] if entry.depth != max_depth else []
        if below[v] and not shown:
            hidden = len(taxonomy.descendants(taxonomy.nodes[v]))
            yield entry._replace(text=f"{entry.text} (+{hidden:,})", folded=True)
            continue
        yield entry
        children = []
        for c in shown:
            first = taxonomy._arrays.parents[c][0]
            see = "" if first == v else f" (see {label[first]})"
            children.append(Entry(noted[c] + see, c, entry.depth + 1, False, first != v))
        if len(shown) < len(below[v]):
            more = f"(+{len(below[v]) - len(shown):,} children)"
            children.append(Entry(more, None, entry.depth + 1, False, True))
        if children:
            children[-1] = children[-1]._replace(last=True)
        stack += reversed(children)
