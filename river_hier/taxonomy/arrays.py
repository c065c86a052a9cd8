"""A taxonomy as arrays of integers in taxonomy order, without labels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


class Arrays(NamedTuple):
    """A taxonomy of `n` nodes as arrays; node 0 is the root.

    Nodes are sorted topologically, level by level, so the nodes of one depth are a slice. Nodes
    with exactly the same parents are a *group*: they are trained and evaluated together. In a tree
    the groups are the sets of siblings.
    """

    parent_ptr: Ints  # (n + 1,): the parents of v are parent_index[parent_ptr[v]:parent_ptr[v+1]]
    parent_index: Ints
    depth: Ints  # (n,): the length of the longest path from the root
    level_ptr: Ints  # (height + 2,): nodes of depth d are level_ptr[d]:level_ptr[d + 1]
    groups: tuple[Ints, ...]  # the nodes of each group; the root is in none

    @property
    def n(self) -> int:
        return len(self.depth)


def build(parents: Sequence[tuple[int, ...]]) -> Arrays:
    """Build the arrays of nodes that are sorted topologically, in O(nodes + edges).

    Siblings are adjacent, so most of the work is done per family instead of per node: an open
    taxonomy, a single large family, is rebuilt for every new label.
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
    level_ptr = np.searchsorted(depth, np.arange(depth[-1] + 2))
    return Arrays(
        parent_ptr,
        np.array(parent_index, dtype=np.intp),
        np.array(depth, dtype=np.intp),
        level_ptr,
        tuple(map(np.concatenate, list(known.values())[1:])),  # the first is the root alone
    )
