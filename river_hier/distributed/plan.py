"""The assignment of nodes to shards."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays, Label, Taxonomy

Floats = NDArray[np.float64]
Units = Sequence[Sequence[int]]

# The work of scoring the children of a node, apart from that for each child, in children.
_FIXED = 100.0
# The smallest part into which the children of one node are divided: every shard that has a part
# must read all examples of the node.
_SMALLEST_PART = 64


class Plan:
    """Assigns nodes to shards, by their labels: node numbers change when a taxonomy grows.

    The nodes of a unit, e.g. of a subtree, are assigned together. Units are
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
            for label in unit:
                self._shard_of.setdefault(label, shard)
        return [self._shard_of.get(label, 0) for label in labels]


def subtrees(taxonomy: Arrays, visits: Floats, n_shards: int) -> tuple[Units, list[float]]:
    """Divide a taxonomy into units of at most 1 / n_shards of the work; return them and their work.

    A unit is a subtree without its root or, if that is too much work, the children of one node or
    some of them. In a DAG, a node is a child of its last parent. `visits[u]` is how often the
    children of u are trained.
    """
    parents = last_parents(taxonomy)
    n_children = np.bincount(parents, minlength=taxonomy.n)
    work = np.where(n_children > 0, visits * (_FIXED + n_children), 0.0)
    total = work.tolist()  # below each node
    for v in range(taxonomy.n - 1, 0, -1):
        total[parents[v - 1]] += total[v]
    limit = total[0] / n_shards
    top = list(range(taxonomy.n))  # the node above the unit of each node's children
    units: dict[int, list[int]] = {}
    for v, parent in enumerate(parents.tolist(), start=1):
        if total[parent] <= limit:
            top[v] = top[parent]
        units.setdefault(top[parent], []).append(v)
    found, loads = [], []
    for u, nodes in units.items():
        size = len(nodes)
        if total[u] > limit:  # the children of u
            size = max(_SMALLEST_PART, math.ceil(size * limit / work[u]))
        for first in range(0, len(nodes), size):
            found.append(nodes[first : first + size])
            part = len(found[-1]) / len(nodes)
            loads.append(part * float(work[u] if total[u] > limit else total[u]))
    return found, loads


def last_parents(taxonomy: Arrays) -> NDArray[np.intp]:
    """The last parent of each node but the root."""
    return taxonomy.parent_index[taxonomy.parent_ptr[2:] - 1]


def visits_by_place(taxonomy: Arrays) -> Floats:
    """The share of the examples on which the children of each node are trained."""
    visits = np.zeros(taxonomy.n)
    visits[last_parents(taxonomy)] = example_shares(taxonomy)[1:]
    return visits


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
