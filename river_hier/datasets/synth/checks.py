"""Checks of the parameters of synthetic streams."""

from __future__ import annotations

import math
import numbers
from typing import Any


def check_variance(name: str, value: Any) -> None:
    """A variance is a finite number, at least 0."""
    if not isinstance(value, numbers.Real) or not 0 <= float(value) < math.inf:
        raise ValueError(f"`{name}` must be a variance, a number of at least 0, got {value!r}")
