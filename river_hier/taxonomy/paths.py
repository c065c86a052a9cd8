"""Paths of names, from the top downwards: as strings with a separator, or as tuples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import is_missing, short
from .graph import Label, check_label

if TYPE_CHECKING:
    from .nodes import Nodes

Parents = tuple[tuple[int, ...], ...]


class PathFormat(NamedTuple):
    """How paths are written, and whether a node's label is its name or its whole path.

    The rules for reading a path are the same wherever one is read. In a string, `separator` stands
    between the names; spaces around it may be missing. Otherwise a path is a tuple of names.

    * Whitespace around a name is removed.
    * Empty and missing names at the end are ignored, as is a separator at the beginning of a
      string. Any other empty or missing name is an error.
    """

    separator: str | None
    whole: bool  # labels are paths

    @property
    def tuples(self) -> bool:
        """Whether labels are tuples, so that a tuple cannot be several labels."""
        return self.whole and self.separator is None

    def names(self, path: Any) -> tuple[Label, ...]:
        """The names on a path; none for an empty path."""
        if self.separator is not None:
            names = self._split(path)
        else:
            if isinstance(path, str | bytes | Set | Mapping) or not isinstance(path, Iterable):
                help_ = "; `separator` is for paths that are strings" * isinstance(path, str)
                raise TypeError(f"{short(path)} is not a tuple or list of names{help_}")
            names = [name.strip() if isinstance(name, str) else name for name in path]
        while names and is_empty(names[-1]):
            names.pop()
        for level, name in enumerate(names, start=1):
            if is_empty(name):
                raise ValueError(
                    f"{short(path)} has no name at level {level} of {len(names)}; "
                    "only names at the end may be missing"
                )
            check_label(name)
        return tuple(names)

    def _split(self, path: Any) -> list[Label]:
        assert self.separator is not None
        if not isinstance(path, str):
            raise TypeError(f"{short(path)} is not a string such as {f'a{self.separator}b'!r}")
        names = [name.strip() for name in path.split(self.separator.strip() or self.separator)]
        return names[1:] if not names[0] else names

    def show(self, names: Iterable[Label]) -> str:
        """A path as it is written, for messages."""
        return short(tuple(names) if self.separator is None else self.separator.join(names))

    def child(self, parent: Label | None, name: Label) -> Label:
        """The label of a node, from that of its parent; `None` at the top."""
        if not self.whole:
            return name
        if self.separator is None:
            return (name,) if parent is None else (*parent, name)
        return str(name) if parent is None else f"{parent}{self.separator}{name}"

    def labels(self, names: Iterable[Label]) -> list[Label]:
        """The labels of the nodes on a path."""
        labels: list[Label] = []
        for name in names:
            labels.append(self.child(labels[-1] if labels else None, name))
        return labels

    def name(self, value: Any) -> Label:
        """A single name."""
        names = self.names((value,) if self.separator is None else value)
        if len(names) != 1:
            holds = f" without {self.separator!r}" * (self.separator is not None)
            raise ValueError(f"{short(value)} must be one name{holds}")
        return names[0]

    def find(self, path: Any, nodes: Nodes) -> int | None:
        """The node of a path that is not spelled like a label; `None` if there is none."""
        if not isinstance(path, tuple if self.separator is None else str):
            return None
        labels = self.labels(self.names(path))
        if not labels or (node := nodes._known_index(labels[-1])) is None:
            return None
        if not self.whole and len(labels) > 1 and not nodes._is_star:
            self._check_edges(path, labels, nodes)
        return node

    def _check_edges(self, path: Any, labels: Sequence[Label], nodes: Nodes) -> None:
        """Raise an error unless these names follow one another, from the top."""
        found, parents = [nodes._known_index(label) for label in labels], nodes._implied_rows
        if found[0] is None or not (found[0] == 0 or 0 in parents[found[0]]):
            raise ValueError(f"{short(path)} is not a path here: {labels[0]!r} is not at the top")
        for (above, u), (below, v) in pairwise(zip(labels, found, strict=True)):
            if v is None or u not in parents[v]:
                raise ValueError(
                    f"{short(path)} is not a path here: {below!r} is not below {above!r}"
                )


TUPLES = PathFormat(None, whole=False)


class PathReader:
    """Collects the edges of paths, and raises an error if a name is in two places."""

    def __init__(self, separator: str | None, labels: str) -> None:
        check_separator(separator)
        if labels not in ("name", "path"):
            raise ValueError(f'`labels` must be "name" or "path", got {labels!r}')
        self.format: PathFormat = PathFormat(separator, labels == "path")
        self.tops: list[Label] = []
        self.edges: list[tuple[Label, Label]] = []
        self._places: dict[Label, tuple[Label, Label | None]] = {}  # name and parent

    def add(self, parent: Label | None, name: Label) -> Label:
        """Add the name below the node with the label `parent`; returns the label of its node."""
        label = self.format.child(parent, name)
        _, first = self._places.setdefault(label, (name, parent))
        if first != parent:
            one, other = (self.format.show([*self._path(p), name]) for p in (first, parent))
            raise ValueError(
                f'the name {name!r} is in two places, {one} and {other}; labels="path" makes a '
                "node of each, whose label is its whole path"
            )
        if parent is None:
            self.tops.append(label)
        else:
            self.edges.append((parent, label))
        return label

    def _path(self, label: Label | None) -> list[Label]:
        """The names down to a node, where labels are names."""
        names = []
        while label is not None:
            name, label = self._places[label]
            names.append(name)
        return names[::-1]


def check_separator(separator: Any) -> None:
    """Raise an error unless this is a string or None."""
    if separator is not None and not isinstance(separator, str):
        raise TypeError(f"`separator` must be a string or None, got {separator!r}")
    if separator == "":
        raise ValueError("`separator` must not be empty; None is for paths that are tuples")


def is_empty(name: Any) -> bool:
    """Whether there is no name: an empty string or a missing value."""
    return (isinstance(name, str) and not name) or is_missing(name)
