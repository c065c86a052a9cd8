"""Pickles that both backends can read, with a format version."""

from __future__ import annotations

from typing import Any

VERSION = 2
# The errors that `restore` may raise if the state is damaged.
_DAMAGE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def saved(kind: str, *state: Any) -> tuple[Any, ...]:
    """The result of `__reduce__`: the kind of an object and its state as plain arrays."""
    return restore, (kind, VERSION, *state)


def state(kernel: Any) -> tuple[Any, ...]:
    """The plain arrays of the saved state of an object of either backend."""
    _, (_, _, *parts) = kernel.__reduce__()
    return tuple(parts)


def restore(kind: str, version: int, *state: Any) -> Any:
    """The object of a pickle, made by the backend in use."""
    import river_hier._core as kernels  # imported late, once the backend is chosen

    if version != VERSION:
        raise ValueError(
            f"this pickle holds a {kind} of format {version!r}, and this version of river_hier "
            f"reads format {VERSION}; open it with the version that wrote it"
        )
    try:
        return getattr(kernels, kind).restore(*state)
    except _DAMAGE as error:
        raise ValueError(f"this pickle of a {kind} is damaged: {error}") from error
