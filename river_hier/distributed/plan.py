"""The assignment of nodes to shards."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays, Label, Taxonomy

Floats = NDArray[np.float64]
Units = Sequence[Sequence[int]]


class Plan:
    """Assigns nodes to shards, by their labels: node numbers change when a taxonomy grows.

    Nodes that share a system of equations form a unit and are assigned together. Units are
    assigned by decreasing load, each to the shard with the smallest load so far (the first, if
    there are several). The largest load is then at most 4/3 - 1/(3 k) times the optimum (longest
    processing time first; Graham, 1969).
    """

    def __init__(self, n_shards: int) -> None:
        self._loads = [(0.0, shard) for shard in range(n_shards)]
        self._shard_of: dict[Label, int] = {}

    @property
    def loads(self) -> list[float]:
        """The load of each shard."""
        return [load for load, _ in sorted(self._loads, key=lambda entry: entry[1])]

    def owners(self, taxonomy: Taxonomy, units: Units, unit_loads: Sequence[float]) -> list[int]:
        """The shard of each node; assigned nodes keep theirs: O(units log shards)."""
        labels = taxonomy.nodes
        for i in sorted(range(len(units)), key=lambda i: -unit_loads[i]):
            unit = [labels[v] for v in units[i]]
            shard = next((self._shard_of[u] for u in unit if u in self._shard_of), None)
            if shard is None:
                load, shard = self._loads[0]
                heapq.heapreplace(self._loads, (load + unit_loads[i], shard))
            self._shard_of.update(dict.fromkeys(unit, shard))
        return [self._shard_of.get(label, 0) for label in labels]


def unit_loads(units: Units, effort: Sequence[float], taxonomy: Arrays) -> list[float]:
    """The expected work of each unit: its effort so far, or else its share of the examples."""
    if any(effort):
        return list(effort)
    shares = example_shares(taxonomy)
    return [float(shares[unit[-1]]) for unit in units]


def example_shares(taxonomy: Arrays) -> Floats:
    """The share of the examples that each node is trained on, if siblings are equally frequent.

    These are the examples whose parents are on; in a DAG, the least frequent parent counts.
    """
    n_children = np.bincount(taxonomy.parent_index, minlength=taxonomy.n)
    frequency, share = np.ones(taxonomy.n), np.ones(taxonomy.n)
    for v in range(1, taxonomy.n):
        parents = taxonomy.parent_index[taxonomy.parent_ptr[v] : taxonomy.parent_ptr[v + 1]]
        share[v] = frequency[parents].min()
        frequency[v] = (frequency[parents] / n_children[parents]).min()
    return share
