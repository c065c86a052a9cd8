"""One of River's classifiers at its place in a taxonomy."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from river import base

from ..taxonomy import Label


class LocalClassifier:
    """A classifier, and whether it takes weights."""

    def __init__(self, model: base.Classifier) -> None:
        self.model: Any = model  # River's signatures do not say which keywords a model takes
        self.takes_weights = takes_weights(model)

    def learn(self, x: Mapping[Any, Any], y: Label, w: float | None, kwargs: Any) -> None:
        """Learn from one example, weighted if the classifier can."""
        if w is not None and self.takes_weights:
            self.model.learn_one(x, y, w=w, **kwargs)
        else:
            self.model.learn_one(x, y, **kwargs)

    def probabilities(self, x: Mapping[Any, Any], kwargs: Any) -> dict[Label, float]:
        """What the classifier says; one that gives no probabilities is sure of its answer."""
        try:
            said: dict[Label, float] = self.model.predict_proba_one(x, **kwargs)
        except NotImplementedError:
            said = {self.model.predict_one(x, **kwargs): 1.0}
        return said


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
