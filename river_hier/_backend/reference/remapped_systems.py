"""Systems of least squares, carried over to the nodes of another taxonomy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...taxonomy import Arrays
from .least_squares import LeastSquares
from .pickles import state
from .remapping import Sources
from .saved_systems import SavedSystem, nothing_stored


class RemappedSystem(NamedTuple):
    """Where a new system comes from: some outputs of an old one, for `nodes`.

    `new` are more nodes, which were off in all that the old system has stored. Without an old
    system nothing is stored.
    """

    system: int | None
    outputs: list[int]
    nodes: list[int]
    new: list[int]


def remap_systems(rls: LeastSquares, plan: Sequence[RemappedSystem]) -> LeastSquares:
    """The systems of the new nodes, in the same core, by way of its saved state.

    O(numbers of all systems).
    """
    l2, memory, budget, parts, systems = state(rls)
    kept = [_kept(systems, *carried[:3]) for carried in plan]
    new = type(rls).restore(l2, memory, budget, parts, kept)
    for s, carried in enumerate(plan):
        if carried.new:
            new.add_outputs(s, carried.new)
    return new


def _kept(
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
    anew: frozenset[int],
) -> list[RemappedSystem]:
    """Nodes with the same parents share a system, as in H-RLS; `systems` are the old ones' nodes.

    A node that has moved keeps its instances, so it brings a system of its own. Those that start
    `anew` leave their siblings' systems, which hold what they shall not know.
    """
    places = {u: (s, output) for s, nodes in enumerate(systems) for output, u in enumerate(nodes)}
    plan = []
    for group in after.groups:
        kept: dict[int, list[int]] = {}
        new = [v for v in group.tolist() if not sources[v] and v not in anew]
        alone = [v for v in group.tolist() if v in anew]
        for v in group.tolist():
            if sources[v]:
                kept.setdefault(places[sources[v][0]][0], []).append(v)
        above = {u for p in _parents(after, group[0]) for u in sources[p]}
        for s, nodes in kept.items():
            outputs = [places[sources[v][0]][1] for v in nodes]
            stayed = above == set(_parents(before, sources[nodes[0]][0]))
            plan.append(RemappedSystem(s, outputs, nodes, new if stayed else []))
            new = [] if stayed else new
        if new or alone:
            plan.append(RemappedSystem(None, [], sorted(new + alone), []))
    # From the top down, as the steps walk.
    return sorted(plan, key=lambda carried: min(carried.nodes + carried.new))


def _parents(taxonomy: Arrays, v: int) -> list[int]:
    parents: list[int] = taxonomy.parent_index[
        taxonomy.parent_ptr[v] : taxonomy.parent_ptr[v + 1]
    ].tolist()
    return parents
