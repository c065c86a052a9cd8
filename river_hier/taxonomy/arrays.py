"""A taxonomy as arrays of integers in taxonomy order, without labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


class Level(NamedTuple):
    """The nodes of one depth, and their parents, those of the first node first."""

    nodes: slice | Ints  # a slice if they are adjacent
    parents: Ints
    starts: Ints | None  # where the parents of each node start; None if each has one


class Arrays(NamedTuple):
    """A taxonomy of `n` nodes as arrays; node 0 is the root.

    Nodes are sorted topologically. Nodes with exactly the same parents are a *group*: they are
    trained and evaluated together. In a tree the groups are the sets of siblings.
    """

    parent_ptr: Ints  # (n + 1,): the parents of v are parent_index[parent_ptr[v]:parent_ptr[v+1]]
    parent_index: Ints
    depth: Ints  # (n,): the length of the longest path from the root
    levels: tuple[Level, ...]  # one for each depth, except that of the root
    groups: tuple[Ints, ...]  # the nodes of each group; the root is in none

    @property
    def n(self) -> int:
        return len(self.depth)


def build(parents: Sequence[tuple[int, ...]]) -> Arrays:
    """Build the arrays of nodes that are sorted topologically, in O(nodes + edges).

    Siblings are often adjacent, so most of the work is done per family instead of per node: an
    open flat taxonomy, a single large family, is rebuilt for every new label.
    """
    families = [(above, len(list(nodes))) for above, nodes in groupby(parents)]
    sizes = [size for _, size in families]
    depth: list[int] = []
    known: dict[tuple[int, ...], list[Ints]] = {}
    for above, size in families:
        known.setdefault(above, []).append(np.arange(len(depth), len(depth) + size))
        depth += [1 + max((depth[p] for p in above), default=-1)] * size
    n_parents = np.repeat([len(above) for above, _ in families], sizes)
    parent_ptr = np.concatenate(([0], n_parents.cumsum())).astype(np.intp)
    parent_index = [p for above, size in families for p in above * size]
    index, depths = np.array(parent_index, dtype=np.intp), np.array(depth, dtype=np.intp)
    return Arrays(
        parent_ptr,
        index,
        depths,
        tuple(_levels(parent_ptr, index, depths)),
        tuple(map(np.concatenate, list(known.values())[1:])),  # the first is the root alone
    )


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
