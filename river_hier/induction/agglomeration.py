"""A random binary tree over classes, merged from the leaves up."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .binary_tree import Children
from .divergence import Floats, Joint, Split, divergences, merge


def agglomerate(
    classes: Sequence[Joint], costs: Floats, n: float, rng: np.random.Generator
) -> tuple[list[Children], list[Split]]:
    """Merge two trees at a time, drawn with probability proportional to 2^-cost.

    A merged tree takes the place of its left part in the matrix of costs.
    """
    forest = dict(enumerate(classes))
    number = {c: ~c for c in forest}  # the number of each tree in the result
    children: list[Children] = []
    splits: list[Split] = []
    costs = costs.copy()
    while len(forest) > 1:
        left, right = _draw(costs, n, rng)
        forest[left], split = merge(forest[left], forest.pop(right))  # the mutual source
        children.append((number.pop(left), number.pop(right)))
        splits.append(split)
        number[left] = len(splits) - 1
        costs[right], costs[:, right] = np.inf, np.inf
        others = np.array([v for v in forest if v != left], dtype=np.intp)
        found = costs_of(forest[left], [forest[v] for v in others], n)
        costs[np.minimum(left, others), np.maximum(left, others)] = found
    return children, splits


def _draw(costs: Floats, n: float, rng: np.random.Generator) -> tuple[int, int]:
    """A pair of finite cost; if n is infinite, the first one with the smallest cost."""
    if n == math.inf:
        pair = int(costs.argmin())
    else:
        weights = np.exp2(costs.min() - costs).cumsum()
        pair = int(weights.searchsorted(rng.random() * weights[-1], side="right"))
    left, right = divmod(pair, len(costs))
    return left, right


def costs_of(one: Joint, others: Sequence[Joint], n: float) -> Floats:
    """JS of one tree and each other, times n times the prior of the two but at least times 1.

    For an infinite n, JS times the prior: the information about the class that a merge loses.
    """
    JS, weights = divergences(one, others)
    return weights * JS if n == math.inf else np.maximum(n * weights, 1.0) * JS


def all_costs(classes: Sequence[Joint], n: float) -> Floats:
    """The cost of each pair of classes above the diagonal, infinity elsewhere."""
    costs = np.full((len(classes), len(classes)), np.inf)
    for c in range(len(classes) - 1):
        costs[c, c + 1 :] = costs_of(classes[c], classes[c + 1 :], n)
    return costs
