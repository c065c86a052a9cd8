"""What becomes of weights when the taxonomy changes, in dictionaries and loops."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from .trees import Node, Parents, Weights, path

Renamed = Mapping[Node, Node | None]


def heir(label: Node, before: Parents, after: Parents, renamed: Renamed) -> Node | None:
    """The node of `after` that carries on this one of `before`; None if it is forgotten."""
    if label == next(iter(before)):
        return next(iter(after))
    return renamed.get(label, label)


def carried_weights(w: Weights, before: Parents, after: Parents, renamed: Renamed) -> Weights:
    """Every node keeps its own weights, a merged one the mean, a new one has none."""
    kept: Weights = {}
    for v in after:
        sources = [u for u in before if heir(u, before, after, renamed) == v]
        kept[v] = _mean([w[u] for u in sources]) if after[v] else {}
    return kept


def carried_prototypes(w: Weights, before: Parents, after: Parents, renamed: Renamed) -> Weights:
    """Every prototype stays what it was, a merged one is the mean, a new one its parent's."""
    old = {v: _sum([w[u] for u in path(before, v)[1:]]) for v in before}
    new: Weights = {}
    for v in after:  # a parent comes before its children
        sources = [u for u in before if heir(u, before, after, renamed) == v]
        if not after[v]:
            new[v] = {}
        elif sources:
            new[v] = _mean([old[u] for u in sources])
        else:
            new[v] = new[after[v][0]]
    return {
        v: _sum([new[v], {a: -z for a, z in new[above[0]].items()}]) if above else {}
        for v, above in after.items()
    }


def _sum(vectors: list[dict[Hashable, float]]) -> dict[Hashable, float]:
    total: dict[Hashable, float] = {}
    for vector in vectors:
        for name, value in vector.items():
            total[name] = total.get(name, 0.0) + value
    return total


def _mean(vectors: list[dict[Hashable, float]]) -> dict[Hashable, float]:
    return {name: value / len(vectors) for name, value in _sum(vectors).items()}
