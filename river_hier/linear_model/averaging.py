"""What averaged learners share: the model inside, and what the average lags behind it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from .._backend import Batch, Vector, Vectors, Weights, averaged_scores
from ..base.classifiers import shown
from ..base.mini_batch import MiniBatchModel
from ..base.model import Floats
from ..taxonomy import NodeMapping


def _of_the_model(name: str) -> Any:
    """What the model inside has, and its lag with it."""

    def get(self: AveragingModel) -> Any:
        return getattr(self.model, name)

    def put(self: AveragingModel, value: Any) -> None:
        for part in (self.model, self._lag):
            setattr(part, name, value)

    return property(get, put)


class AveragingModel(MiniBatchModel):
    """A model that learns as the one inside does, and predicts with the average of its hypotheses.

    With steps $s_i$ and hypotheses $w_1$, $w_{i+1} = w_i + s_i$, the average of m + 1 of them is
    $w_{m+1} - \\frac{1}{m+1} \\sum_i i \\, s_i$. The sum is kept; the weights say what a step was.
    """

    taxonomy: Any = _of_the_model("taxonomy")
    dtype: Any = _of_the_model("dtype")
    _taxonomy = _of_the_model("_taxonomy")
    _labels = _of_the_model("_labels")
    _features = _of_the_model("_features")

    def __init__(self, model: Any) -> None:  # all else that a model has is that of the one inside
        self.model = model
        self._lag = copy.copy(model)  # the same, but for its weights: the sum of i s_i
        self._lag._w = Weights(len(model._taxonomy), model.dtype)
        self._m = 0

    @property
    def last(self) -> Any:
        """The last hypothesis $w_{m+1}$ without the average: a copy of the model inside."""
        return copy.deepcopy(self.model)

    def _learn(self, x: Mapping[Any, Any], y: Any) -> None:
        self._record(self.model._learn, x, y)
        self._m += 1

    def _learn_many(self, X: Batch, y: Any) -> None:
        self._record(self.model._learn_many, X, y)
        self._m += X.n

    def _record(self, learn: Callable[[Any, Any], None], x: Any, y: Any) -> None:
        if self._lag._taxonomy is not self.model._taxonomy:
            raise RuntimeError(
                "the model inside has learned new labels by itself, of which its average knows "
                "nothing; let it learn through the average only, or begin another average of it"
            )
        w = self.model._w
        w.record(self._lag._w, self._m + 1)
        try:
            learn(x, y)
        finally:
            w.record(None, 0)

    def _scores(self, x: Vector | Vectors) -> Floats:
        return averaged_scores(self.model._w, self._lag._w, self._m, x)

    def _weights(self, v: int, n_features: int) -> Floats:
        w, lag = (part._weights(v, n_features) for part in (self.model, self._lag))
        average: Floats = w - lag / (self._m + 1)
        return average

    def _remap(self, change: NodeMapping) -> None:
        for part in (self._lag, self.model):
            part._remap(change)

    def _add_nodes(self, before: int, after: int) -> None:
        for part in (self._lag, self.model):
            part._add_nodes(before, after)


def check_inside(model: Any, kind: type, names: str) -> None:
    """The model must be one whose steps can be averaged."""
    if not issubclass(type(model), kind):  # a pipeline is an instance of what it ends in
        raise TypeError(
            f"`model` must be {names}, whose weights move in steps, got {shown(model)}; a pipeline "
            "goes around the average: `scaler | Averaged...(model)`. Least squares solve for their "
            "weights, and `HMinOver` fits a threshold to those of the last hypothesis"
        )
