"""The table of nodes that a taxonomy shares with those that have grown from it."""

from __future__ import annotations

import os
import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from .arrays import Arrays
from .graph import Label

# Of all changes, which are short. A signal handler or a finalizer in the middle of one may call the
# taxonomy again; it gets a copy of the table.
_lock: Any = threading.RLock()
if hasattr(os, "register_at_fork"):  # the child does not have the thread that may hold the lock
    os.register_at_fork(after_in_child=_lock._at_fork_reinit)


class NodeTable:
    """A label and the numbers of the parents of each node, parents first.

    Rows are appended, never changed: a taxonomy of n nodes is the first n rows, and `index` may
    have further labels, whose numbers are at least n.
    """

    def __init__(self, labels: Sequence[Label], parents: Sequence[tuple[int, ...]]) -> None:
        self.labels = labels
        self.parents = parents
        self.index: dict[Label, int] = dict(zip(labels, range(len(labels)), strict=True))
        # Columns of the arrays and the children of each node, as far as they have been computed.
        self._depth, self._above, self._ends = array("q"), array("q"), array("q", [0])
        self._children: dict[int, list[int]] = {}
        self._linked = 0  # the nodes that are among the children of their parents

    def with_nodes(
        self, n: int, labels: Iterable[Label], parents: Iterable[tuple[int, ...]]
    ) -> NodeTable:
        """The first n rows and new ones: O(new), or O(n) if other rows have followed the first."""
        again = _lock._is_owned()
        with _lock:
            table = self
            if again or not len(self.labels) == len(self.parents) == len(self.index) == n:
                table = self._first(n)
            if not (isinstance(table.labels, list) and isinstance(table.parents, list)):
                table.labels, table.parents = list(table.labels), list(table.parents)
            for label, above in zip(labels, parents, strict=True):
                table.index[label] = len(table.labels)
                table.labels.append(label)
                table.parents.append(above)
            return table

    def arrays(self, n: int) -> Arrays:
        """The first n rows as arrays: the rows since the last call are computed one by one."""
        if _lock._is_owned():
            return self._first(n)._arrays(n)
        with _lock:
            return self._arrays(n)

    def children(self, v: int, n: int) -> tuple[int, ...]:
        """The children of a node among the first n nodes: O(children), and what is new."""
        if _lock._is_owned():
            return self._first(n)._children_of(v, n)
        with _lock:
            return self._children_of(v, n)

    def _first(self, n: int) -> NodeTable:
        """A table of the first n rows."""
        return NodeTable(self.labels[:n], self.parents[:n])

    def _arrays(self, n: int) -> Arrays:
        del self._ends[len(self._depth) + 1 :]  # if a call was interrupted
        del self._above[self._ends[-1] :]
        for above, nodes in groupby(self.parents[len(self._depth) : n]):
            size, end = len(list(nodes)), self._ends[-1]
            depth = 1 + max((self._depth[p] for p in above), default=-1)
            self._above.extend(above * size)
            self._ends.extend(end + len(above) * i for i in range(1, size + 1))
            self._depth.extend([depth] * size)  # the last, as it says how far the rows are
        columns = self._ends[: n + 1], self._above[: self._ends[n]], self._depth[:n]
        return Arrays(*(np.array(column, dtype=np.intp) for column in columns))

    def _children_of(self, v: int, n: int) -> tuple[int, ...]:
        for u in range(self._linked, n):
            for p in self.parents[u]:
                below = self._children.setdefault(p, [])
                if not below or below[-1] < u:  # else a call was interrupted
                    below.append(u)
            self._linked = u + 1
        below = self._children.get(v, [])
        return tuple(below[: bisect_left(below, n)])
