"""Remapping of weights and systems to the nodes of another taxonomy.

`sources` are, for every node of the new taxonomy, the nodes of the old one that it continues: none
for a new node, several for a merged one. Weights are remapped by a linear map, a sparse matrix
(old nodes, new nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...taxonomy import Arrays
from .closures import closures
from .pickles import state
from .saved_systems import SavedSystem, nothing_stored
from .weights import Weights

Floats = NDArray[np.float64]
Sources = Sequence[tuple[int, ...]]
W = TypeVar("W", bound=Weights)


def own_weights(sources: Sources, n_before: int) -> sparse.csr_array:
    """Every node keeps its weights; a merged node gets the mean, a new one zeros."""
    return _means([(), *sources[1:]], n_before)


def own_prototypes(sources: Sources, before: Arrays, after: Arrays) -> sparse.csr_array:
    """Every node keeps its prototype; a merged one gets the mean, a new one its parent's.

    The weights of a node are its prototype minus that of its parent.
    """
    parents = after.parent_index  # of all nodes but the root
    averaged: list[tuple[int, ...]] = [(0,)]  # nodes whose mean the prototype is
    for old, parent in zip(sources[1:], parents.tolist(), strict=True):
        averaged.append(old or averaged[parent])  # a parent comes before its children
    prototypes = _path_sums(before) @ _means(averaged, before.n)
    edges = (np.ones(after.n - 1), (parents, np.arange(1, after.n)))
    above = sparse.csr_array(edges, shape=(after.n, after.n))
    more = sparse.csr_array(prototypes - prototypes @ above)
    more.eliminate_zeros()
    return more


def remap_weights(weights: W, onto: sparse.csr_array) -> W:
    """The weights of the new nodes, in the same backend: O(entries), through the saved state."""
    _, dtype, *planes = state(weights)
    n_before, n_after = onto.shape
    new = []
    for start, nodes, values in planes:
        old = sparse.csr_array((values, nodes, start), shape=(len(start) - 1, n_before))
        rows = sparse.csr_array(old @ onto)
        rows.sort_indices()
        rows.eliminate_zeros()
        parts = rows.indptr.astype(np.int64), rows.indices.astype(np.uint32)
        new.append((*parts, rows.data.astype(dtype)))
    restore: Any = type(weights).restore  # one matrix, or two with variances
    found: W = restore(n_after, dtype, *new)
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


def _path_sums(tree: Arrays) -> sparse.csr_array:
    """The linear map from weights to prototypes; the root has no weights."""
    pairs = closures(tree)
    below, above = pairs.below[pairs.above > 0], pairs.above[pairs.above > 0]
    return sparse.csr_array((np.ones(len(above)), (above, below)), shape=(tree.n, tree.n))


# Systems of least squares, in their saved state


class RemappedSystem(NamedTuple):
    """The origin of a new system: some outputs of an old one, for `nodes`.

    `new` are further nodes, which count as off in all instances of the old system. Without an old
    system the new one is empty.
    """

    system: int | None
    outputs: list[int]
    nodes: list[int]
    new: list[int]


def remap_systems(rls: Any, plan: Sequence[RemappedSystem]) -> Any:
    """The systems of the new nodes, in the same backend: O(numbers of all systems)."""
    l2, memory, budget, parts, systems = state(rls)
    kept = [_remapped(systems, *planned[:3]) for planned in plan]
    new = type(rls).restore(l2, memory, budget, parts, kept)
    for s, planned in enumerate(plan):
        if planned.new:
            new.add_outputs(s, planned.new)
    return new


def _remapped(
    systems: Sequence[SavedSystem], s: int | None, outputs: list[int], nodes: list[int]
) -> SavedSystem:
    if s is None:
        return nothing_stored(nodes)
    kind, _, n_stored, *arrays = systems[s]
    for i in (1,) if kind == "primal" else (2, 3):  # w; v and w0
        arrays[i] = np.ascontiguousarray(arrays[i][:, outputs])
    return (kind, nodes, n_stored, *arrays)


def shared_systems(
    systems: Sequence[Sequence[int]],
    sources: Sources,
    before: Arrays,
    after: Arrays,
    reset: frozenset[int],
) -> list[RemappedSystem]:
    """Nodes with the same parents share a system, as in H-RLS; `systems` are the old ones' nodes.

    A moved node keeps its instances, so it gets its own system. Reset nodes leave the systems of
    their siblings, which contain the examples to forget.
    """
    positions = {
        u: (s, output) for s, nodes in enumerate(systems) for output, u in enumerate(nodes)
    }
    plan = []
    for group in after.groups:
        kept: dict[int, list[int]] = {}
        new = [v for v in group.tolist() if not sources[v] and v not in reset]
        alone = [v for v in group.tolist() if v in reset]
        for v in group.tolist():
            if sources[v]:
                kept.setdefault(positions[sources[v][0]][0], []).append(v)
        parents = {u for p in _parents(after, group[0]) for u in sources[p]}
        for s, nodes in kept.items():
            outputs = [positions[sources[v][0]][1] for v in nodes]
            stayed = parents == set(_parents(before, sources[nodes[0]][0]))
            plan.append(RemappedSystem(s, outputs, nodes, new if stayed else []))
            new = [] if stayed else new
        if new or alone:
            plan.append(RemappedSystem(None, [], sorted(new + alone), []))
    # Top-down, the order in which the steps visit them.
    return sorted(plan, key=lambda planned: min(planned.nodes + planned.new))


def _parents(taxonomy: Arrays, v: int) -> list[int]:
    start, end = taxonomy.parent_ptr[v], taxonomy.parent_ptr[v + 1]
    parents: list[int] = taxonomy.parent_index[start:end].tolist()
    return parents
