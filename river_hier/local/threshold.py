"""When to go on: a number that a probability must reach, or a function that says so."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from ..taxonomy import Label

Threshold = float | Callable[[Label, float], bool]


def check_threshold(threshold: Any) -> None:
    """`threshold` must be a probability, or a function of a node and its probability."""
    if callable(threshold):
        return
    if not isinstance(threshold, numbers.Real) or not 0.0 <= float(threshold) <= 1.0:
        raise ValueError(
            "`threshold` must be between 0 and 1, or a function of a node and its probability, "
            f"got {threshold!r}"
        )


def reaches(threshold: Threshold, label: Label, probability: float) -> bool:
    """Whether a node is likely enough."""
    if callable(threshold):
        return bool(threshold(label, probability))
    return probability >= threshold
