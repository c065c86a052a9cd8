"""Checks of the parameters of synthetic streams."""

from __future__ import annotations

import math
import numbers
from typing import Any


def check_variance(name: str, value: Any) -> None:
    """A variance is a finite number, at least 0."""
    if not _lies_in(value, 0.0, math.inf):
        raise ValueError(f"`{name}` must be a variance, a number of at least 0, got {value!r}")


def check_probability(name: str, value: Any) -> None:
    """A probability is a number from 0 to 1."""
    if not _lies_in(value, 0.0, 1.0):
        raise ValueError(f"`{name}` must be a probability, a number from 0 to 1, got {value!r}")


def check_number(name: str, value: Any, at_least: float) -> None:
    """A finite number that is not too small."""
    if not _lies_in(value, at_least, math.inf):
        raise ValueError(f"`{name}` must be a number of at least {at_least}, got {value!r}")


def _lies_in(value: Any, least: float, most: float) -> bool:
    try:
        number = float(value) if isinstance(value, numbers.Real) else math.nan
    except OverflowError:  # an int that is larger than any float
        return False
    return math.isfinite(number) and least <= number <= most
