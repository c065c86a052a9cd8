"""Copies and pickles of models, also while other threads use them."""

from __future__ import annotations

import copy
import threading
from typing import Any, TypeVar

from .turns import turn_of

Model = TypeVar("Model")


def snapshot(model: Any) -> dict[str, Any]:
    """The attributes of a model for a pickle, even while other threads change it.

    If there are other threads, all of it is copied at once, so that what its models share is also
    shared by their copies. The attribute `_private` marks these, which need not be copied again.
    """
    if "_private" in vars(model):
        return without_turn(model)
    with turn_of(model).lock:
        state = without_turn(model)
        if threading.active_count() == 1:
            return state
        memo: dict[Any, Any] = {"_private": True}
        return copy.deepcopy(state, memo)


def deep_copy(model: Any, memo: dict[Any, Any]) -> Any:
    """A deep copy of a model, whose lock is held meanwhile."""
    own: Any = type(model).__getstate__
    with turn_of(model).lock:
        copied = memo[id(model)] = object.__new__(type(model))
        state = without_turn(model) if own is snapshot else own(model)
        getattr(copied, "__setstate__", vars(copied).update)(copy.deepcopy(state, memo))
    if "_private" in memo:
        vars(copied)["_private"] = True
    return copied


def without_turn(model: Any) -> dict[str, Any]:
    """The attributes of a model without its locks, which copies and pickles do not share."""
    kept: dict[str, Any] = vars(
        model
    ).copy()  # at once: another thread may be adding or removing these two
    kept.pop("_turn", None)
    kept.pop("_private", None)
    return kept


def copy_with_locks(model: Model) -> Model:
    """A deep copy that may take the place of the model: other threads wait for the same locks."""
    copied = copy.deepcopy(model)
    vars(turn_of(copied)).update(vars(turn_of(model)))
    return copied


def shallow_copy(model: Model) -> Model:
    """A model with the same attributes; `copy.copy` may make copies of them, for other threads."""
    shallow = object.__new__(type(model))
    vars(shallow).update(without_turn(model))
    return shallow
