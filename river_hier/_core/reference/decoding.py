"""Decisions from the probabilities of all nodes.

In a tree, decoding takes two passes: the first goes down to all nodes that can be on, the second
goes back up and decides for each whether to switch it on if its parent is on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .feature_map import FeatureMap
from .labels import Labels
from .linear import averaged_scores, path_scores
from .paths import logistic, softmax, top_down
from .weights import Weights

Floats = NDArray[np.float64]
# A value of a node, from its index, its probability and that of its parent.
Value = Callable[[int, float, float], float]


def node_probabilities(
    w: Weights,
    lag: Weights | None,
    clocks: Any,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    unlearned: frozenset[int],
    calibration: Any = None,
    given: bool = False,
) -> Floats:
    """P(on) of each node or, with `given`, P(on | parents on), by a calibration if there is one.

    In the compiled backend this is not an array, and the functions below, which take it,
    compute the probabilities that they need: those of the nodes below the nodes that they visit.
    """
    scores = averaged_scores(w, lag, clocks, features.find(x))
    p: Floats = logistic(scores) if calibration is None else calibration.given(scores)
    p[list(unlearned)] = 0.0
    return p if given else labels.marginals(p)


def connected(
    labels: Labels, values: Floats, threshold: float, max_depth: int | None = None
) -> list[int]:
    """The nodes with at least this value whose parents have it, too, in taxonomy order.

    Nodes deeper than `max_depth` and the root are left out: O(nodes).
    """
    yes = values >= threshold
    if max_depth is not None:
        yes &= labels.arrays.depth <= max_depth
    on = top_down(yes, labels.arrays)
    nodes: list[int] = (np.flatnonzero(on[1:]) + 1).tolist()
    return nodes


def least_symmetric_difference(
    labels: Labels, p: Floats, missed: float, spurious: float
) -> list[int]:
    """The nodes that are on in the multilabel with the least expected symmetric difference."""
    nodes: list[int] = (np.flatnonzero((missed * p >= spurious * (1.0 - p))[1:]) + 1).tolist()
    return nodes


def least_h_loss(tree: Labels, p: Floats, costs: Floats | None = None) -> list[int]:
    """The nodes that are on in the multilabel with the least expected H-loss."""
    c = [1.0] * len(p) if costs is None else costs.tolist()
    return _decide(
        tree,
        p.tolist(),
        on=lambda v, p, above: c[v] * (above - p),
        off=lambda v, p, above: c[v] * p,
        better=lambda on, off: on <= off,
    )


def likeliest(tree: Labels, p: Floats) -> list[int]:
    """The nodes that are on in the most probable multilabel."""
    return _decide(
        tree,
        p.tolist(),
        on=lambda v, p, above: _log(p / above),
        off=lambda v, p, above: _log(1.0 - p / above),
        better=lambda on, off: on >= off,
    )


def ranked(
    labels: Labels, values: Floats, k: int, leaves: bool, depth: int | None, multilabel: bool
) -> list[tuple[int, float]]:
    """The k nodes with the largest values that are not nan: O(nodes + k log k).

    Of equal ones the first is better, for a multilabel the deepest, and then the first; its root,
    which is always on, is not ranked. With `node_probabilities` of a tree, the compiled backend
    visits only the nodes below those that may be among the k.
    """
    among, depths = ~np.isnan(values), labels.taxonomy._arrays.depth
    among[0] &= not multilabel
    if leaves:
        among[labels.taxonomy._arrays.parent_index] = False
    if depth is not None:
        among &= depths == depth
    nodes = np.flatnonzero(among)
    if k < len(nodes):  # those that are at least as good as the k-th
        best = values[nodes]
        nodes = nodes[best >= np.partition(best, -k)[-k]]
    ties = -depths[nodes] if multilabel else np.zeros(len(nodes))
    order = np.lexsort((nodes, ties, -values[nodes]))[:k]
    return [(v, float(values[v])) for v in nodes[order].tolist()]


def ranked_paths(
    w: Weights,
    lag: Weights | None,
    clocks: Any,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    k: int,
    leaves: bool,
) -> list[tuple[int, float]]:
    """The k labels with the largest sums of scores along their paths, and the softmax of these."""
    scores = path_scores(w, lag, clocks, features, labels, x)
    p = softmax(scores)
    return [(v, float(p[v])) for v, _ in ranked(labels, scores, k, leaves, None, False)]


def _decide(
    tree: Labels, p: Sequence[float], on: Value, off: Value, better: Callable[[float, float], bool]
) -> list[int]:
    children = tree.taxonomy._child_indices
    visited = _candidates(p, children)
    best: dict[int, float] = {}  # the best values of subtrees; those not visited are off
    chosen = set()
    for v, parent in reversed(visited):
        below = sum(best[k] if k in best else off(k, p[k], p[v]) for k in children[v])
        if_on, if_off = on(v, p[v], p[parent]) + below, off(v, p[v], p[parent])
        if better(if_on, if_off):
            chosen.add(v)
        best[v] = if_on if v in chosen else if_off
    found = {0}
    for v, parent in visited:
        if v in chosen and parent in found:
            found.add(v)
    return sorted(found - {0})


def _candidates(p: Sequence[float], children: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The nodes below the root that can be on, and their parents, from the root down.

    A node whose probability given its parent is below one half is off, whatever is below it.
    """
    found: list[tuple[int, int]] = []
    reached = [0]
    for v in reached:
        may_be = [i for i in children[v] if p[i] and 2.0 * p[i] >= p[v]]
        found += [(i, v) for i in may_be]
        reached += may_be
    return found


def _log(p: float) -> float:
    return math.log(p) if p > 0.0 else -math.inf
