"""Which nodes share a system of least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.least_squares import nothing_stored
from ..taxonomy import Taxonomy

Below = dict[tuple[int, ...], int]  # from parents to the system that new children join


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
        rls.add_outputs(below[above], nodes)


def without_branch(rls: Any, branch: Sequence[int], parents: Sequence[Any]) -> Any:
    """The systems, in which the nodes of a branch start again: O(numbers of all systems).

    They leave the systems of their siblings, which contain the examples to forget. Those with equal
    `parents` share a new one.
    """
    *parameters, systems = rls.saved()
    forgotten, fresh = set(branch), dict[Any, list[int]]()
    for v in branch:
        fresh.setdefault(parents[v], []).append(v)
    found = list(map(nothing_stored, fresh.values()))
    for kind, nodes, n_stored, n_visits, *arrays in systems:
        outputs = [output for output, v in enumerate(nodes) if v not in forgotten]
        for i in (1,) if kind == "primal" else (2, 3, 4):  # w; y, c and w0
            arrays[i] = np.ascontiguousarray(arrays[i][:, outputs])
        if outputs:
            found.append((kind, [nodes[i] for i in outputs], n_stored, n_visits, *arrays))
    # Top-down, the order in which the steps visit them.
    return type(rls)(*parameters, sorted(found, key=lambda system: min(system[1])))
