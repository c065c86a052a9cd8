"""When the average of each node's hypotheses started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..pickles import saved

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Clocks:
    """The total weight `m` of all examples, and its value at the start of each node's average.

    The average of a node starts when the node is created, and starts again with its first example,
    the first one whose label is the node or below it. `learned` are the nodes with examples.
    """

    def __init__(self, n_nodes: int) -> None:
        self.m = 0.0
        self.since = np.zeros(n_nodes)
        self.learned = np.zeros(n_nodes, dtype=bool)

    def add_nodes(self, n_nodes: int) -> None:
        """Make room up to `n_nodes` nodes; the averages of new ones start now."""
        more = (0, max(0, n_nodes - len(self.since)))
        self.since = np.pad(self.since, more, constant_values=self.m)[:n_nodes]
        self.learned = np.pad(self.learned, more)[:n_nodes]

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("Clocks", self.m, self.since, self.learned)

    @classmethod
    def restore(cls, m: float, since: Floats, learned: Mask) -> Clocks:
        """The clocks from the values in a pickle."""
        clocks = cls(0)
        clocks.m, clocks.since, clocks.learned = float(m), np.array(since), np.array(learned)
        return clocks


def rounds(clocks: Any) -> Floats:
    """The round of each node, from 1 on: the weight of the hypotheses in its average."""
    n: Floats = clocks.m + 1.0 - clocks.since
    return n


def start(clocks: Any, lag: Any, nodes: NDArray[np.intp]) -> None:
    """Start the averages again of those nodes that have their first example."""
    learned, since = clocks.learned, clocks.since
    first = nodes[~learned[nodes]]
    if len(first):
        for v in first[since[first] != clocks.m]:
            lag.clear(int(v))
        learned, since = learned.copy(), since.copy()
        learned[first], since[first] = True, clocks.m
        clocks.learned, clocks.since = learned, since


def remap_clocks(clocks: Any, sources: Sequence[tuple[int, ...]]) -> Any:
    """The clocks of other nodes: a merged node has the earliest start."""
    since, learned = clocks.since, clocks.learned
    began = [min((since[u] for u in old), default=clocks.m) for old in sources]
    any_learned = [any(learned[u] for u in old) for old in sources]
    return type(clocks).restore(clocks.m, np.array(began), np.array(any_learned))


def of_averages(onto: sparse.csr_array, before: Any, after: Any) -> sparse.csr_array:
    """The map of the recorded sums; `onto` is the map of the weights and of their averages."""
    old, new = onto.tocoo().coords
    shares = onto.tocoo().data * (rounds(after)[new] / rounds(before)[old])
    return sparse.csr_array((shares, (old, new)), shape=onto.shape)
