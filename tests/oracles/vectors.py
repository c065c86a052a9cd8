"""Sparse vectors as dicts."""

from collections.abc import Hashable

from .trees import Features


def dot(w: Features, x: Features) -> float:
    """w . x."""
    return sum((w.get(name, 0.0) * value for name, value in x.items()), 0.0)


def add(w: dict[Hashable, float], scale: float, x: Features) -> None:
    """w += scale x, in place."""
    for name, value in x.items():
        w[name] = w.get(name, 0.0) + scale * value
