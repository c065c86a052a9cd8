"""Optimal predictions under given probabilities, in trees.

A first pass goes down to all nodes that can be on; a second pass goes back up and decides for each
whether to switch it on if its parent is on. A node whose probability given its parent is below one
half is always off, whatever is below it, so its subtree is not visited.
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


def least_h_loss(marginals: Probabilities, children: Children, costs: Sequence[float]) -> list[int]:
    """The nodes that are on in the multilabel with the least expected H-loss."""
    visited = _visited(marginals, children)
    loss: dict[int, float] = {}  # of optimally decided subtrees; those not visited are off
    better = set()
    for v, parent in reversed(visited):
        below = sum(loss[i] if i in loss else costs[i] * marginals[i] for i in children[v])
        on = costs[v] * (marginals[parent] - marginals[v]) + below
        off = costs[v] * marginals[v]
        loss[v] = min(on, off)
        if on <= off:
            better.add(v)
    return _on(visited, better)


def likeliest(marginals: Probabilities, children: Children) -> list[int]:
    """The nodes that are on in the most probable multilabel: least expected zero-one loss."""
    visited = _visited(marginals, children)
    best: dict[int, float] = {}  # log probabilities, given that the parent is on
    better = set()
    for v, parent in reversed(visited):
        below = (
            best[i] if i in best else _log(1.0 - marginals[i] / marginals[v]) for i in children[v]
        )
        on = _log(marginals[v] / marginals[parent]) + sum(below)
        off = _log(1.0 - marginals[v] / marginals[parent])
        best[v] = max(on, off)
        if on >= off:
            better.add(v)
    return _on(visited, better)


def nearest(probabilities: Sequence[float], children: Children) -> int:
    """The node of least expected distance: the deepest whose subtree has over half of all mass.

    `probabilities` are those of whole subtrees. A step from a parent to a child is a step towards
    all nodes of the child's subtree and away from all others, so it pays if the latter have less
    than half of the mass.
    """
    v = 0
    half = probabilities[0] / 2
    while (heavy := next((i for i in children[v] if probabilities[i] > half), None)) is not None:
        v = heavy
    return v


def deepest(probabilities: Floats, depth: Ints, threshold: float) -> int:
    """The deepest node with at least this much mass in its subtree, or the root: O(nodes).

    Of several such nodes, the one with the largest mass, and of these the first. Above one half
    there is never more than one, as subtrees of the same depth are disjoint.
    """
    reached = np.flatnonzero(probabilities >= threshold)
    reached = reached[depth[reached] == depth[reached].max(initial=0)]
    return int(reached[probabilities[reached].argmax()]) if len(reached) else 0


def _visited(marginals: Probabilities, children: Children) -> Visited:
    """The nodes below the root that can be on."""
    visited: Visited = []
    at = [0]
    for v in at:
        may_be = [i for i in children[v] if marginals[i] and 2.0 * marginals[i] >= marginals[v]]
        visited += [(i, v) for i in may_be]
        at += may_be
    return visited


def _on(visited: Visited, better: set[int]) -> list[int]:
    """The nodes of `better` whose parents are on."""
    on = {0}
    for v, parent in visited:
        if v in better and parent in on:
            on.add(v)
    return sorted(on)


def _log(p: float) -> float:
    return math.log(p) if p > 0.0 else -math.inf
