"""How examples are read, one value at a time."""

import math
import numbers
from collections.abc import Mapping
from decimal import Decimal

import numpy as np


def number(value):
    """A finite float, or an error."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, np.timedelta64) or not isinstance(
        value, numbers.Real | Decimal | np.bool_
    ):
        raise TypeError(f"{value!r} is no number")
    try:
        found = float(value)
    except OverflowError as error:
        raise ValueError(f"{value!r} is too large") from error
    if not math.isfinite(found):
        raise ValueError(f"{value!r} is not finite")
    return found


def read(x):
    """The features of x as floats; all are 0 if the squared norm is below 1e-300."""
    if not isinstance(x, Mapping):
        raise TypeError(f"{x!r} is no dict")
    found = {name: number(value) for name, value in x.items()}
    norm2 = sum(value * value for value in found.values())
    if not math.isfinite(norm2):
        raise ValueError("the squared norm overflows")
    return found if norm2 >= 1e-300 else dict.fromkeys(found, 0.0)
