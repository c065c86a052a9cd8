"""The nodes of a large taxonomy that are drawn."""

from __future__ import annotations

import numpy as np

from ..base.checks import check_integer
from ..taxonomy import Taxonomy
from ..taxonomy.graph import reach
from ..taxonomy.show import names


def selected(
    whole: Taxonomy, values: dict[int, float], max_depth: int | None, top: int | None
) -> tuple[Taxonomy, dict[int, float], list[str], list[str]]:
    """The part that is drawn, its values, the names of its nodes, and the nodes left out below."""
    if max_depth is not None:
        check_integer("max_depth", max_depth, 0)
    if top is not None:
        check_integer("top", top, 1)
    low = np.ones(len(whole), dtype=bool) if max_depth is None else whole._arrays.depth <= max_depth
    kept = _top(whole, np.flatnonzero(low).tolist(), values, len(whole) if top is None else top)
    part = whole.subset([whole.nodes[v] for v in kept]) if len(kept) < len(whole) else whole
    text = names(whole)
    below = dict.fromkeys(kept, 0)  # the nodes left out, at their nearest drawn ancestor
    nearest: dict[int, int] = {}
    for v, parents in enumerate(whole._parent_indices):
        nearest[v] = v if v in below else nearest[parents[0]]
        below[nearest[v]] += nearest[v] != v
    number = [whole.index(label) for label in part.nodes]
    place = {v: i for i, v in enumerate(number)}
    found = {place[v]: value for v, value in values.items() if v in place}
    left_out = [f" (+{below[v]:,})" if below[v] else "" for v in number]
    return part, found, [text[v] for v in number], left_out


def _top(taxonomy: Taxonomy, nodes: list[int], values: dict[int, float], top: int) -> set[int]:
    """At most `top` of the nodes, with their ancestors."""
    if len(nodes) <= top:
        return set(nodes)
    parents, size = taxonomy._parent_indices, np.ones(len(taxonomy))
    for v in range(len(taxonomy) - 1, 0, -1):
        size[parents[v][0]] += size[v]
    kept = {0}
    for v in sorted(nodes, key=lambda v: (-abs(values.get(v, 0.0)), -size[v], v)):
        path = {v} | reach(parents, v)
        if len(kept | path) <= top:
            kept |= path
    return kept
