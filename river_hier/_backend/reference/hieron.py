"""The updates of Hieron, online and batch (Dekel, Keshet and Singer, 2004)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays, Label
from .feature_map import FeatureMap
from .labels import Labels
from .paths import path_sums
from .weights import Weights

Floats = NDArray[np.float64]


def distances_from(y: int, tree: Arrays) -> Floats:
    """gamma(y, v) for every node v: O(nodes)."""
    on_path = np.zeros(tree.n)
    on_path[_path(y, tree)] = 1.0
    shared = path_sums(on_path, tree)  # nodes that the paths of y and v have in common
    distances: Floats = tree.depth[y] + tree.depth - 2.0 * shared
    return distances


def hieron_step(w: Weights, C: float, features: FeatureMap, labels: Labels, x: Any, y: int) -> None:
    """One round of online Hieron: a move where the prediction is wrong."""
    w.check_range(features.find(x).norm2)
    vector = features.insert(x)
    scores = path_sums(w.scores(vector), labels.arrays)  # Eq. (2)
    y_hat = int(scores.argmax())  # Eq. (3)
    w.add(vector, *hieron_move(scores, vector.norm2, y, y_hat, labels.arrays, C))  # Eq. (7)


def hieron_answer(w: Weights, features: FeatureMap, labels: Labels, x: Any) -> Label:
    """The first of the labels with the largest score."""
    scores = path_sums(w.scores(features.find(x)), labels.arrays)
    return labels.taxonomy.nodes[int(scores.argmax())]


def averaged_hieron_step(
    w: Weights, lag: Weights, i: int, C: float, features: FeatureMap, labels: Labels, x: Any, y: int
) -> None:
    """Round i of batch Hieron: a move against the label of the largest loss, counted i times."""
    w.check_range(features.find(x).norm2)
    vector = features.insert(x)
    tree = labels.arrays
    scores = path_sums(w.scores(vector), tree)
    y_hat = int((scores + distances_from(y, tree) ** 0.5).argmax())  # the most of Eq. (5)
    nodes, steps = hieron_move(scores, vector.norm2, y, y_hat, tree, C)
    w.add(vector, nodes, steps)
    lag.add(vector, nodes, i * steps)


def hieron_move(
    scores: Floats, norm2: float, y: int, y_hat: int, tree: Arrays, C: float
) -> tuple[NDArray[np.intp], Floats]:
    """The nodes to move along x, and by how much, so that y wins over `y_hat` by its margin.

    Unless the step would be larger than C. `scores` are the prototypes' W^v . x. O(depth).
    """
    up, down = _path(y, tree), _path(y_hat, tree)
    shared = sum(a == b for a, b in zip(up, down, strict=False))
    up, down = up[shared:], down[shared:]
    gamma = len(up) + len(down)
    loss = scores[y_hat] - scores[y] + math.sqrt(gamma)  # Eq. (5)
    if gamma == 0 or norm2 == 0.0 or loss <= 0.0:
        return np.empty(0, dtype=np.intp), np.empty(0)
    alpha = min(C, loss / (gamma * norm2))  # Eq. (8)
    steps = [alpha] * len(up) + [-alpha] * len(down)  # Eq. (7)
    return np.array(up + down, dtype=np.intp), np.array(steps)


def _path(v: int, tree: Arrays) -> list[int]:
    """The nodes on the way from the root (left out: its w^0 is fixed at zero) down to v."""
    path = []
    while v:
        path.append(v)
        v = int(tree.parent_index[tree.parent_ptr[v]])
    return path[::-1]
