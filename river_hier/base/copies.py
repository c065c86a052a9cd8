"""Copies and pickles of models, also while other threads use them."""

from __future__ import annotations

import copy
import threading
from contextlib import ExitStack
from typing import Any, TypeVar

from .turns import turn_of

Model = TypeVar("Model")


class _Copying(threading.local):
    """The locks that the copy which this thread is making holds until its end."""

    held: ExitStack | None = None


_copying = _Copying()


def snapshot(model: Any) -> dict[str, Any]:
    """The attributes of a model for a copy or a pickle, even while other threads change it.

    If there are other threads, all of it is copied at once, so that what its models share is also
    shared by their copies. The attribute `_private` marks these, which need not be copied again.
    """
    if _copying.held is not None:  # a model inside the one that is copied
        _copying.held.enter_context(turn_of(model).lock)
        return without_turn(model) | {"_private": True}
    if "_private" in vars(model):
        return without_turn(model)
    with ExitStack() as held:
        held.enter_context(turn_of(model).lock)
        state = without_turn(model)
        if threading.active_count() == 1:
            return state
        _copying.held = held
        try:
            return copy.deepcopy(state)
        finally:
            _copying.held = None


def without_turn(model: Any) -> dict[str, Any]:
    """The attributes of a model without its locks, which copies and pickles do not share."""
    kept = vars(model).items()
    return {name: value for name, value in kept if name not in ("_turn", "_private")}


def shallow_copy(model: Model) -> Model:
    """A model with the same attributes; `copy.copy` may make copies of them, for other threads."""
    shallow = object.__new__(type(model))
    vars(shallow).update(without_turn(model))
    return shallow
