"""One of River's classifiers at its place in a taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from river import base

from ..base.classifiers import takes_weights
from ..taxonomy import Label


class LocalClassifier:
    """A classifier, and whether it takes weights."""

    def __init__(self, model: base.Estimator) -> None:
        self.model: Any = model  # River's signatures do not say which keywords a model takes
        self.takes_weights = takes_weights(model)

    def learn(self, x: Mapping[Any, Any], y: Label, w: float | None, kwargs: Any) -> None:
        """Learn from one example, weighted if the classifier can."""
        if w is not None and self.takes_weights:
            self.model.learn_one(x, y, w=w, **kwargs)
        else:
            self.model.learn_one(x, y, **kwargs)
