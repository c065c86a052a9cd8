"""The table of the nodes of taxonomies, and a taxonomy as arrays of integers, without labels."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .graph import Label

T = TypeVar("T")
Ints = NDArray[np.intp]


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
    """A taxonomy of `n` nodes as arrays, in taxonomy order.

    The parents of v are `parent_index[parent_ptr[v]:parent_ptr[v + 1]]`.
    """

    def __init__(self, parent_ptr: Ints, parent_index: Ints, depth: Ints) -> None:
        self.parent_ptr = parent_ptr
        self.parent_index = parent_index
        self.depth = depth

    def __reduce__(self) -> tuple[Any, ...]:
        return Arrays, (self.parent_ptr, self.parent_index, self.depth)

    @property
    def n(self) -> int:
        return len(self.depth)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """One for each depth, except that of the root."""
        return tuple(_levels(self.parent_ptr, self.parent_index, self.depth))

    @cached_property
    def closures(self) -> Closures:
        """For sums over all ancestors in a DAG: O(pairs of a node and an ancestor)."""
        ends, above = self.parent_ptr.tolist(), self.parent_index.tolist()
        closures: list[set[int]] = []
        for v in range(self.n):
            closures.append({v}.union(*(closures[u] for u in above[ends[v] : ends[v + 1]])))
        sizes = np.array([len(closure) for closure in closures])
        nodes = [v for closure in closures for v in sorted(closure)]
        return Closures(np.array(nodes, dtype=np.intp), sizes.cumsum() - sizes)

    @cached_property
    def groups(self) -> tuple[Ints, ...]:
        """The nodes with exactly the same parents, in a tree siblings; the root is in no group."""
        ends, above = self.parent_ptr.tolist(), self.parent_index.tolist()
        known: dict[tuple[int, ...], list[int]] = {}
        for v in range(1, self.n):
            known.setdefault(tuple(above[ends[v] : ends[v + 1]]), []).append(v)
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

    def __init__(self, labels: Sequence[Label], parents: Sequence[tuple[int, ...]]) -> None:
        self.labels = labels
        self.parents = parents
        self.index: dict[Label, int] = dict(zip(labels, range(len(labels)), strict=True))
        self._end = [len(labels)]  # where rows may be appended
        self._columns: list[Columns] = []

    def with_nodes(
        self, n: int, labels: Iterable[Label], parents: Iterable[tuple[int, ...]]
    ) -> NodeTable:
        """The first n rows and new ones: O(new), or O(n) if other rows have followed the first."""
        end = _take(self._end)
        if end is not None and end != n:
            self._end.append(end)
        table = self if end == n else NodeTable(self.labels[:n], self.parents[:n])
        if not (isinstance(table.labels, list) and isinstance(table.parents, list)):
            table.labels, table.parents = list(table.labels), list(table.parents)
        for label, above in zip(labels, parents, strict=True):
            table.index[label] = len(table.labels)
            table.labels.append(label)
            table.parents.append(above)
        table._end[:] = [len(table.labels)]
        return table

    def arrays(self, n: int) -> Arrays:
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

    def arrays(self, parents: Sequence[tuple[int, ...]], n: int) -> Arrays:
        for above, nodes in groupby(parents[len(self._depth) : n]):
            size, end = len(list(nodes)), self._ends[-1]
            depth = 1 + max((self._depth[p] for p in above), default=-1)
            self._above.extend(above * size)
            self._ends.extend(end + len(above) * i for i in range(1, size + 1))
            self._depth.extend([depth] * size)
        columns = self._ends[: n + 1], self._above[: self._ends[n]], self._depth[:n]
        return Arrays(*(np.array(column, dtype=np.intp) for column in columns))

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
