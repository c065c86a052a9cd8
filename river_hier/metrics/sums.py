"""Exactly revertible sums.

River's `stats.Mean` rounds at every step, so `revert` does not remove all traces of an example: a
weight of 1e9 among weights of 1 leaves 1e-7, and weights of 0.1, 0.2 and 0.3 may end below zero,
which is an error there. A first weight of 0 divides by zero. Here sums are rounded only when they
are read, so `revert` is exact, and reverting an example that was never added can be refused.

"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

Counts = Sequence[tuple[Hashable, float]]
Partials = tuple[float, ...]


def plus(partials: Partials, x: float) -> Partials:
    """Add x to a sum without rounding errors (Shewchuk, 1997): adding -x undoes adding x.

    A sum is a tuple of floats without overlapping bits, the smallest first, and without 0. A step
    takes O(number of floats), which is one for whole numbers.

    >>> total = ()
    >>> for x in (1e16, 1.0, -1e16):
    ...     total = plus(total, x)
    >>> total
    (1.0,)

    """
    found = []
    for y in partials:
        if abs(x) < abs(y):
            x, y = y, x
        high = x + y
        low = y - (high - x)
        if low:
            found.append(low)
        x = high
    return (*found, x) if x else tuple(found)


class Sums:
    """Weighted sums by key.

    >>> sums = Sums()
    >>> sums.add([("right", 2.0), ("all", 3.0)], w=0.1)
    >>> sums.add([("all", 3.0)], w=0.2)
    >>> sums.remove([("right", 2.0), ("all", 3.0)], w=0.1)
    >>> list(sums)
    ['all']
    >>> sums["all"]
    0.6

    """

    def __init__(self) -> None:
        self._sums: dict[Any, Partials] = {}

    def add(self, counts: Counts, w: float) -> None:
        """Add an example of weight w."""
        self._add(counts, _weight(w))

    def remove(self, counts: Counts, w: float) -> None:
        """Remove an example of weight w. Counts are at least 0, so no sum may become negative."""
        w = _weight(w)
        if any(w * count > self[key] for key, count in counts):
            raise ValueError(
                f"cannot revert an example of weight {w!r} that the metric was not updated with"
            )
        self._add(counts, -w)

    def _add(self, counts: Counts, w: float) -> None:
        new: dict[Any, Partials] = {}
        for key, count in counts:
            total = new[key] if key in new else self._sums.get(key, ())
            new[key] = plus(total, w * count)
        self._sums.update(new)  # all at once: an interrupt comes before or after
        if not all(new.values()):
            for key in [key for key, total in new.items() if not total]:
                del self._sums[key]

    def __getitem__(self, key: Hashable) -> float:
        return math.fsum(self._sums.get(key, ()))

    def __contains__(self, key: object) -> bool:  # `in` would iterate
        return key in self._sums

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, total in self._sums.items() if total])


def _weight(w: float) -> float:
    if not isinstance(w, numbers.Real) or not 0.0 <= float(w) < math.inf:
        raise ValueError(f"`w` must be a finite number of at least 0, got {w!r}")
    return float(w)  # a float32 of numpy would reduce the precision of the sums
