"""Feature dicts -> sparse vectors, by an index of feature names."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping
from decimal import Decimal
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy.errors import is_missing, short
from ..pickles import saved
from .feature_map import FeatureMap, Vector

# An x with a smaller squared norm counts as zero: dividing by it would overflow.
SMALLEST_NORM2 = 1e-300


class FeatureIndex(FeatureMap):
    """The rows of all features learned so far, in order of appearance.

    Only `insert` adds features; a feature that was never learned has weight zero everywhere, so
    `find` leaves it out. Both take O(features of x).
    """

    def __init__(self, intercept: float = 0.0) -> None:
        super().__init__(intercept)
        self._rows: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return self.first_row + len(self._rows)

    def find(self, x: Mapping[Hashable, Any]) -> Vector:
        """The vector of x over the features already known."""
        values, norm2 = read(x)
        rows = np.fromiter(map(self._rows.get, x, repeat(-1)), np.intp, len(x))
        if len(rows) and rows.min() < 0:
            known = rows >= 0
            rows, values = rows[known], values[known]
        return Vector(rows, values, norm2).with_constant(self.intercept)

    def insert(self, x: Mapping[Hashable, Any]) -> Vector:
        """The vector of x; features seen for the first time get the next rows."""
        values, norm2 = read(x)
        table = self._rows
        before = len(table)
        try:
            found = (table.setdefault(name, self.first_row + len(table)) for name in x)
            rows = np.fromiter(found, np.intp, len(x))
        except BaseException:  # a name's __hash__ or __eq__ failed: add no features
            while len(table) > before:
                table.popitem()
            raise
        return Vector(rows, values, norm2).with_constant(self.intercept)

    def names(self) -> list[Hashable]:
        """The features in the order of their rows."""
        return list(self._rows)

    def row(self, name: Hashable) -> int | None:
        """The row of one feature, if it is known."""
        return self._rows.get(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("FeatureIndex", self.names(), self.intercept)

    @classmethod
    def restore(cls, names: list[Hashable], intercept: float = 0.0) -> FeatureIndex:
        """The features of a pickle."""
        features = cls(intercept)
        features.insert(dict.fromkeys(names, 0.0))
        if not isinstance(names, list) or len(features) < features.first_row + len(names):
            raise ValueError("a feature comes twice")
        return features


class FeatureRows(FeatureMap):
    """Features whose names are the numbers of their rows, as in shards.

    A negative number is a feature without a row.
    """

    def __len__(self) -> int:
        return self.first_row

    def find(self, x: Mapping[Hashable, Any]) -> Vector:
        """The vector of x over the features with a row."""
        values, norm2 = read(x)
        rows = np.array(list(x), dtype=np.intp)
        known = rows >= 0
        return Vector(rows[known], values[known], norm2).with_constant(self.intercept)

    def names(self) -> list[Hashable]:
        """No names, as none are stored."""
        return []

    def row(self, name: Any) -> int | None:
        """The number itself."""
        return None if name < 0 else int(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("FeatureRows", self.intercept)

    @classmethod
    def restore(cls, intercept: float) -> FeatureRows:
        """The features of a pickle."""
        return cls(intercept)


def read(x: Mapping[Hashable, Any]) -> tuple[NDArray[np.float64], float]:
    """The values of x and their squared norm, or an error that names the feature."""
    check_mapping(x)
    try:
        values = np.array(list(x.values()))
    except ValueError:  # values of several shapes
        values = np.empty(0, dtype=object)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        values = np.array([_number(name, value) for name, value in x.items()])
    with np.errstate(over="ignore"):
        values = values.astype(np.float64, copy=False)
        norm2 = float(values @ values)
    if not math.isfinite(norm2):
        raise ValueError(_whats_wrong(x, values.tolist()))
    if norm2 < SMALLEST_NORM2:
        return np.zeros(len(x)), 0.0
    return values, norm2


def check_mapping(x: Any) -> None:
    """Raise an error unless x is a dict."""
    if not isinstance(x, Mapping):
        help_ = ""
        if isinstance(x, str):
            help_ = "; before the model put a transformer of texts, e.g. LogTFIDF() | model"
        elif hasattr(x, "to_dict") and not hasattr(x, "columns"):
            help_ = "; give x.to_dict()"
        elif hasattr(x, "_asdict"):
            help_ = "; give x._asdict()"
        elif x is not None:
            help_ = "; arrays and dataframes are for `learn_many` and `predict_many`"
        raise TypeError(f"x must be a dict of features, got {type(x).__name__}{help_}")


def read_odd(x: Mapping[Hashable, Any]) -> tuple[list[Hashable], list[float], float]:
    """Names, values and squared norm of an x that compiled code cannot read directly."""
    if isinstance(x, Mapping):
        x = dict(x)  # reading a value may run code that changes x
    values, _ = read(x)
    # Summed sequentially, as in compiled code.
    norm2 = float(np.add.accumulate(values * values)[-1]) if len(values) else 0.0
    return list(x), values.tolist(), norm2


_FILL_IN = "drop it, or fill it in (river's StatImputer fills in None)"


def _number(name: Hashable, value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    # numpy's timedelta64 is a subclass of its integers.
    number = isinstance(value, numbers.Real | np.bool_ | Decimal)
    if not number or isinstance(value, np.timedelta64):
        kind = type(value).__name__
        help_ = "drop it or encode it, e.g. with river's preprocessing.OneHotEncoder"
        if is_missing(value):
            help_ = _FILL_IN
        elif isinstance(value, list | tuple | np.ndarray):
            help_ = (
                "make each element a feature, e.g. by dict(enumerate(values)), or, for a column "
                "of vectors, np.stack(column)"
            )
        raise ValueError(f"feature {short(name)} is {short(value)} ({kind}), not a number; {help_}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(_too_large(name, value)) from None
    except ValueError:  # Decimal's signaling nan
        return math.nan


def _whats_wrong(x: Mapping[Hashable, Any], values: list[float]) -> str:
    """Why the squared norm of x is not finite."""
    for (name, given), value in zip(x.items(), values, strict=True):
        if math.isinf(value) and abs(given) != math.inf:
            return _too_large(name, given)
        if math.isnan(value):
            return (
                f"feature {short(name)} is nan; values must be finite: {_FILL_IN}. MinMaxScaler "
                "gives nan for features that it has not learned: let it learn first, or use "
                "StandardScaler"
            )
        if not math.isfinite(value):
            return f"feature {short(name)} is {value!r}; values must be finite: drop it or clip it"
    name = max(x, key=dict(zip(x, map(abs, values), strict=True)).__getitem__)
    return f"feature {short(name)} is {x[name]!r}: the squared norm of x overflows; scale it"


def _too_large(name: Hashable, value: Any) -> str:
    # The value itself may have thousands of digits.
    return f"feature {short(name)} is too large for a float (a {type(value).__name__}); scale it"
