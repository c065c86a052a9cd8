"""Explanations: the contributions to the score of a node, and weights by label."""

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core.features import by_name
from ..taxonomy import Label

Floats = NDArray[np.float64]
Contribution = tuple[Any, float]  # a feature (or a stored example), and its part of a score


class Explanation(NamedTuple):
    """The decision about one node."""

    on: bool
    score: float
    probability: float  # that the node is on or, for a single label, contains it
    contributions: list[Contribution]


def explained(nodes: Mapping[Any, Explanation], taxonomy: Any, decimals: int) -> list[str]:
    """A line of text for each node, indented by its depth, with its largest contributions."""
    lines = []
    for label, why in nodes.items():
        largest = why.contributions[:3]
        names = [reprlib.repr(v) if isinstance(v, dict) else v for v, _ in largest]
        terms = [f"{v} {c:+.{decimals}f}" for v, (_, c) in zip(names, largest, strict=True)]
        line = f"{'  ' * taxonomy.depth(label)}{label!r}: {why.score:+.{decimals}f}"
        lines.append(line + f"  ({', '.join(terms)})" * bool(terms))
    return lines


def ranked(contributions: Iterable[Contribution]) -> list[Contribution]:
    """Sorted by absolute value, the largest first, without zeros."""
    return sorted(((w, float(c)) for w, c in contributions if c), key=lambda term: -abs(term[1]))


def effects(
    scores: Callable[[Mapping[Any, Any]], Floats], x: Mapping[Any, Any], nodes: Sequence[int]
) -> list[list[Contribution]]:
    """The contribution of each feature to scores that are linear in x, up to a constant."""
    nothing = scores({})
    alone = {name: scores({name: value}) - nothing for name, value in by_name(x).items()}
    return [[(name, effect[v]) for name, effect in alone.items()] for v in nodes]


def named(model: Any, labels: Iterable[Label], vectors: Iterable[Floats]) -> dict[Label, Any]:
    """The nonzero weights of each label, `{label: {feature: weight}}`."""
    names, first = model._features.names(), model._features.first_row
    return {
        label: {names[i]: float(w[first + i]) for i in np.flatnonzero(w[first:])}
        for label, w in zip(labels, vectors, strict=True)
    }


def _weights(model: Any) -> dict[Label, dict[Any, float]]:
    """The nonzero weights, `{label: {feature: weight}}`, without the root: O(features * nodes)."""
    labels = model._taxonomy.nodes[1:]
    return named(model, labels, model._weights(range(1, len(labels) + 1)))


def _intercepts(model: Any) -> dict[Label, float]:
    """The intercept of each node but the root, `{label: number}`: O(features * nodes).

    It is part of every score: the weight of the constant feature times its value, 0 without one.
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
    each = effects(model._scores_one, x, nodes)
    return [[*terms, ("intercept", constant[v])] for v, terms in zip(nodes, each, strict=True)]
