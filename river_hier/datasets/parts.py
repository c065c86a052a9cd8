"""Which parts of an official split a stream reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["check_parts"]


def check_parts(parts: Sequence[str], known: Iterable[str]) -> None:
    """Raise unless these are one or several of the parts that there are."""
    known = tuple(known)
    try:
        fits = not isinstance(parts, str) and bool(parts) and set(parts) <= set(known)
    except TypeError:  # nothing to walk, or parts without a hash
        fits = False
    if not fits:
        raise ValueError(f"`parts` must be a list or tuple of some of {known}, got {parts!r}")
