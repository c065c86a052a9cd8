"""Which nodes share a system of least squares, and how systems move with their nodes.

Systems are moved to the nodes of another taxonomy through their saved state, which
`_core/least_squares.py` describes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.least_squares import nothing_stored
from ..taxonomy import NodeMapping, Taxonomy

Below = dict[tuple[int, ...], int]  # from parents to the first system of their children


def half_life(forgetting: float) -> int:
    """The examples after which a weight has fallen to one half, or just below."""
    return max(1, math.ceil(math.log(0.5) / math.log(forgetting)))


def add_shared(rls: Any, below: Below, before: int, after: Taxonomy, is_open: bool) -> None:
    """Add nodes to the systems of their siblings, or new systems.

    The nodes of an open flat taxonomy share one from the start, when there may be no labels yet.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    if is_open and before == 1:
        groups[0,] = []
    for v in range(before, len(after)):
        groups.setdefault(after._parent_rows[v], []).append(v)
    n_systems = len(rls.n_stored)  # O(systems)
    for above, nodes in groups.items():
        if above not in below:
            below[above] = n_systems
            rls.add_system(nodes)
            n_systems += 1
            continue
        n_stored = rls.n_stored if is_open else []
        # The first one, unless it has been forgotten.
        s = n_stored.index(max(n_stored)) if is_open else below[above]
        rls.add_outputs(s, nodes)


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
    *parameters, systems = rls.saved()
    kept = []
    for s, outputs, nodes, _ in plan:
        kind, _, n_stored, n_visits, *arrays = nothing_stored(nodes) if s is None else systems[s]
        if s is not None:
            for i in (1,) if kind == "primal" else (2, 3, 4):  # w; y, c and w0
                arrays[i] = np.ascontiguousarray(arrays[i][:, outputs])
        kept.append((kind, nodes, n_stored, n_visits, *arrays))
    new = type(rls)(*parameters, kept)
    for s, planned in enumerate(plan):
        if planned.new:
            new.add_outputs(s, planned.new)
    return new


def remapped_systems(
    systems: Sequence[Sequence[int]], change: NodeMapping, shared: bool
) -> list[RemappedSystem]:
    """A system for each node or, if they are shared, for nodes with the same parents.

    `systems` are the nodes of the old ones. A moved node keeps its instances, so it gets its own
    system. Reset nodes leave the systems of their siblings, which contain the examples to forget.
    """
    sources, reset = change.sources, change.reset
    places = {u: (s, output) for s, nodes in enumerate(systems) for output, u in enumerate(nodes)}
    plan = []
    groups = [group.tolist() for group in change.after._arrays.groups]
    if not shared:
        groups = [[v] for siblings in groups for v in siblings]
    for group in groups:
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
