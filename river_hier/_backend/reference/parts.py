"""What some of the nodes have learned, taken out of a kernel, and all of it put together again.

By way of the saved state, in the same core: no number is computed, so none changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .least_squares import LeastSquares
from .pickles import state
from .remapping import own_weights, remap_weights
from .saved_systems import SavedSystem, nothing_stored
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


def systems_of(parts: Sequence[LeastSquares], which: Sequence[int | None]) -> LeastSquares:
    """System s as the part `which[s]` has it, with nothing stored where that is None.

    The instances that are needed are stored once, whichever parts have them: O(numbers).
    """
    states = [state(part) for part in parts]
    l2, memory, budget, *_ = states[0]
    instances = _Shared()
    systems = []
    numbers = [
        instances.taken(_needed(saved[4], which, p), saved[3]) for p, saved in enumerate(states)
    ]
    for s, p in enumerate(which):
        kind, nodes, n_stored, *arrays = states[p or 0][4][s]
        if p is None:
            systems.append(nothing_stored(nodes))
            continue
        if kind != "primal":
            arrays[0] = numbers[p][arrays[0]]
        systems.append((kind, nodes, n_stored, *arrays))
    return type(parts[0]).restore(l2, memory, budget, instances.parts(), systems)


def _needed(
    systems: Sequence[SavedSystem], which: Sequence[int | None], p: int
) -> NDArray[np.uint32]:
    """The instances that a part's systems use, as far as the part is asked for them; in order."""
    used = [
        system[3] for s, system in enumerate(systems) if which[s] == p and system[0] != "primal"
    ]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.uint32), *used]))


class _Shared:
    """Instances that several parts have stored, each once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[bytes, int], int] = {}
        self._kept: list[tuple[NDArray[Any], NDArray[Any], float]] = []

    def taken(self, needed: NDArray[np.uint32], parts: Any) -> NDArray[np.uint32]:
        """The new numbers of one part's instances; those not needed have none."""
        start, rows, values, norms2 = parts
        numbers = np.zeros(len(norms2), dtype=np.uint32)
        seen: dict[bytes, int] = {}  # how often; equal instances of one part stay apart
        for i in needed.tolist():
            here = slice(int(start[i]), int(start[i + 1]))
            content = rows[here].tobytes() + values[here].tobytes()
            seen[content] = seen.get(content, 0) + 1
            key = (content, seen[content])
            if key not in self._numbers:
                self._numbers[key] = len(self._kept)
                self._kept.append((rows[here], values[here], float(norms2[i])))
            numbers[i] = self._numbers[key]
        return numbers

    def parts(self) -> tuple[NDArray[Any], ...]:
        """As `Instances` are saved."""
        sizes = [len(rows) for rows, _, _ in self._kept]
        start = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
        none = (np.zeros(0, dtype=np.uint32), np.zeros(0))
        rows = np.concatenate([none[0], *(rows for rows, _, _ in self._kept)])
        values = np.concatenate([none[1], *(values for _, values, _ in self._kept)])
        return start, rows, values, np.array([norm2 for _, _, norm2 in self._kept])
