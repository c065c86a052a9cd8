"""The ancestors of every node, for sums and maxima over them in trees and DAGs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


class Closures(NamedTuple):
    """The pairs (y, v), v in anc(y): y itself and every node above it, the root included.

    `below` holds y and `above` holds v, sorted by y and then by v; the pairs of y are `ptr[y]:ptr[y
    + 1]`.
    """

    ptr: Ints
    below: Ints
    above: Ints

    def of(self, y: int) -> Ints:
        """anc(y), in taxonomy order."""
        return self.above[self.ptr[y] : self.ptr[y + 1]]

    def sums(self, values: Floats) -> Floats:
        """The sum of `values` over anc(y) for every node y: O(pairs)."""
        sums: Floats = np.add.reduceat(values[self.above], self.ptr[:-1], axis=0)
        return sums

    def maxima(self, values: Floats) -> Floats:
        """The maximum of `values` over each node and its descendants: O(pairs)."""
        maxima = values.copy()
        np.maximum.at(maxima, self.above, values[self.below])
        return maxima

    def closed(self, on: Mask) -> Mask:
        """The nodes that are on, the nodes above them, and the root: O(pairs)."""
        closed = np.zeros(len(on), dtype=bool)
        closed[0] = True
        closed[self.above[on[self.below]]] = True
        return closed

    def difference(self, y: int, other: int) -> tuple[Ints, Floats]:
        """The nodes of either anc(y) or anc(other), and the sign of each, +1 or -1: O(nodes)."""
        signs = np.zeros(len(self.ptr) - 1)
        signs[self.of(y)] = 1.0
        signs[self.of(other)] -= 1.0
        nodes = np.flatnonzero(signs)
        return nodes, signs[nodes]


def closures(taxonomy: Arrays, known: Closures | None = None) -> Closures:
    """The closures of all nodes, one step upwards at a time: O(height * pairs).

    If those of the first nodes are known, those of the others are added to them.
    """
    n, n_parents = taxonomy.n, np.diff(taxonomy.parent_ptr)
    first = 0 if known is None else len(known.ptr) - 1
    reached = [np.arange(first, n) * (n + 1)]  # y and v in one number, y * n + v: first v = y
    while len(reached[-1]):
        below, v = np.divmod(reached[-1], n)
        sizes = n_parents[v]
        starts = taxonomy.parent_ptr[v] - (sizes.cumsum() - sizes)
        parents = taxonomy.parent_index[np.repeat(starts, sizes) + np.arange(sizes.sum())]
        reached.append(np.unique(np.repeat(below, sizes) * n + parents))
    below, above = np.divmod(np.unique(np.concatenate(reached)), n)
    ptr = np.searchsorted(below, np.arange(first, n + 1))
    if known is None:
        return Closures(ptr, below, above)
    return Closures(
        np.append(known.ptr, known.ptr[-1] + ptr[1:]),
        np.append(known.below, below),
        np.append(known.above, above),
    )
