"""Which shard each node learns at."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays, Label, Taxonomy

Floats = NDArray[np.float64]
Units = Sequence[Sequence[int]]


class Plan:
    """The shard of each node, by its label: nodes get other numbers when a taxonomy grows.

    Nodes that share a system of equations are a unit and stay together. Units go, the one with the
    most work first, to the shard that has the least so far, the first of several: the largest load
    is then at most 4/3 - 1/(3 k) times the least possible (Graham, 1969).
    """

    def __init__(self, n_shards: int) -> None:
        self._loads = [(0.0, shard) for shard in range(n_shards)]
        self._shard_of: dict[Label, int] = {}

    @property
    def loads(self) -> list[float]:
        """The work of each shard."""
        return [load for load, _ in sorted(self._loads, key=lambda entry: entry[1])]

    def owners(self, taxonomy: Taxonomy, units: Units, work: Sequence[float]) -> list[int]:
        """The shard of each node, in taxonomy order; what has one keeps it: O(units log shards)."""
        labels = taxonomy.nodes
        for i in sorted(range(len(units)), key=lambda i: -work[i]):
            unit = [labels[v] for v in units[i]]
            shard = next((self._shard_of[u] for u in unit if u in self._shard_of), None)
            if shard is None:
                load, shard = self._loads[0]
                heapq.heapreplace(self._loads, (load + work[i], shard))
            self._shard_of.update(dict.fromkeys(unit, shard))
        return [self._shard_of.get(label, 0) for label in labels]


def works(units: Units, effort: Sequence[float], taxonomy: Arrays) -> list[float]:
    """How much work each unit will be: by what it has stored, or else by its place."""
    if any(effort):
        return list(effort)
    reached = shares(taxonomy)
    return [float(reached[unit[-1]]) for unit in units]


def shares(taxonomy: Arrays) -> Floats:
    """For each node, how many of all examples it learns from if all children are as frequent.

    Those whose parents are on; of several parents the least frequent counts.
    """
    n_children = np.bincount(taxonomy.parent_index, minlength=taxonomy.n)
    frequent, reached = np.ones(taxonomy.n), np.ones(taxonomy.n)
    for v in range(1, taxonomy.n):
        above = taxonomy.parent_index[taxonomy.parent_ptr[v] : taxonomy.parent_ptr[v + 1]]
        reached[v] = frequent[above].min()
        frequent[v] = (frequent[above] / n_children[above]).min()
    return reached
