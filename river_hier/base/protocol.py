"""Any model as a `Predictor`, from which wrappers, decoders and rankings take arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import labels_of
from .classifiers import last_step, last_step_and_input
from .predictor import Predictor
from .unseen import NONE


class Foreign(Predictor):
    """A model of another library, or a pipeline: in a taxonomy, like the model at its end."""

    def __init__(self, model: Any) -> None:
        self._last = last_step(model)
        self.predict_one: Any = model.predict_one
        self.predict_proba_one: Any = model.predict_proba_one
        self.score_one: Any = getattr(model, "score_one", None)

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.predict_one(x)

    @property
    def taxonomy(self) -> Any:
        return self._last.taxonomy

    @property
    def _taxonomy(self) -> Any:
        return getattr(self._last, "taxonomy_", self._last.taxonomy)

    @property
    def _labels(self) -> Any:
        return self._last._labels if is_ours(self._last) else labels_of(self._taxonomy)

    @property
    def _never_predicted(self) -> Any:
        return self._last._never_predicted if is_ours(self._last) else NONE


def is_ours(model: Any) -> bool:
    """Whether a model is a `Predictor`; a pipeline that ends in one is not."""
    return Predictor in type(model).__mro__  # `isinstance` of an ABC takes as long as a prediction


def inner(model: Any) -> Predictor:
    """Any model in a taxonomy, or a pipeline that ends in one, as a `Predictor`."""
    found: Predictor = model if is_ours(model) else Foreign(model)
    return found


def inner_and_input(model: Any, x: Any) -> tuple[Predictor, Any]:
    """The model at the end of a pipeline as a `Predictor`, and x as it reaches this model."""
    last, x = last_step_and_input(model, x)
    return inner(last), x
