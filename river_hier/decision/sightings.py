"""Recognises examples that were learned before, in an earlier pass or replayed from a buffer."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import digests

MOST = 2**12  # maximum number of examples remembered
ALPHABET = 16  # if examples occur more often on average, repetitions do not count as passes
DENSE = 20  # features are dense if one in so many pairs of neighbours has the same names


class Sighting(NamedTuple):
    """The hash values of an example; `Sightings.add` remembers them."""

    names: int
    whole: int
    dense: bool
    sampled: bool
    first: bool


class Sightings:
    """Recognises examples by hash values of x, in bounded memory: O(features of x) per step.

    Sparse examples are recognised by the names of their features, since weights such as tf-idf
    change with time. Dense examples, which have the same names as their neighbours in the stream,
    are recognised by names and values.

    Of a long stream, only a sample is remembered: the examples whose hash value is a multiple of a
    power of two. An example is in the sample in every pass or in none, so an example that is not
    remembered is never mistaken for a new one.
    """

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.n: int = 0  # sightings in the sample
        self.every: int = 1  # the sample has the hash values that are multiples of this
        self.dense: bool = False
        self.last: tuple[int, int] = 0, 0  # `names` and `whole` of the latest example
        self.steps: int = 0  # number of examples
        self.alike: int = 0  # of those with the names of their neighbour

    def look(self, x: Any) -> Sighting:
        """Whether x is in the sample and, if so, whether it occurs for the first time."""
        names, whole = digests(x)
        dense = self.dense or (
            self._like_the_last(names, whole) and (self.alike + 1) * DENSE > self.steps
        )
        key = whole if dense else names
        sampled = key % self.every == 0
        known = key in self.seen and self.n <= ALPHABET * len(self.seen)
        return Sighting(names, whole, dense, sampled, sampled and not known)

    def add(self, sighting: Sighting) -> None:
        """Remember an example that has been learned."""
        names, whole, dense, sampled, _ = sighting
        self.steps += 1
        self.alike += self._like_the_last(names, whole)
        if dense and not self.dense:  # start again, with the neighbour
            self.dense, self.seen, self.n, self.every = True, {self.last[1]}, 1, 1
        self.last = names, whole
        if not sampled:
            return
        self.seen.add(whole if dense else names)
        self.n += 1
        if len(self.seen) > MOST:
            self.every *= 2
            self.seen = {key for key in self.seen if key % self.every == 0}
            self.n //= 2

    def _like_the_last(self, names: int, whole: int) -> bool:
        return names == self.last[0] and whole != self.last[1]
