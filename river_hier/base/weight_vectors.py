"""The weight vectors of linear learners and of least squares, by label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..taxonomy import Label
from .explanation import Contribution, effects


def _weights(model: Any) -> dict[Label, dict[Any, float]]:
    """The weight vector of each node but the root: `{label: {feature: weight}}`.

    Zero weights are left out. Computed at each call, in O(features * nodes).
    """
    names, first = model._features.names(), model._features.first_row
    labels = model._taxonomy.nodes[1:]
    vectors = (w[first:] for w in model._weights(range(1, len(labels) + 1)))
    return {
        label: {names[i]: float(w[i]) for i in np.flatnonzero(w)}
        for label, w in zip(labels, vectors, strict=True)
    }


def _intercepts(model: Any) -> dict[Label, float]:
    """The intercept of each node but the root, `{label: number}`.

    It is part of every score: the weight of the constant feature times its value, 0 without one.
    Computed at each call, in O(features * nodes).
    """
    features, nodes = model._features, model._taxonomy.nodes
    if not features.first_row:
        return dict.fromkeys(nodes[1:], 0.0)
    w = [w[0] for w in model._weights(range(1, len(nodes)))]
    return {label: features.intercept * float(c) for label, c in zip(nodes[1:], w, strict=True)}


weights: property = property(_weights)
intercepts: property = property(_intercepts)


def contributions(
    model: Any, x: Mapping[Any, Any], nodes: Sequence[int]
) -> list[list[Contribution]]:
    """The contribution of each feature, and of the intercept, to the score of each node."""
    constant = model._scores_one({})
    found = effects(model._scores_one, x, nodes)
    return [[*terms, ("intercept", constant[v])] for v, terms in zip(nodes, found, strict=True)]
