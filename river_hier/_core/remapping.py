"""Remapping of weights to the nodes of another taxonomy.

`sources` are, for every node of the new taxonomy, the nodes of the old one that it continues: none
for a new node, several for a merged one. Weights are remapped by a linear map, a sparse matrix
(old nodes, new nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._native import Calibration, Labels, LinearState
from ..taxonomy import Arrays

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Nodes = tuple[int, ...]
Sources = Sequence[Nodes]
# The entries that are not zero: where those of each row start, their nodes, the weights and, with
# variances, these minus 1.
Entries = tuple[NDArray[Any], ...]


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


def remapped(
    state: LinearState,
    labels: Labels,
    sources: Sources,
    onto: sparse.csr_array,
    variances: sparse.csr_array | None = None,
) -> LinearState:
    """What a linear learner has learned, moved to the nodes of other labels: O(entries).

    Variances are remapped as weights are, or by a linear map of their own.
    """
    _, features, intercept, dtype, n_planes, vectors, rows, average = state.saved()
    if average is not None:
        from_first_round, m, since, begun, updates = average
        starts = remapped_starts(m, since, begun, sources, from_first_round)
        shares = of_averages(onto, m + 1.0 - since, m + 1.0 - starts[0])
        average = from_first_round, m, *starts, _moved(updates, shares)
    moved = _moved(rows, onto, variances)
    return LinearState(labels, features, intercept, dtype, n_planes, vectors, moved, average)


def _moved(
    rows: Entries, onto: sparse.csr_array, variances: sparse.csr_array | None = None
) -> Entries:
    start, nodes, weights, *more = rows
    cells = weights.astype(np.complex128)  # with variances as imaginary parts
    for s in more:
        cells.imag = s
    old = sparse.csr_array((cells, nodes, start), shape=(len(start) - 1, onto.shape[0]))
    new = old @ onto if variances is None else old.real @ onto + 1j * (old.imag @ variances)
    new = sparse.csr_array(new)
    new.sort_indices()
    new.eliminate_zeros()
    parts = [new.data.real, new.data.imag][: 1 + len(more)]
    places = new.indptr.astype(np.int64), new.indices.astype(np.uint32)
    return *places, *(np.ascontiguousarray(part, weights.dtype) for part in parts)


# Averages of hypotheses: `m` is the weight of all examples, `since` what it was when the average of
# each node began, and `begun` whether that was with an example.


def remapped_starts(
    m: float, since: Floats, begun: Mask, sources: Sources, from_first_round: bool
) -> tuple[Floats, Mask]:
    """`since` and `begun` of other nodes: the average of a merged node has the earliest start."""
    if from_first_round:
        return np.zeros(len(sources)), np.ones(len(sources), dtype=bool)
    starts = [min((float(since[u]) for u in old), default=m) for old in sources]
    return np.array(starts), np.array([any(begun[u] for u in old) for old in sources])


def of_averages(onto: sparse.csr_array, before: Floats, after: Floats) -> sparse.csr_array:
    """The map of the sums of updates; `onto` is that of the weights and of their averages."""
    old, new = onto.tocoo().coords
    shares = onto.tocoo().data * (after[new] / before[old])
    return sparse.csr_array((shares, (old, new)), shape=onto.shape)


def remap_calibration(calibration: Calibration, sources: Sources) -> Calibration:
    """The calibration of the nodes of another taxonomy; the own parts of new nodes are 0."""
    shared, own = calibration.saved()
    rows = [_remap_values(row, sources, new) for row, new in zip(own, (0.0, 1.0) * 2, strict=True)]
    return Calibration(shared, np.array(rows))


def _remap_values(values: Floats, sources: Sources, new: float) -> Floats:
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
