"""A taxonomy as arrays of integers in taxonomy order, without labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """A taxonomy of `n` nodes as arrays; node 0 is the root.

    Nodes are sorted topologically: the parents of v are `parent_index[parent_ptr[v]:parent_ptr[v +
    1]]`. `depth` is the length of the longest path from the root.
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
        """The nodes with exactly the same parents; the root is in no group.

        They are trained and evaluated together. In a tree the groups are the sets of siblings.
        """
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
