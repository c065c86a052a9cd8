"""A taxonomy as the kernels see it: integers in taxonomy order, no labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


class Arrays(NamedTuple):
    """A taxonomy of `n` nodes as arrays; node 0 is the root.

    Nodes stand in topological order, level by level, so nodes of one depth are a slice.
    Nodes with the very same parents are a *group*: they are trained and evaluated together.
    In a tree the groups are the sets of siblings.
    """

    parent_ptr: Ints  # (n + 1,): the parents of v are parent_index[parent_ptr[v]:parent_ptr[v+1]]
    parent_index: Ints
    depth: Ints  # (n,): the longest way from the root
    level_ptr: Ints  # (height + 2,): nodes of depth d are level_ptr[d]:level_ptr[d + 1]
    group: Ints  # (n,): the group of each node; the root's is -1
    groups: tuple[Ints, ...]  # the nodes of each group

    @property
    def n(self) -> int:
        return len(self.depth)


def build(parents: Sequence[tuple[int, ...]]) -> Arrays:
    """The arrays of nodes whose parents come before them, in O(nodes + edges)."""
    n = len(parents)
    parent_ptr = np.zeros(n + 1, dtype=np.intp)
    np.cumsum([len(p) for p in parents], out=parent_ptr[1:])
    parent_index = np.fromiter((p for ps in parents for p in ps), np.intp, int(parent_ptr[-1]))
    depth = np.zeros(n, dtype=np.intp)
    group = np.full(n, -1, dtype=np.intp)
    known: dict[tuple[int, ...], list[int]] = {}
    number: dict[tuple[int, ...], int] = {}
    for v in range(1, n):
        depth[v] = 1 + max(depth[p] for p in parents[v])
        known.setdefault(parents[v], []).append(v)
        group[v] = number.setdefault(parents[v], len(number))
    level_ptr = np.searchsorted(depth, np.arange(int(depth[-1]) + 2))
    groups = tuple(np.array(nodes, dtype=np.intp) for nodes in known.values())
    return Arrays(parent_ptr, parent_index, depth, level_ptr, group, groups)
