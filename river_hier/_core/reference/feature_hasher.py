"""Feature dicts -> sparse vectors by hashing, with bounded memory."""

from __future__ import annotations

import math
import numbers
import zlib
from collections.abc import Hashable, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from ..pickles import saved
from .feature_index import read_odd
from .feature_map import FeatureMap, Vector


class FeatureHasher(FeatureMap):
    """A hash table of `n_rows` rows, a power of 2; the row of a name is the end of a checksum.

    The checksum is zlib's CRC-32 of the name in UTF-8 or, if it is not a str, of the `repr` of its
    `canonical` form after a byte that UTF-8 does not use: the same in every process, and for names
    that are equal. Values of names that share a row are added up. No names are stored, so `find`
    and `insert` are the same.
    """

    def __init__(self, n_rows: int, intercept: float = 0.0) -> None:
        super().__init__(intercept)
        self._n = n_rows

    def __len__(self) -> int:
        return self.first_row + self._n

    def find(self, x: Mapping[Hashable, Any]) -> Vector:
        """The vector of x, its rows in order of appearance."""
        names, values, norm2 = read_odd(x)
        sums: dict[int, float] = {}
        for name, value in zip(names, values, strict=True):
            row = self.row(name)
            sums[row] = sums.get(row, 0.0) + value
        found = np.array(list(sums.values()))
        if len(sums) < len(names):
            with np.errstate(over="ignore"):
                norm2 = float(found @ found)
            if not math.isfinite(norm2):
                raise ValueError(
                    "features that share a hashed row add up to more than a float holds; scale x"
                )
        vector = Vector(np.array(list(sums), dtype=np.intp), found, norm2)
        return vector.with_constant(self.intercept)

    def names(self) -> list[Hashable]:
        """The numbers of the rows, as names are not stored."""
        return list(range(self._n))

    def row(self, name: Hashable) -> int:
        """The row of one feature."""
        return self.first_row + checksum_of(name) % self._n

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("FeatureHasher", len(self) - self.first_row, self.intercept)

    @classmethod
    def restore(cls, n_rows: int, intercept: float = 0.0) -> FeatureHasher:
        """The features of a pickle."""
        if not isinstance(n_rows, int) or not 1 <= n_rows <= 2**31 or n_rows & (n_rows - 1):
            raise ValueError(f"{n_rows!r} rows")
        return cls(n_rows, intercept)


def checksum_of(name: Hashable) -> int:
    """The CRC-32 of a str, or of the repr of a canonical name after a byte that is not UTF-8."""
    name = canonical(name)
    text = name if isinstance(name, str) else repr(name)
    first = zlib.crc32(b"" if text is name else b"\xff")
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), first)


def canonical(name: Hashable) -> Hashable:
    """The same name for all that are equal as keys of a dict, as 1 for 1.0, True and numpy's 1.

    Its `repr` is the same in every process if that of its parts is. Only the equality of
    Python's and numpy's classes is taken into account.
    """
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, bytes):
        return bytes(name)
    if isinstance(name, tuple):
        return tuple(map(canonical, name))
    if isinstance(name, frozenset):
        return "frozenset", *sorted(repr(canonical(one)) for one in name)
    return _number(name) if isinstance(name, numbers.Number | np.bool_) else name


def _number(name: Any) -> Hashable:
    if isinstance(name, numbers.Complex):
        if name.imag != 0:
            return complex(name)
        name = name.real
    if isinstance(name, numbers.Integral | np.bool_):
        return int(name)
    with suppress(OverflowError):
        number = float(name)
        if number == name or math.isnan(number):
            return int(number) if number.is_integer() else number
    numerator, denominator = name.as_integer_ratio()
    return numerator if denominator == 1 else Fraction(numerator, denominator)
