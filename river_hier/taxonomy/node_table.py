"""The table of nodes that a taxonomy shares with those that have grown from it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np

from .arrays import Arrays
from .graph import Label

T = TypeVar("T")


class NodeTable:
    """A label and the numbers of the parents of each node, parents first.

    Rows are appended, never changed: a taxonomy of n nodes is the first n rows, and `index` may
    have further labels, whose numbers are at least n. To append, or to compute columns, one takes
    what is in a list, and puts it back afterwards. Who finds it empty, beside another thread or
    after an interrupt, works on a copy.
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
