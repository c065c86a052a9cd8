"""Checks of what is to be evaluated."""

from __future__ import annotations

import numbers
from typing import Any

from river.datasets.base import SyntheticDataset


def check_ends(dataset: Any) -> None:
    """A stream that is to be read whole must have an end."""
    if isinstance(dataset, SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"{type(dataset).__name__} is endless; give a prefix of it, such as .take(1000)"
        )


def check_count(name: str, value: Any) -> None:
    """A parameter that counts something."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"`{name}` must be a positive integer, got {value!r}")
