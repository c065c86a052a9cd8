"""Checks of constructor arguments."""

from __future__ import annotations

import math
import numbers
from typing import Any


def check_positive(name: str, value: Any) -> None:
    """A parameter must be a positive, finite number."""
    if not isinstance(value, numbers.Real) or not 0.0 < float(value) < math.inf:
        raise ValueError(f"`{name}` must be positive, got {value!r}")


def check_integer(name: str, value: Any, at_least: int) -> None:
    """A parameter that counts something."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"`{name}` must be an integer, got {value!r}")
    if value < at_least:
        raise ValueError(f"`{name}` must be at least {at_least}, got {value}")
