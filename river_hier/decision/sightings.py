"""Which examples were learned before: in an earlier pass, or replayed from a buffer."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, NamedTuple
from zlib import crc32

MOST = 2**12  # examples that are remembered
ALPHABET = 16  # sightings an example, on average, beyond which repetitions are no passes
DENSE = 20  # one pair of neighbours in so many, with the same names, makes features dense


class Sighting(NamedTuple):
    """An example as it arrives; nothing is remembered before `Sightings.add`."""

    names: int
    whole: int
    dense: bool
    sampled: bool
    first: bool


class Sightings:
    """Recognises examples by hash values of x, in bounded memory: O(features of x) per step.

    Sparse examples are recognised by the names of their features, as weights such as tf-idf change
    with time; dense ones, where neighbours in the stream have the same names, by names and values.

    Of a long stream a sample is remembered, all examples whose hash value is a multiple of a power
    of two. It contains an example in every pass or in none, so what is not remembered is never
    mistaken for new.
    """

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.n = 0  # sightings in the sample
        self.every = 1  # the sample: multiples of this
        self.dense = False
        self.last = 0, 0  # names and whole of the latest example
        self.steps = self.alike = 0  # all examples; those whose neighbour had the same names

    def look(self, x: Any) -> Sighting:
        """Whether x is in the sample and, if so, whether it is there for the first time."""
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


def digests(x: Any) -> tuple[int, int]:
    """Hash values of the names of features, and of the names with their values."""
    if not isinstance(x, Mapping):
        whole = crc32(repr(x).encode("utf-8", "surrogatepass"))
        return whole, whole
    names = crc32(repr(list(x)).encode("utf-8", "surrogatepass"))
    values = list(x.values())
    try:
        return names, crc32(array("d", values).tobytes(), names)
    except TypeError:  # not all of them are numbers
        return names, crc32(repr(values).encode("utf-8", "surrogatepass"), names)
