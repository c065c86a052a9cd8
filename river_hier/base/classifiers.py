"""Classifiers of River's, as models are made of them: what they take, and what they say."""

from __future__ import annotations

import inspect
from typing import Any

from river import base

from ..taxonomy import Label


def takes_weights(model: Any) -> bool:
    """Whether `learn_one` has a `w`, in wrappers and pipelines that of the model inside."""
    parameters = inspect.signature(model.learn_one).parameters.values()
    if any(p.name == "w" for p in parameters):
        return True
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        return False
    for inside in ("_last_step", "_wrapped_model"):
        if hasattr(model, inside):
            return takes_weights(getattr(model, inside))
    return True


def probabilities(model: Any, x: Any, kwargs: dict[str, Any]) -> dict[Label, float]:
    """What a classifier says; one that gives no probabilities is sure of its answer."""
    try:
        said: dict[Label, float] | None = model.predict_proba_one(x, **kwargs)
    except NotImplementedError:
        said = {model.predict_one(x, **kwargs): 1.0}
    return said or {}


def probability(model: Any, x: Any, kwargs: dict[str, Any]) -> float:
    """P(True) by a binary classifier; 1/2 where it says nothing."""
    said = probabilities(model, x, kwargs)
    yes, no = float(said.get(True, 0.0)), float(said.get(False, 0.0))
    return yes / (yes + no) if yes + no > 0.0 else 0.5


def shown(value: Any) -> str:
    """What an error message calls it: the repr of an estimator goes on for many lines."""
    return str(value) if isinstance(value, base.Estimator) else repr(value)
