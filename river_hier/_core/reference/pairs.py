"""Lines of `name:value` pairs."""

from __future__ import annotations

import math
from operator import methodcaller

_split = methodcaller("split", ":")


def read_pairs(text: str) -> dict[str, float] | None:
    """The features of pairs between spaces.

    None if a pair is broken, a name is empty or comes twice, or the sum of the values, and so
    possibly one of them, is not finite.
    """
    pairs = text.split()
    try:
        x = {name: float(value) for name, value in map(_split, pairs)}  # two parts each
    except ValueError:
        return None
    sound = len(x) == len(pairs) and "" not in x and math.isfinite(sum(x.values()))
    return x if sound else None
