"""Pickles and copies of compiled objects: plain values and arrays, with a version of the format."""

import copyreg
from typing import Any

import numpy as np

from .. import _native
from . import least_squares

VERSION = 5
# The errors that a constructor may raise if the state is damaged.
_DAMAGE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def reduce(compiled: Any) -> tuple[Any, ...]:
    """The name of the type of a compiled object, and its state."""
    return restore, (type(compiled).__name__, VERSION, *compiled.saved())


def by_constructor(compiled: Any) -> tuple[Any, ...]:
    """The same for skops, which calls no function."""
    return type(compiled), tuple(compiled.saved())


def restore(kind: str, version: int, *state: Any) -> Any:
    """The object of a pickle."""
    if version not in (4, VERSION):
        raise ValueError(
            f"this pickle holds a {kind} of format {version!r}, and this version of river_hier "
            f"reads format {VERSION}; open it with the version that wrote it"
        )
    try:
        if version == 4:  # of 0.1.0
            state = _of_version_4(kind, state)
        if kind == "LeastSquares":
            least_squares.check(*state)
        if kind == "Instances":
            least_squares.check_instances(*state)
        return getattr(_native, kind)(*state)
    except _DAMAGE as error:
        raise ValueError(f"this pickle of a {kind} is damaged: {error}") from error


def _of_version_4(kind: str, state: tuple[Any, ...]) -> tuple[Any, ...]:
    if kind != "LinearState":
        return state
    *parameters, vectors, n, rows, average, decides, learned = state
    scoring = "decisions" if decides else "softmax" if vectors == 2 else "paths"
    if scoring != "softmax":
        learned = None
    elif len(learned) == 2:  # a temperature that is the same for any entropy
        learned = [learned[0], 0.0, learned[1], 0.0, 10.0]
    return *parameters, scoring, n, rows, average, learned


def set_state(part: Any, state: dict[str, Any]) -> None:
    """The `__setstate__` of a class that changes its arrays: those of read-only memory are copied.

    Such are the arrays that joblib maps from a file, or that Ray keeps for several processes.
    """
    for name, value in state.items():
        setattr(part, name, _writable(value))


def _writable(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_writable, value))
    read_only = isinstance(value, np.ndarray) and not value.flags.writeable
    return value.copy() if read_only else value


for _kind in (
    _native.Calibration,
    _native.FeatureIndex,
    _native.Forest,
    _native.Instances,
    _native.Labels,
    _native.LeastSquares,
    _native.LinearState,
    _native.Vocabulary,
):
    copyreg.pickle(_kind, reduce)
    setattr(_kind, "__reduce__", by_constructor)  # noqa: B010 (of a compiled type)
