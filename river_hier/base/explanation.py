"""Why a node is on in an answer, or off."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Part = tuple[Any, float]


class Explanation(NamedTuple):
    """What the decision about a node is made of."""

    on: bool
    score: float
    probability: float  # that the node is on; of a single label, that it is the node or below it
    parts: list[Part]  # features (or stored examples) and what they add to the score

    def top_terms(self, decimals: int, most: int = 3) -> str:
        """The parts that weighed most, as text."""
        shown = (f"{_short(what)} {part:+.{decimals}f}" for what, part in self.parts[:most])
        return f"  ({', '.join(shown)})" if self.parts else ""


def ranked(parts: Iterable[Part]) -> list[Part]:
    """The largest first, whatever its sign; none that is zero."""
    return sorted(((w, float(p)) for w, p in parts if p), key=lambda part: -abs(part[1]))


def effects(
    scores: Callable[[Mapping[Any, Any]], Floats], x: Mapping[Any, Any], nodes: Sequence[int]
) -> list[list[Part]]:
    """What each feature adds to scores that are linear in x, or so but for a constant."""
    nothing = scores({})
    alone = {name: scores({name: value}) - nothing for name, value in x.items()}
    return [[(name, effect[v]) for name, effect in alone.items()] for v in nodes]


def shares(score: float, parts: Iterable[Part]) -> list[Part]:
    """Parts of a score that is their sum divided by 1 + r, divided likewise.

    Where they cancel, nothing is left to read 1 + r from: they stay as they are.
    """
    parts = list(parts)
    total, size = math.fsum(p for _, p in parts), math.fsum(abs(p) for _, p in parts)
    if abs(total) > 1e-9 * size:
        parts = [(what, p * (score / total)) for what, p in parts]
    return parts


def _short(what: Any) -> str:
    return reprlib.repr(what) if isinstance(what, dict) else str(what)
