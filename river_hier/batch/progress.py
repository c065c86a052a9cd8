"""A progress bar for what takes long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def progress(steps: Iterable[T], name: str) -> Iterable[T]:
    """The steps, with a bar after some seconds if `tqdm` is installed."""
    try:
        from tqdm import tqdm  # an extra: training works without it
    except ImportError:
        return steps
    return tqdm(steps, desc=name, delay=5.0, leave=False)
