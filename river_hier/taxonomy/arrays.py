"""The nodes of a taxonomy by number, as lists and arrays, and the table that taxonomies share."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .graph import Label, reach

T = TypeVar("T")
Ints = NDArray[np.intp]
Parents = tuple[tuple[int, ...], ...]


class Level(NamedTuple):
    """The nodes of one depth, and their parents, those of the first node first."""

    nodes: slice | Ints  # a slice if they are adjacent
    parents: Ints
    starts: Ints | None  # where the parents of each node start; None if each has one


class Closures(NamedTuple):
    """The ancestors of each node and the node itself, those of the first node first."""

    nodes: Ints
    starts: Ints


class Arrays:
    """The inside of a taxonomy: its `n` nodes by number, in taxonomy order.

    The parents of v are `parents[v]`, or `parent_index[parent_ptr[v]:parent_ptr[v + 1]]`.
    What takes O(n) is computed when it is first read.
    """

    reader: Any = None  # see `_core.labels_of`

    def __init__(self, table: NodeTable, n: int, implied: Parents | None = None) -> None:
        self.table = table  # of which the first n rows are here
        self.n = n
        self.implied = implied  # the parents before `flatten`

    @classmethod
    def of(
        cls,
        nodes: Sequence[Label],
        parents: Parents,
        implied: Parents | None = None,
        aliases: Mapping[Label, int] | None = None,
    ) -> Arrays:
        table = NodeTable(nodes, parents, aliases or {})
        return cls(table, len(nodes), None if implied == parents else implied)

    def __reduce__(self) -> tuple[Any, ...]:
        return Arrays.of, self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        return self.nodes, self.parents, self.implied, self.aliases

    def __setstate__(self, parts: tuple[Any, ...]) -> None:  # by skops
        vars(self).update(vars(Arrays.of(*parts)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Arrays:
        return self

    def with_nodes(self, labels: Sequence[Label], parents: Iterable[tuple[int, ...]]) -> Arrays:
        """These nodes, which were not flattened, and new ones: O(new nodes)."""
        return Arrays(self.table.with_nodes(self.n, labels, parents), self.n + len(labels))

    def extends(self, other: Arrays) -> bool:
        """Whether these are the other nodes and new ones, all of them the last."""
        n = other.n
        if self.table is other.table:
            return self.n >= n
        return (
            self.nodes[:n] == other.nodes
            and self.parents[:n] == other.parents
            and self.implied_parents[:n] == other.implied_parents
        )

    # Labels

    @cached_property
    def nodes(self) -> tuple[Label, ...]:
        return tuple(self.table.labels[: self.n])

    def label(self, v: int) -> Label:
        return self.table.labels[v]

    def labels(self, nodes: Iterable[int]) -> tuple[Label, ...]:
        return tuple(map(self.table.labels.__getitem__, nodes))

    def number(self, label: Label) -> int | None:
        """The node of a label, spelled as in the taxonomy; None if there is no such label."""
        v = self.table.index.get(label)
        return None if v is None or v >= self.n else v

    def numbers(self, labels: Iterable[Label]) -> list[int]:
        """The nodes of labels, spelled as in the taxonomy; a `KeyError` if one is unknown."""
        numbers = list(map(self.table.index.__getitem__, labels))
        if numbers and max(numbers) >= self.n:
            raise KeyError("a label of a later taxonomy")
        return numbers

    @property
    def aliases(self) -> dict[Label, int]:
        """The nodes of labels that were edited away, and are still read."""
        return {label: v for label, v in self.table.aliases.items() if v < self.n}

    # Parents and children

    @cached_property
    def parents(self) -> Parents:
        return tuple(self.table.parents[: self.n])

    @property
    def implied_parents(self) -> Parents:
        """The parents before `flatten`, which are on in a closed y with their nodes."""
        return self.implied or self.parents

    @property
    def rows(self) -> Sequence[tuple[int, ...]]:
        """Like `parents`, but O(1): there may be further rows."""
        return self.table.parents

    @property
    def implied_rows(self) -> Sequence[tuple[int, ...]]:
        """Like `implied_parents`, but O(1): there may be further rows."""
        return self.implied or self.table.parents

    def rows_from(self, first: int) -> tuple[Any, ...]:
        """The labels of the nodes from `first` on, their parents, and the implied ones."""
        columns = self.table.labels, self.rows, self.implied_rows
        return tuple(column[first : self.n] for column in columns)

    def children_of(self, v: int) -> tuple[int, ...]:
        """The children of a node: O(children)."""
        return self.table.children(v, self.n)

    @cached_property
    def children(self) -> Parents:
        """The children of each node."""
        child = np.repeat(np.arange(self.n), np.diff(self.parent_ptr))
        below = tuple(child[np.argsort(self.parent_index, kind="stable")].tolist())
        ends = np.bincount(self.parent_index, minlength=self.n).cumsum().tolist()
        return tuple(below[a:z] for a, z in pairwise((0, *ends)))

    @property
    def leaves(self) -> Ints:
        """The nodes without children."""
        is_leaf = np.ones(self.n, dtype=bool)
        is_leaf[self.parent_index] = False
        return np.flatnonzero(is_leaf)

    @property
    def inner(self) -> tuple[Label, ...]:
        """The labels with children."""
        return tuple(self.nodes[v] for v, below in enumerate(self.children) if below)

    def branch(self, v: int) -> NDArray[np.uint32]:
        """A node and its descendants, without the root."""
        return np.array(sorted({v, *reach(self.children, v)} - {0}), dtype=np.uint32)

    @property
    def is_tree(self) -> bool:
        """Whether no node has more than one parent."""
        return len(self.parent_index) == self.n - 1

    @property
    def is_star(self) -> bool:
        """Whether all nodes are children of the root, also before `flatten`."""
        return self.implied is None and len(self.children[0]) == self.n - 1

    def check_tree(self) -> None:
        """Raise an error that names a node with several parents, if there is one."""
        if not self.is_tree:
            for v in range(self.n):
                self.parent(v)

    def parent(self, v: int) -> int | None:
        """The parent of a node of a tree; None for the root."""
        above = self.table.parents[v]
        if len(above) > 1:
            one, other, *_ = self.labels(above)
            raise ValueError(
                f"node {self.label(v)!r} has {len(above)} parents ({one!r}, {other!r}"
                f"{', ...' * (len(above) > 2)}), and this is defined in trees only. Multilabel "
                "models take a DAG. If a tree was intended: edges are (parent, child) pairs, and "
                'Taxonomy.from_paths(paths, labels="path") tells nodes of the same name apart'
            )
        return above[0] if above else None

    def path(self, v: int) -> list[int]:
        """The path from the root to a node of a tree."""
        path = [v]
        while (above := self.parent(path[-1])) is not None:
            path.append(above)
        return path[::-1]

    # Arrays

    @cached_property
    def _columns(self) -> tuple[Ints, Ints, Ints]:
        return self.table.columns(self.n)

    @property
    def parent_ptr(self) -> Ints:
        return self._columns[0]

    @property
    def parent_index(self) -> Ints:
        return self._columns[1]

    @property
    def depth(self) -> Ints:
        return self._columns[2]

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """One for each depth, except that of the root."""
        return tuple(_levels(self.parent_ptr, self.parent_index, self.depth))

    @cached_property
    def closures(self) -> Closures:
        """For sums over all ancestors in a DAG: O(pairs of a node and an ancestor)."""
        closures: list[set[int]] = []
        for v, above in enumerate(self.parents):
            closures.append({v}.union(*(closures[u] for u in above)))
        sizes = np.array([len(closure) for closure in closures])
        nodes = [v for closure in closures for v in sorted(closure)]
        return Closures(np.array(nodes, dtype=np.intp), sizes.cumsum() - sizes)

    @cached_property
    def groups(self) -> tuple[Ints, ...]:
        """The nodes with exactly the same parents, in a tree siblings; the root is in no group."""
        known: dict[tuple[int, ...], list[int]] = {}
        for v, above in enumerate(self.parents):
            known.setdefault(above, []).append(v)
        del known[()]
        return tuple(np.array(nodes) for nodes in known.values())


def _levels(parent_ptr: Ints, parent_index: Ints, depth: Ints) -> Iterator[Level]:
    order = np.argsort(depth, kind="stable")
    ends = np.searchsorted(depth[order], np.arange(depth.max() + 2)).tolist()
    for a, z in pairwise(ends[1:]):
        nodes = order[a:z]
        sizes = parent_ptr[nodes + 1] - parent_ptr[nodes]
        starts = sizes.cumsum() - sizes
        first = np.repeat(parent_ptr[nodes] - starts, sizes)
        parents = parent_index[first + np.arange(len(first))]
        side_by_side = int(nodes[-1]) - int(nodes[0]) + 1 == z - a
        yield Level(
            slice(int(nodes[0]), int(nodes[0]) + z - a) if side_by_side else nodes,
            parents,
            None if len(parents) == z - a else starts,
        )


class NodeTable:
    """A label and the numbers of the parents of each node, shared by taxonomies that grow.

    Rows are appended, never changed: a taxonomy of n nodes is the first n rows. To append, or to
    compute columns, one takes what is in a list, and puts it back afterwards. Who finds it empty,
    beside another thread or after an interrupt, works on a copy.
    """

    def __init__(
        self,
        labels: Sequence[Label],
        parents: Sequence[tuple[int, ...]],
        aliases: Mapping[Label, int],
    ) -> None:
        self.labels = labels
        self.parents = parents
        self.index: dict[Label, int] = dict(zip(labels, range(len(labels)), strict=True))
        self.aliases: dict[Label, int] = {}
        for label, v in aliases.items():
            self.read(label, v)
        self._end = [len(labels)]  # where rows may be appended
        self._columns: list[Columns] = []

    def with_nodes(
        self, n: int, labels: Iterable[Label], parents: Iterable[tuple[int, ...]]
    ) -> NodeTable:
        """The first n rows and new ones: O(new), or O(n) if other rows have followed the first."""
        end = _take(self._end)
        if end is not None and end != n:
            self._end.append(end)
        table = self if end == n else NodeTable(self.labels[:n], self.parents[:n], self.aliases)
        if not (isinstance(table.labels, list) and isinstance(table.parents, list)):
            table.labels, table.parents = list(table.labels), list(table.parents)
        for label, above in zip(labels, parents, strict=True):
            table.index[label] = len(table.labels)
            table.labels.append(label)
            table.parents.append(above)
        table._end[:] = [len(table.labels)]
        return table

    def read(self, label: Label, v: int) -> None:
        """Read a label as that of a node that has another one, unless it is one itself."""
        if label not in self.index:
            self.index[label] = self.aliases[label] = v

    def columns(self, n: int) -> tuple[Ints, Ints, Ints]:
        """The first n rows as arrays: the rows since the last call are computed one by one."""
        columns = _take(self._columns) or Columns()
        arrays = columns.arrays(self.parents, n)
        self._columns[:] = [columns]
        return arrays

    def children(self, v: int, n: int) -> tuple[int, ...]:
        """The children of a node among the first n nodes: O(children), and what is new."""
        columns = _take(self._columns) or Columns()
        children = columns.children(self.parents, v, n)
        self._columns[:] = [columns]
        return children


class Columns:
    """The arrays and the children of the first nodes of a table, as far as they were needed."""

    def __init__(self) -> None:
        self._depth, self._above, self._ends = array("q"), array("q"), array("q", [0])
        self._children: dict[int, list[int]] = {}
        self._linked = 0  # the nodes that are among the children of their parents

    def arrays(self, parents: Sequence[tuple[int, ...]], n: int) -> tuple[Ints, Ints, Ints]:
        for above, nodes in groupby(parents[len(self._depth) : n]):
            size, end = len(list(nodes)), self._ends[-1]
            depth = 1 + max((self._depth[p] for p in above), default=-1)
            self._above.extend(above * size)
            self._ends.extend(end + len(above) * i for i in range(1, size + 1))
            self._depth.extend([depth] * size)
        ptr, index, level = self._ends[: n + 1], self._above[: self._ends[n]], self._depth[:n]
        return np.array(ptr, np.intp), np.array(index, np.intp), np.array(level, np.intp)

    def children(self, parents: Sequence[tuple[int, ...]], v: int, n: int) -> tuple[int, ...]:
        for u in range(self._linked, n):
            for p in parents[u]:
                self._children.setdefault(p, []).append(u)
        self._linked = max(self._linked, n)
        below = self._children.get(v, [])
        return tuple(below[: bisect_left(below, n)])


def _take(box: list[T]) -> T | None:
    """What is in the list; one thread gets it."""
    try:
        return box.pop()
    except IndexError:
        return None
