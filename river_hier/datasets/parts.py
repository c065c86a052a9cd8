"""Which parts of an official split a stream reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["check_parts"]


def check_parts(parts: Sequence[str], known: Iterable[str]) -> None:
    """Raise unless these are one or several of the parts that there are."""
    known = tuple(known)
    if isinstance(parts, str) or not parts or not set(parts) <= set(known):
        raise ValueError(f"`parts` must be a list or tuple of some of {known}, got {parts!r}")
