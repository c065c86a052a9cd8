"""Trees that merge the most similar classes first, by how much the size of a pair counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from river_hier import Taxonomy

Floats = NDArray[np.float64]


def agglomerated(
    class_counts: Mapping[Any, float], feature_counts: Mapping[Any, Mapping[Any, float]], a: float
) -> Taxonomy:
    """Always merge the pair with the smallest JS times (share of the examples) ** a.

    With a = 1 this is `JensenShannonTree()`. With a = 0 it is the limit of drawing pairs with
    probability proportional to 2 ** (-m JS), where m is the same for all pairs and large.
    """
    P, priors = joint(class_counts, feature_counts)
    forest: list[Any] = list(class_counts)
    edges: list[tuple[str, Any]] = []
    costs = np.full((len(forest), len(forest)), np.inf)
    for i in range(len(forest)):
        costs[i, i + 1 :] = cost(P, priors, i, a)[i + 1 :]
    for merge in range(len(forest) - 1, 0, -1):
        i, j = divmod(int(costs.argmin()), len(costs))
        edges += [(f"split {merge}", forest[i]), (f"split {merge}", forest[j])]
        forest[i] = f"split {merge}"
        P[i] += P[j]
        priors[i] += priors[j]
        costs[j], costs[:, j] = np.inf, np.inf
        fresh = cost(P, priors, i, a)
        costs[i, i + 1 :] = np.where(np.isinf(costs[i, i + 1 :]), np.inf, fresh[i + 1 :])
        costs[:i, i] = np.where(np.isinf(costs[:i, i]), np.inf, fresh[:i])
    return Taxonomy(edges)


def joint(
    class_counts: Mapping[Any, float], feature_counts: Mapping[Any, Mapping[Any, float]]
) -> tuple[Floats, Floats]:
    """The joint probabilities of classes and features, and the priors."""
    columns: dict[Any, int] = {}
    for counts in feature_counts.values():
        for name in counts:
            columns.setdefault(name, len(columns))
    P = np.zeros((len(class_counts), len(columns)))
    for row, label in zip(P, class_counts, strict=True):
        counts = feature_counts[label]
        row[[columns[name] for name in counts]] = list(counts.values())
    priors = np.array(list(class_counts.values())) / sum(class_counts.values())
    return P * (priors / P.sum(axis=1))[:, None], priors


def cost(P: Floats, priors: Floats, i: int, a: float) -> Floats:
    """JS of class i and each class, in bits, times the share of both to the power of a."""
    share = priors + priors[i]
    J = (plogp(P + P[i]) - plogp(P) - plogp(P[i])) / share
    q = priors / share
    entropy = -plogp(np.stack([q, 1.0 - q], axis=1))
    JS: Floats = (entropy - J).clip(0.0)
    return JS * share**a


def plogp(p: Floats) -> Floats:
    """The sums of p log2 p over the last axis."""
    sums: Floats = (p * np.log2(np.where(p > 0.0, p, 1.0))).sum(axis=-1)
    return sums
