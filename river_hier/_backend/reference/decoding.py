"""The best answer under known probabilities, in trees.

One pass goes down to the nodes that may be on, one comes back up and decides for each whether it
had better be on, were its parent on. A node less likely than not, given that its parent is on, had
better be off whatever is below it: its subtree is not visited.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Probabilities = Sequence[float]  # P(on) of each node, never above its parent's; the root's is 1
Children = Sequence[Sequence[int]]  # of each node
Visited = list[tuple[int, int]]  # nodes and their parents, from the root down


def least_h_loss(likely: Probabilities, children: Children, costs: Sequence[float]) -> list[int]:
    """The nodes that are on in the answer of least expected H-loss."""
    visited = _visited(likely, children)
    loss: dict[int, float] = {}  # of the subtrees, decided as is best; those not visited are off
    better = set()
    for v, parent in reversed(visited):
        below = sum(loss[i] if i in loss else costs[i] * likely[i] for i in children[v])
        on = costs[v] * (likely[parent] - likely[v]) + below
        off = costs[v] * likely[v]
        loss[v] = min(on, off)
        if on <= off:
            better.add(v)
    return _on(visited, better)


def likeliest(likely: Probabilities, children: Children) -> list[int]:
    """The nodes that are on in the likeliest multilabel, that of least expected zero-one loss."""
    visited = _visited(likely, children)
    best: dict[int, float] = {}  # the logarithms of the probabilities, given that the parent is on
    better = set()
    for v, parent in reversed(visited):
        below = (best[i] if i in best else _log(1.0 - likely[i] / likely[v]) for i in children[v])
        on = _log(likely[v] / likely[parent]) + sum(below)
        off = _log(1.0 - likely[v] / likely[parent])
        best[v] = max(on, off)
        if on >= off:
            better.add(v)
    return _on(visited, better)


def nearest(probabilities: Sequence[float], children: Children) -> int:
    """The node of least expected distance: the deepest with more than half of all mass below it.

    `probabilities` are those of whole subtrees. A step from a parent to a child comes nearer to
    what is below the child and as far from all the rest, so it pays while that is less than half.
    """
    v = 0
    half = probabilities[0] / 2
    while (heavy := next((i for i in children[v] if probabilities[i] > half), None)) is not None:
        v = heavy
    return v


def deepest(probabilities: Floats, depth: Ints, threshold: float) -> int:
    """The deepest node with at least this much mass in its subtree, or the root: O(nodes).

    Of several the one with the largest mass, of those the first. Above one half there are never
    several: two subtrees of one depth share nothing.
    """
    reached = np.flatnonzero(probabilities >= threshold)
    reached = reached[depth[reached] == depth[reached].max(initial=0)]
    return int(reached[probabilities[reached].argmax()]) if len(reached) else 0


def _visited(likely: Probabilities, children: Children) -> Visited:
    """The nodes below the root that may be on."""
    visited: Visited = []
    at = [0]
    for v in at:
        may_be = [i for i in children[v] if likely[i] and 2.0 * likely[i] >= likely[v]]
        visited += [(i, v) for i in may_be]
        at += may_be
    return visited


def _on(visited: Visited, better: set[int]) -> list[int]:
    """Of those that had better be on, the ones whose parents are."""
    on = {0}
    for v, parent in visited:
        if v in better and parent in on:
            on.add(v)
    return sorted(on)


def _log(p: float) -> float:
    return math.log(p) if p > 0.0 else -math.inf
