"""What some of the nodes have learned, taken out of a kernel, and all of it put together again.

By way of the saved state, in the same core: no number is computed, so none changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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
    """The weights of these nodes, and none of the others: O(entries)."""
    mine = set(nodes)
    sources = [(v,) if v in mine else () for v in range(n_nodes)]
    return remap_weights(weights, own_weights(sources, n_nodes))


def joined_weights(parts: Sequence[W]) -> W:
    """The weights of all nodes from parts that share none: O(entries)."""
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
    """System s as the shard `owners[s]` has it, with nothing stored where that is None.

    Instances that several shards have are stored once; equal ones of one shard stay apart.
    """
    states = [state(shard) for shard in shards]
    stored, systems = Instances(), [states[p or 0][4][s] for s, p in enumerate(owners)]
    first: dict[tuple[bytes, bytes, int], int] = {}  # where an instance was found first
    numbers = []  # for each shard: instance -> where it, or one that equals it, was found first
    for q, (*_, (start, rows, values, norms2), _) in enumerate(states):
        mine = [system for system, owner in zip(systems, owners, strict=True) if owner == q]
        used = [system[3] for system in mine if system[0] != "primal"]
        seen: Counter[tuple[bytes, bytes]] = Counter()
        found = np.zeros(len(norms2), dtype=np.intp)
        for i in np.unique(np.concatenate([np.zeros(0, np.uint32), *used])).tolist():
            here = slice(int(start[i]), int(start[i + 1]))
            content = rows[here].tobytes(), values[here].tobytes()
            seen[content] += 1
            found[i] = first.setdefault((*content, seen[content]), stored.n + i)
        stored.extend((start, rows, values, norms2))
        numbers.append(found)
    kept = np.array(list(first.values()), dtype=np.intp)  # ascending
    stored.keep(kept)
    for s, p in enumerate(owners):
        kind, nodes, n_stored, *arrays = systems[s]
        if p is None:
            systems[s] = nothing_stored(nodes)
        elif kind != "primal":
            ids = np.searchsorted(kept, numbers[p][arrays[0]]).astype(np.uint32)
            systems[s] = (kind, nodes, n_stored, ids, *arrays[1:])
    return type(shards[0]).restore(*states[0][:3], stored.parts(), systems)
