"""Any model as a `Predictor`, from which wrappers, decoders and rankings take arrays."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from .._core import labels_of
from .classifiers import is_multilabel, last_step, last_step_and_input
from .predictor import NONE, MultiLabelPredictor, Predictor, SingleLabelPredictor


class Foreign(Predictor):
    """A model of another library, or a pipeline: in a taxonomy, like the model at its end."""

    _of_pipeline = True

    def __init__(self, model: Any) -> None:
        self._last = last_step(model)
        self._whole = model

    def learn_one(self, x: Any, y: Any, **kwargs: Any) -> None:
        self._whole.learn_one(x, y, **kwargs)

    def predict_one(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        return self._whole.predict_one(x)

    def predict_proba_one(self, x: Any, **kwargs: Any) -> Any:
        return self._whole.predict_proba_one(x)

    def score_one(self, x: Any) -> Any:
        return self._whole.score_one(x)

    _predict = predict_one

    taxonomy: Any = property(attrgetter("_last.taxonomy"))
    _taxonomy: Any = property(lambda self: getattr(self._last, "taxonomy_", self.taxonomy))

    @property
    def _labels(self) -> Any:
        return self._last._labels if is_ours(self._last) else labels_of(self._taxonomy)

    @property
    def _never_predicted(self) -> Any:
        return self._last._never_predicted if is_ours(self._last) else NONE


class ForeignLabel(Foreign, SingleLabelPredictor):
    """Such a model of one label."""


class ForeignLabels(Foreign, MultiLabelPredictor):
    """Such a model of several labels."""

    def _predicted_nodes(self, x: Mapping[Any, Any]) -> list[int]:
        y_pred = self.predict_one(x)
        return [v for v, label in enumerate(self._taxonomy.nodes) if v and y_pred[label]]

    _nodes_on = _predicted_nodes


def is_ours(model: Any) -> bool:
    """Whether a model is a `Predictor`; a pipeline that ends in one is not."""
    return Predictor in type(model).__mro__  # `isinstance` of an ABC takes as long as a prediction


def inner(model: Any) -> Any:
    """Any model in a taxonomy, or a pipeline that ends in one, as a predictor of its kind."""
    if is_ours(model):
        return model
    return (ForeignLabels if is_multilabel(last_step(model)) else ForeignLabel)(model)


def inner_and_input(model: Any, x: Any) -> tuple[Any, Any]:
    """The model at the end of a pipeline as a `Predictor`, and x as it reaches this model."""
    last, x = last_step_and_input(model, x)
    return inner(last), x
