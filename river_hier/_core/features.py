"""Reading of examples that compiled code leaves to Python: unusual ones, and all errors."""

import math
import numbers
from collections.abc import Hashable, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from operator import methodcaller
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..taxonomy.errors import is_missing, short

# An x with a smaller squared norm counts as zero: dividing by it would overflow.
SMALLEST_NORM2 = 1e-300


def read(x: Mapping[Hashable, Any]) -> tuple[NDArray[np.float64], float]:
    """The values of x and their squared norm, or an error that names the feature."""
    x = by_name(x)
    check_mapping(x)
    try:
        values = np.array(list(x.values()))
    except ValueError:  # values of several shapes
        values = np.empty(0, dtype=object)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        values = np.array([_value(name, value) for name, value in x.items()])
    with np.errstate(over="ignore"):
        values = values.astype(np.float64, copy=False)
        norm2 = float(values @ values)
    if not math.isfinite(norm2):
        raise ValueError(_whats_wrong(x, values.tolist()))
    if norm2 < SMALLEST_NORM2:
        return np.zeros(len(x)), 0.0
    return values, norm2


def by_name(x: Any) -> Any:
    """A row of an array as a dict, by the numbers of its columns; anything else as it is."""
    return dict(enumerate(x.tolist())) if isinstance(x, np.ndarray) and x.ndim == 1 else x


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
        elif isinstance(x, list | tuple):
            help_ = "; give a dict, or a row of numbers as a numpy array"
        elif x is not None:
            help_ = "; arrays and dataframes are for `learn_many` and `predict_many`"
        raise TypeError(f"x must be a dict of features, got {type(x).__name__}{help_}")


def read_odd(x: Mapping[Hashable, Any]) -> tuple[list[Hashable], list[float], float]:
    """Names, values and squared norm of an x that compiled code cannot read directly."""
    x = by_name(x)
    if isinstance(x, Mapping):
        x = dict(x)  # reading a value may run code that changes x
    values, _ = read(x)
    # Summed sequentially, as in compiled code.
    norm2 = float(np.add.accumulate(values * values)[-1]) if len(values) else 0.0
    return list(x), values.tolist(), norm2


_FILL_IN = "drop it, or fill it in (river's StatImputer fills in None)"


def _value(name: Hashable, value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    # numpy's timedelta64 is a subclass of its integers.
    number = isinstance(value, numbers.Real | np.bool_ | Decimal)
    if not number or isinstance(value, np.timedelta64):
        kind = type(value).__name__
        help_ = "drop it or encode it, e.g. with river's preprocessing.OneHotEncoder"
        if isinstance(value, str):
            help_ += f"; a text is read by LogTFIDF(on={name!r}) | model"
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


# Names


def checksum_of(name: Hashable) -> int:
    """The CRC-32 of a str, or of the repr of a canonical name after a byte that is not UTF-8."""
    name = canonical(name)
    text = name if isinstance(name, str) else repr(name)
    first = crc32(b"" if text is name else b"\xff")
    return crc32(text.encode("utf-8", "surrogatepass"), first)


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


# Lines of `name:value` pairs

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
