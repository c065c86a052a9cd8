"""Trees over classes by random mergers, and how often they would be right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .binary_tree import Children
from .divergence import Joint, Split, divergence, split


def agglomerate(
    classes: Sequence[Joint], rng: np.random.Generator
) -> tuple[list[Children], list[Split]]:
    """Merge two trees at a time, a pair with probability proportional to 2^-JS.

    As JS is at most one bit, these weights lie between 1/2 and 1. So a pair is proposed evenly and
    accepted with probability 2^-JS, which has the same law, takes fewer than two divergences for
    a merger instead of all O(k^2), and no matrix of them: O(k d) a tree.
    """
    forest = [(~c, joint) for c, joint in enumerate(classes)]
    children: list[Children] = []
    splits: list[Split] = []
    while len(forest) > 1:
        i, j = _pair(len(forest), rng)
        (left, a), (right, b) = forest[i], forest[j]
        both, node = split(a, b)
        if rng.random() < 2.0 ** -divergence(node):
            forest[i] = len(children), both  # the mutual source, with the weight of both
            del forest[j]
            children.append((left, right))
            splits.append(node)
    return children, splits


def problems(classes: Sequence[Joint], children: Sequence[Children]) -> list[Split]:
    """What the splits of a given tree have to tell apart: O(features of all nodes)."""
    nodes: list[Joint] = []
    splits: list[Split] = []
    for left, right in children:
        sides = (nodes[v] if v >= 0 else classes[~v] for v in (left, right))
        both, node = split(*sides)
        nodes.append(both)
        splits.append(node)
    return splits


def recursion(
    children: Sequence[Children], splits: Sequence[Split], error: Callable[[float], float]
) -> float:
    """R(root), with R(leaf) = 1 and R(v) = (1 - error(J_v)) (q_L R(L) + q_R R(R)) (Eq. 6)."""
    R: list[float] = []
    for (left, right), (q, J) in zip(children, splits, strict=True):
        R_L, R_R = (R[v] if v >= 0 else 1.0 for v in (left, right))
        R.append((1.0 - error(J)) * (q * R_L + (1.0 - q) * R_R))
    return R[-1] if R else 1.0


def _pair(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """Two of n, any two with the same probability."""
    i, j = int(rng.integers(n)), int(rng.integers(n - 1))
    j += j >= i
    return min(i, j), max(i, j)
