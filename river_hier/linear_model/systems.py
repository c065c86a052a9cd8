"""Systems of least squares of either backend, through their saved state.

They are discounted, moved to the nodes of another taxonomy, and divided among shards, all in the
same backend. `_core/reference/systems.py` describes the saved state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core.pickles import state
from .._core.reference.least_squares import in_dual_variables, in_primal_variables
from .._core.reference.systems import Parts, SavedSystem, nothing_stored
from ..taxonomy import NodeMapping

# Below this weight, or squared norm relative to l2, a discounted instance is dropped.
FAINT = 1e-3


def half_life(forgetting: float) -> int:
    """The examples after which a weight has fallen to one half, or just below."""
    return max(1, math.ceil(math.log(0.5) / math.log(forgetting)))


def discounted(
    rate: float, l2: float, parts: Parts, system: SavedSystem
) -> tuple[Parts, SavedSystem]:
    """Multiply the weight of everything that a system has seen by `rate`.

    In dual variables an instance of weight c is the vector sqrt(c) x with the label sqrt(c) v, so
    other systems no longer share it.
    """
    primal = system[0] == "primal"
    if primal:
        parts, system = in_dual_variables(l2, parts, system)
    kind, nodes, n_stored, ids, ones, v, w0 = system
    weights = np.maximum(rate * ones**2, rate * parts[3][ids] / l2)
    kept = weights >= (0.0 if primal else FAINT)
    start, rows, values, norms2 = chosen(parts, ids[kept])
    scale, numbers = math.sqrt(rate), np.arange(len(norms2), dtype=np.uint32)
    parts = start, rows, scale * values, rate * norms2
    system = kind, nodes, rate * n_stored, numbers, scale * ones[kept], scale * v[kept], w0
    return in_primal_variables(l2, parts, system) if primal else (parts, system)


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
    """The systems of the new nodes: O(numbers of all systems)."""
    *parameters, systems = state(rls)
    kept = []
    for s, outputs, nodes, _ in plan:
        kind, _, n_stored, *arrays = nothing_stored(nodes) if s is None else systems[s]
        if s is not None:
            for i in (1,) if kind == "primal" else (2, 3):  # w; v and w0
                arrays[i] = np.ascontiguousarray(arrays[i][:, outputs])
        kept.append((kind, nodes, n_stored, *arrays))
    new = type(rls).restore(*parameters, kept)
    for s, planned in enumerate(plan):
        if planned.new:
            new.add_outputs(s, planned.new)
    return new


def shared_systems(systems: Sequence[Sequence[int]], change: NodeMapping) -> list[RemappedSystem]:
    """Nodes with the same parents share a system, as in H-RLS; `systems` are the old ones' nodes.

    A moved node keeps its instances, so it gets its own system. Reset nodes leave the systems of
    their siblings, which contain the examples to forget.
    """
    sources, reset = change.sources, change.reset
    places = {u: (s, output) for s, nodes in enumerate(systems) for output, u in enumerate(nodes)}
    plan = []
    for group in (group.tolist() for group in change.after._arrays.groups):
        new = [v for v in group if not sources[v] and v not in reset]
        alone = [v for v in group if v in reset]
        kept: dict[int, list[int]] = {}
        for v in group:
            if sources[v]:
                kept.setdefault(places[sources[v][0]][0], []).append(v)
        parents = {u for p in change.after._parent_indices[group[0]] for u in sources[p]}
        for s, nodes in kept.items():
            outputs = [places[sources[v][0]][1] for v in nodes]
            stayed = parents == set(change.before._parent_indices[sources[nodes[0]][0]])
            plan.append(RemappedSystem(s, outputs, nodes, new if stayed else []))
            new = [] if stayed else new
        if new or alone:
            plan.append(RemappedSystem(None, [], sorted(new + alone), []))
    # Top-down, the order in which the steps visit them.
    return sorted(plan, key=lambda planned: min(planned.nodes + planned.new))


def merge_systems(shards: Sequence[Any], owners: Sequence[int | None]) -> Any:
    """Take system s from the shard `owners[s]`; where that is None, it is empty.

    Equal instances are stored once.
    """
    states = [state(shard) for shard in shards]
    *parameters, parts, empty = states[0]
    seen: dict[tuple[bytes, bytes], int] = {}  # the number of each distinct instance
    stored, systems = [chosen(parts, np.zeros(0, np.intp))], []
    for s, p in enumerate(owners):
        *_, parts, saved = states[p or 0]
        kind, nodes, n_stored, *arrays = nothing_stored(empty[s][1]) if p is None else saved[s]
        if kind != "primal":
            start, rows, values, _ = mine = chosen(parts, arrays[0])
            spans = [slice(a, z) for a, z in pairwise(start.tolist())]
            contents = [(rows[span].tobytes(), values[span].tobytes()) for span in spans]
            known = len(seen)
            arrays[0] = np.array([seen.setdefault(c, len(seen)) for c in contents], np.uint32)
            new, first = np.unique(arrays[0], return_index=True)
            stored.append(chosen(mine, first[new >= known]))
        systems.append((kind, nodes, n_stored, *arrays))
    return type(shards[0]).restore(*parameters, _joined(stored), systems)


def chosen(parts: Parts, which: NDArray[Any]) -> Parts:
    """Some of the instances, in this order."""
    start, rows, values, norms2 = parts
    sizes = np.diff(start.astype(np.intp))[which]
    ends = sizes.cumsum()
    entries = np.repeat(start.astype(np.intp)[which] - (ends - sizes), sizes) + np.arange(
        sizes.sum()
    )
    return np.append(0, ends).astype(np.uint64), rows[entries], values[entries], norms2[which]


def _joined(stored: Sequence[Parts]) -> Parts:
    """The instances of all parts."""
    sizes = [np.diff(start.astype(np.intp)) for start, *_ in stored]
    start = np.cumsum(np.concatenate([[0], *sizes])).astype(np.uint64)
    rows, values, norms2 = zip(*(arrays for _, *arrays in stored), strict=True)
    return start, np.concatenate(rows), np.concatenate(values), np.concatenate(norms2)
