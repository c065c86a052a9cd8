"""Splitting the state of a model into shards, and joining shards.

Both work on the saved state, in the same backend. Numbers are only copied, so none changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from .instances import Instances
from .pickles import state
from .remapping import own_weights, remap_weights
from .saved_systems import nothing_stored
from .weights import Weights

W = TypeVar("W", bound=Weights)


def weights_of(weights: W, nodes: Iterable[int], n_nodes: int) -> W:
    """The weights of these nodes only: O(entries)."""
    mine = set(nodes)
    sources = [(v,) if v in mine else () for v in range(n_nodes)]
    return remap_weights(weights, own_weights(sources, n_nodes))


def joined_weights(parts: Sequence[W]) -> W:
    """The weights of all nodes, from shards with disjoint nodes: O(entries)."""
    n_nodes, dtype, *_ = state(parts[0])
    planes = []
    for rows in zip(*(state(part)[2:] for part in parts), strict=True):
        n_rows = max(len(start) for start, _, _ in rows) - 1
        whole = sparse.csr_array((n_rows, n_nodes), dtype=dtype)
        for start, nodes, values in rows:
            start = np.pad(start, (0, n_rows + 1 - len(start)), mode="edge")
            whole = whole + sparse.csr_array((values, nodes, start), shape=(n_rows, n_nodes))
        whole.sort_indices()
        start, nodes = whole.indptr.astype(np.int64), whole.indices.astype(np.uint32)
        planes.append((start, nodes, whole.data))
    restore: Any = type(parts[0]).restore
    found: W = restore(n_nodes, dtype, *planes)
    return found


def merge_systems(shards: Sequence[Any], owners: Sequence[int | None]) -> Any:
    """Take system s from the shard `owners[s]`; where that is None, it is empty.

    Equal instances are stored once.
    """
    states = [state(shard) for shard in shards]
    stored, systems, duals = Instances(), [], []
    first = []  # the number of the first instance of each shard
    for *_, instances, _ in states:
        first.append(stored.n)
        stored.extend(instances)
    for s, p in enumerate(owners):
        system = list(states[p or 0][4][s] if p is not None else nothing_stored(states[0][4][s][1]))
        if system[0] != "primal":
            system[3] = system[3].astype(np.intp) + first[p or 0]
            duals.append(system)
        systems.append(system)
    S = stored.matrix
    contents = [(S.indices[a:z].tobytes(), S.data[a:z].tobytes()) for a, z in pairwise(S.indptr)]
    seen: dict[tuple[bytes, bytes], int] = {}
    same = np.array([seen.setdefault(content, i) for i, content in enumerate(contents)], np.intp)
    used = np.unique(np.concatenate([same[:0], *(same[system[3]] for system in duals)]))
    for system in duals:
        system[3] = np.searchsorted(used, same[system[3]]).astype(np.uint32)
    stored.keep(used)
    return type(shards[0]).restore(*states[0][:3], stored.parts(), [*map(tuple, systems)])
