"""Sums over the ancestors of every node, and maxima over its descendants, in trees and DAGs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays
from .reference.paths import path_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def closure_of(y: int, taxonomy: Arrays) -> Ints:
    """anc(y): y itself and every node above it, the root included, in taxonomy order."""
    ptr, parents = taxonomy.parent_ptr, taxonomy.parent_index
    found, waiting = {y}, [y]
    for v in waiting:
        new = set(parents[ptr[v] : ptr[v + 1]].tolist()) - found
        found |= new
        waiting += new
    return np.array(sorted(found), dtype=np.intp)


def closure_sums(values: Floats, taxonomy: Arrays) -> Floats:
    """The sum of `values` over anc(y) for every node y: O(nodes), in a DAG O(pairs)."""
    if len(taxonomy.parent_index) == taxonomy.n - 1:
        return path_sums(values, taxonomy)
    above = taxonomy.closures
    sums: Floats = np.add.reduceat(values[above.nodes], above.starts, axis=0)
    return sums


def closure_difference(y: int, other: int, taxonomy: Arrays) -> tuple[Ints, Floats]:
    """The nodes of either anc(y) or anc(other), and the sign of each, +1 or -1."""
    above = closure_of(y, taxonomy)
    nodes = np.setxor1d(above, closure_of(other, taxonomy), assume_unique=True)
    return nodes, np.where(np.isin(nodes, above), 1.0, -1.0)


def subtree_maxima(values: NDArray[Any], taxonomy: Arrays) -> NDArray[Any]:
    """The maximum of `values` over each node and its descendants: O(nodes + edges)."""
    maxima = values.copy()
    for level in reversed(taxonomy.levels):
        below = maxima[level.nodes]
        if level.starts is not None:
            below = np.repeat(below, np.diff(level.starts, append=len(level.parents)), axis=0)
        np.maximum.at(maxima, level.parents, below)
    return maxima
