"""Paths and subtrees, and sums along them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def path_difference(y: int, other: int, tree: Arrays) -> tuple[NDArray[np.intp], Floats]:
    """The nodes of only one of two paths, ascending: +1 on that of y, -1 on the other one's."""
    signs: dict[int, float] = {}
    u, v = y, other
    while u != v:  # a parent comes before its children: the later one is not shared
        if u > v:
            signs[u] = 1.0
            u = int(tree.parent_index[u - 1])
        else:
            signs[v] = -1.0
            v = int(tree.parent_index[v - 1])
    nodes = sorted(signs)
    return np.array(nodes, dtype=np.intp), np.array([signs[v] for v in nodes])


def distances_from(y: int, tree: Arrays) -> Floats:
    """gamma(y, v) for every node v: O(nodes)."""
    on_path = np.zeros(tree.n)
    on_path[path_difference(y, 0, tree)[0]] = 1.0
    shared = path_sums(on_path, tree)  # nodes that the paths of y and v have in common
    return tree.depth[y] + tree.depth - 2.0 * shared


def distances_to(some: Mask, tree: Arrays) -> Floats:
    """The distance of every node from the nearest one of some: O(nodes)."""
    distances = np.where(some, 0.0, np.inf)
    for level in reversed(tree.levels):
        np.minimum.at(distances, level.parents, distances[level.nodes] + 1.0)
    for level in tree.levels:
        distances[level.nodes] = np.minimum(distances[level.nodes], distances[level.parents] + 1.0)
    return distances


def path_sums(values: Floats, tree: Arrays, in_place: bool = False) -> Floats:
    """The sum of the values along each node's path, including the root: O(nodes)."""
    sums = values if in_place else values.copy()
    for level in tree.levels:
        sums[level.nodes] += sums[level.parents]
    return sums


def subtree_sums(values: Floats, tree: Arrays) -> Floats:
    """The sum of the values over each node's subtree, including itself: O(nodes)."""
    sums = values.copy()
    for level in reversed(tree.levels):
        np.add.at(sums, level.parents, sums[level.nodes])
    return sums


def reduced(how: np.ufunc, above: Any, starts: Any) -> Any:
    """Reduce the values of the parents of each node to one; `starts` is None if each has one."""
    return above if starts is None else how.reduceat(above, starts)


# Ancestors and descendants in trees and DAGs


def closure_of(y: int, taxonomy: Arrays) -> NDArray[np.intp]:
    """anc(y): y itself and every node above it, the root included, in taxonomy order."""
    ptr, parents = taxonomy.parent_ptr, taxonomy.parent_index
    reached, waiting = {y}, [y]
    for v in waiting:
        new = set(parents[ptr[v] : ptr[v + 1]].tolist()) - reached
        reached |= new
        waiting += new
    return np.array(sorted(reached), dtype=np.intp)


def closure_sums(values: Floats, taxonomy: Arrays) -> Floats:
    """The sum of `values` over anc(y) for every node y: O(nodes), in a DAG O(pairs)."""
    if len(taxonomy.parent_index) == taxonomy.n - 1:
        return path_sums(values, taxonomy)
    above = taxonomy.closures
    return np.add.reduceat(values[above.nodes], above.starts, axis=0)


def closure_difference(y: int, other: int, taxonomy: Arrays) -> tuple[NDArray[np.intp], Floats]:
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
