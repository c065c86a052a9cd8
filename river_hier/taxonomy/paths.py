"""Paths of names, from the top downwards: as strings with a separator, or as tuples."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import is_missing, short
from .evidence import Below
from .graph import DEFAULT_ROOT, Label, check_label

if TYPE_CHECKING:
    from .nodes import Nodes


class PathFormat(NamedTuple):
    """How paths are written, and whether a node's label is its name or its whole path.

    `Taxonomy.from_paths` has the rules, which are the same wherever a path is read.
    """

    separator: str | None
    whole: bool  # labels are paths

    def names(self, path: Any) -> tuple[Label, ...]:
        """The names on a path; none for an empty path."""
        mark = self.separator and (self.separator.strip() or self.separator)
        if mark and isinstance(path, str):
            names = [name.strip() for name in path.split(mark)]
            names = names[1:] if not names[0] else names
            if all(names):  # nearly always
                return tuple(names)
        elif isinstance(path, str | bytes | Set | Mapping) or not isinstance(path, Iterable):
            help_ = "; `separator` is for paths that are strings" * isinstance(path, str)
            help_ = f", or a string such as {f'a{self.separator}b'!r}" if mark else help_
            raise TypeError(f"{short(path)} is not a tuple or list of names{help_}")
        else:
            names = [name.strip() if isinstance(name, str) else name for name in path]
        while names and is_empty(names[-1]):
            names.pop()
        for level, name in enumerate(names, start=1):
            if is_empty(name):
                raise ValueError(
                    f"{short(path)} has no name at level {level} of {len(names)}; "
                    "only names at the end may be missing"
                )
            if mark and not (isinstance(name, str) and mark not in name):
                raise ValueError(f"{short(name)} in {short(path)} is not a name without {mark!r}")
            check_label(name)
        return tuple(names)

    def show(self, names: Iterable[Label]) -> str:
        """A path as it is written, for messages."""
        return short(tuple(names) if self.separator is None else self.separator.join(names))

    def child(self, parent: Label | None, name: Label) -> Label:
        """The label of a node, from that of its parent; `None` at the top."""
        if not self.whole:
            return name
        if self.separator is None:
            return (name,) if parent is None else (*parent, name)
        return name if parent is None else f"{parent}{self.separator}{name}"

    def labels(self, names: tuple[Label, ...]) -> Iterator[Label]:
        """The labels of the nodes on a path."""
        return (self.label(names[:depth]) for depth in range(1, len(names) + 1))

    def label(self, names: tuple[Label, ...]) -> Label:
        """The label of the node at the end of a path: the memory of all of them is quadratic."""
        if not self.whole:
            return names[-1]
        return names if self.separator is None else self.separator.join(map(str, names))

    def name(self, value: Any) -> Label:
        """A single name."""
        if not (names := self.names((value,))):
            raise ValueError(f"{short(value)} must be one name")
        return names[0]

    def find(self, path: Any, nodes: Nodes) -> int | None:
        """The node of a path that is not spelled like a label; `None` if there is none."""
        if not isinstance(path, tuple) and not (self.separator and isinstance(path, str)):
            return None
        names = self.names(path)
        if not (names or self.whole) or (node := nodes._arrays.number(self.label(names))) is None:
            return None
        if self.whole or len(names) == 1 or nodes._arrays.is_star:
            return node
        parents = nodes._arrays.implied_rows
        numbers = [nodes._arrays.number(name) for name in names]
        if numbers[0] is None or not (numbers[0] == 0 or 0 in parents[numbers[0]]):
            raise ValueError(f"{short(path)} is not a path here: {names[0]!r} is not at the top")
        for (above, u), (below, v) in pairwise(zip(names, numbers, strict=True)):
            if v is None or u not in parents[v]:
                raise ValueError(
                    f"{short(path)} is not a path here: {below!r} is not below {above!r}"
                )
        return node


TUPLES = PathFormat(None, whole=False)


class PathReader:
    """Collects the edges of paths, and raises an error if a name is in two places."""

    def __init__(self, separator: str | None, labels: str) -> None:
        check_separator(separator)
        if labels not in ("name", "path"):
            raise ValueError(f'`labels` must be "name" or "path", got {labels!r}')
        self.format: PathFormat = PathFormat(separator, labels == "path")
        self.top: Label | None = None  # a root that is not on the paths
        self._parents: dict[Label, Label | None] = {}  # None at the top
        self._spelled: dict[Label, Label] = {}  # inner nodes, so that children share their parent's

    @property
    def tops(self) -> list[Label]:
        """The nodes without parents."""
        at_top = [label for label, parent in self._parents.items() if parent is None]
        return at_top if self.top is None else [self.top]

    @property
    def edges(self) -> Iterator[tuple[Label, Label]]:
        """The pairs of a parent and a child, those of a root that is on no path first."""
        if self.top is not None:
            yield from ((self.top, v) for v, parent in self._parents.items() if parent is None)
        yield from ((parent, v) for v, parent in self._parents.items() if parent is not None)

    def add(self, parent: Label | None, name: Label) -> Label:
        """Add the name below the node with the label `parent`; returns the label of its node."""
        label = self.format.child(parent, name)
        if parent is not None:
            parent = self._spelled.setdefault(parent, parent)
        first = self._parents.setdefault(label, parent)
        if first is not parent and first != parent:
            one, other = (self.format.show([*self._path(p), name]) for p in (first, parent))
            raise ValueError(
                f'the name {name!r} is in two places, {one} and {other}; labels="path" makes a '
                "node of each, whose label is its whole path"
            )
        return label

    def add_paths(self, paths: Any, min_count: int, root: Label | None) -> None:
        """Add the paths of an iterable, or of one or more columns of a dataframe.

        Of each path, the part is added that at least `min_count` paths begin with.
        """
        if hasattr(paths, "columns"):
            columns = getattr(paths, "column_names", paths.columns)
            paths = zip(*(_items(paths[name]) for name in columns), strict=True)
        if isinstance(paths, str | Mapping) or not isinstance(paths, Iterable):
            raise TypeError(f"`paths` must be an iterable of paths, got {type(paths).__name__}")
        if not isinstance(min_count, int) or min_count < 1:
            raise ValueError(f"`min_count` must be an integer of at least 1, got {min_count!r}")
        counts: dict[tuple[Label, ...], list[int]] = {}  # if they are counted: first number, times
        deep, several, as_label = False, None, False  # a string of names; whether one is its label
        for number, path in enumerate(_items(paths)):
            path = path.label if type(path) is Below else path
            if is_missing(path):
                continue
            try:
                names = self.format.names(path)
                deep = deep or len(names) > 1
                if isinstance(path, str) and len(names) > 1 and not as_label:
                    several = path if several is None else several
                    as_label = self.format.whole and self.format.label(names) in path
                if min_count == 1:
                    self._add_path(names)
                elif names:
                    counts.setdefault(names, [number, 0])[1] += 1
            except (TypeError, ValueError) as error:
                raise at_path(number, error) from None
        if self.format.separator is not None and not deep:
            flat = [*counts] if min_count > 1 else [(name,) for name in self._parents]
            if len(flat) > 1:
                warnings.warn(
                    f"the separator {self.format.separator!r} occurs in no path, so that the "
                    f"taxonomy is flat: {short(flat[0][0])}, ...",
                    stacklevel=3,
                )
        sizes = Counter[tuple[Label, ...]]()
        for names, (_, n) in counts.items():
            sizes.update({names[:k]: n for k in range(1, len(names) + 1)})
        for names, (number, _) in counts.items():
            kept = [name for k, name in enumerate(names, 1) if sizes[names[:k]] >= min_count]
            try:
                self._add_path(kept)
            except ValueError as error:
                raise at_path(number, error) from None
            if not kept:  # it belongs to the root, which must not be another category
                self.top = DEFAULT_ROOT if root is None else root
        if counts and not self._parents:
            raise ValueError(
                f"no category has `min_count` paths, {min_count}; choose a smaller one"
            )
        if not self._parents:
            raise ValueError(
                "`paths` holds no name; a taxonomy without children is Taxonomy.flat([])"
            )
        if self.format.whole and several is not None and not as_label:
            raise ValueError(
                f"{short(several)} is written with other spaces around {self.format.separator!r}; "
                "include them in `separator`, so that labels are written as your paths are"
            )

    def add_nested(self, nested: Mapping[Label, Any], root: Label | None = None) -> None:
        """Add `{name: children}`, where children are a mapping, names, one string or None."""
        if not isinstance(nested, Mapping):
            raise TypeError(f"`nested` must be a mapping of mappings, got {type(nested).__name__}")
        name = self.format.name
        # A stack instead of recursion, so that Python's recursion limit does not bound the depth.
        stack: list[tuple[Any, Iterator[tuple[Label, Any]]]] = [(None, iter(nested.items()))]
        while stack:
            parent, below = stack[-1]
            for child, deeper in below:
                stack.append((self.add(parent, name(child)), _below(child, deeper)))
                break
            else:
                stack.pop()
        if root is not None and self.tops != [root]:
            self.top = root

    def _add_path(self, names: Iterable[Label]) -> None:
        label = None
        for name in names:
            label = self.add(label, name)

    def _path(self, label: Label | None) -> list[Label]:
        """The names down to a node, where labels are names."""
        names = []
        while label is not None:
            names.append(label)
            label = self._parents[label]
        return names[::-1]


def at_path(number: int, error: Exception) -> Exception:
    """The error with the number of the path in front."""
    return type(error)(f"path {number}: {error}")


def check_separator(separator: Any) -> None:
    """Raise an error unless this is a string or None."""
    if separator is not None and not isinstance(separator, str):
        raise TypeError(f"`separator` must be a string or None, got {separator!r}")
    if separator == "":
        raise ValueError("`separator` must not be empty; None is for paths that are tuples")


def is_empty(name: Any) -> bool:
    """Whether there is no name: an empty string or a missing value."""
    return (isinstance(name, str) and not name) or is_missing(name)


def _items(column: Any) -> Iterable[Any]:
    """The values of a column of pandas, polars or pyarrow, or of any other iterable."""
    names = (name for name in ("to_pylist", "to_list", "tolist") if hasattr(column, name))
    return getattr(column, next(names, ""), lambda: column)()


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
