"""Remapping of weights to the nodes of another taxonomy.

`sources` are, for every node of the new taxonomy, the nodes of the old one that it continues: none
for a new node, several for a merged one. Weights are remapped by a linear map, a sparse matrix
(old nodes, new nodes).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..taxonomy import Arrays
from .pickles import state
from .reference.weights import Weights
from .sparse_rows import from_scipy, to_scipy

Floats = NDArray[np.float64]
Nodes = tuple[int, ...]
Sources = Sequence[Nodes]
W = TypeVar("W", bound=Weights)


def own_weights(sources: Sources, n_before: int) -> sparse.csr_array:
    """Every node keeps its weights; a merged node gets the mean, a new one zeros."""
    return _means([(), *sources[1:]], n_before)


def own_prototypes(sources: Sources, before: Arrays, after: Arrays) -> sparse.csr_array:
    """Every node keeps its prototype; a merged one gets the mean, a new one its parent's.

    The weights of a node are its prototype minus that of its parent.
    """
    parents = after.parent_index.tolist()  # of all nodes but the root
    up = [0, *before.parent_index.tolist()]
    averaged: list[tuple[int, ...]] = [(0,)]  # nodes whose mean the prototype is
    entries: list[tuple[int, int, float]] = []
    for v, (old, parent) in enumerate(zip(sources[1:], parents, strict=True), start=1):
        averaged.append(old or averaged[parent])  # a parent comes before its children
        entries += ((u, v, share) for u, share in _difference(averaged[v], averaged[parent], up))
    rows, columns, shares = zip(*entries, strict=True) if entries else ((), (), ())
    places = np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
    return sparse.csr_array((np.array(shares, dtype=np.float64), places), shape=(before.n, after.n))


def _difference(these: Nodes, those: Nodes, up: Sequence[int]) -> list[tuple[int, float]]:
    """The mean prototype of some nodes minus that of others, as shares of nodes' weights.

    O(1) for a node and its parent.
    """
    shares: dict[int, float] = {}
    if (
        len(these) == len(those) == 1
    ):  # the paths as far as they differ: the later node is not shared
        (u,), (v,) = these, those
        while u != v:
            shares[max(u, v)] = 1.0 if u > v else -1.0
            u, v = (up[u], v) if u > v else (u, up[v])
    elif these != those:
        for nodes, share in (these, 1.0 / len(these)), (those, -1.0 / len(those)):
            for u in nodes:
                while u:  # the root has no weights
                    shares[u] = shares.get(u, 0.0) + share
                    u = up[u]
    return [(u, share) for u, share in shares.items() if share]


def shared_and_own(sources: Sources, before: Arrays, after: Arrays) -> list[sparse.csr_array]:
    """The maps of weights and of variances, where nodes have shared and own vectors in turn.

    Every node keeps its prototype and its own vector. The root is new if nothing else is kept.
    """
    own = own_weights(sources, before.n)
    if any(sources[1:]):
        own = own + sparse.csr_array(([1.0], ([0], [0])), shape=own.shape)
    shared = own_prototypes(sources, before, after)
    weights = sparse.kron(shared, np.diag([1.0, 0.0])) + sparse.kron(own, np.diag([0.0, 1.0]))
    return [sparse.csr_array(weights), sparse.csr_array(sparse.kron(own, np.eye(2)))]


def remap_weights(weights: W, onto: sparse.csr_array, variances: Any = None) -> W:
    """The weights of the new nodes, in the same backend: O(entries), through the saved state.

    Variances are remapped as weights are, or by a linear map of their own.
    """
    _, dtype, *rows = state(weights)
    n_before, n_after = onto.shape
    random = []
    if dtype == "float16":
        seed, draws = rows.pop()
        most = np.zeros(n_after, dtype=np.uint32)
        np.maximum.at(most, onto.indices, np.repeat(draws, np.diff(onto.indptr)))
        random.append((seed, most))
    old = to_scipy(tuple(rows), len(rows[0]) - 1, n_before)
    new = old @ onto if variances is None else old.real @ onto + 1j * (old.imag @ variances)
    numbers = from_scipy(sparse.csr_array(new), [part.dtype for part in rows[2:]])
    restore: Any = type(weights).restore  # one matrix, or two with variances
    found: W = restore(n_after, dtype, *numbers, *random)
    return found


def remap_values(values: Floats, sources: Sources, new: float) -> Floats:
    """A number for each node: the mean for a merged node, `new` for a new one."""
    means: Floats = values @ _means(sources, len(values))
    return np.where([bool(old) for old in sources], means, new)


def _means(sources: Sources, n_before: int) -> sparse.csr_array:
    """The linear map that gives every node the mean of its sources."""
    sizes = [len(old) for old in sources]
    shares = np.repeat([1.0 / max(size, 1) for size in sizes], sizes)
    rows = np.array([u for old in sources for u in old], dtype=np.intp)
    columns = np.repeat(np.arange(len(sources)), sizes)
    return sparse.csr_array((shares, (rows, columns)), shape=(n_before, len(sources)))


# Shards, with the weights of some of the nodes


def weights_of(weights: W, nodes: Iterable[int], n_nodes: int) -> W:
    """The weights of these nodes only: O(entries)."""
    mine = set(nodes)
    sources = [(v,) if v in mine else () for v in range(n_nodes)]
    return remap_weights(weights, own_weights(sources, n_nodes))


def joined_weights(parts: Sequence[W]) -> W:
    """The weights of all nodes, from shards with disjoint nodes: O(entries)."""
    n_nodes, dtype, *_ = state(parts[0])
    states = [list(state(part)[2:]) for part in parts]
    random = []
    if dtype == "float16":
        drawn = [of_part.pop() for of_part in states]
        random.append((drawn[0][0], np.max([draws for _, draws in drawn], axis=0)))
    n_rows = max(len(start) for start, *_ in states) - 1
    whole = sparse.csr_array((n_rows, n_nodes), dtype=np.complex128)
    for rows in states:
        whole = whole + to_scipy(tuple(rows), n_rows, n_nodes)
    restore: Any = type(parts[0]).restore
    found: W = restore(
        n_nodes, dtype, *from_scipy(whole, [n.dtype for n in states[0][2:]]), *random
    )
    return found
