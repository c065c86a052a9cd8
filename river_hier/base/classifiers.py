"""Classifiers that are given as parameters: copies, parameters, probabilities, messages."""

import copy
import inspect
from collections.abc import Iterator
from typing import Any, TypeVar, cast

from river import base, compose

from ..taxonomy import Label

Model = TypeVar("Model")


class OneLabel(base.Classifier):
    """The kind of models that predict one label.

    It is the `_last_step` of wrappers of such models, by which River knows what a pipeline is.
    """

    several = False

    def learn_one(self, x: Any, y: Any) -> None:
        raise NotImplementedError


class SeveralLabels(base.MultiLabelClassifier):
    """The kind of models that predict several labels."""

    several = True

    def learn_one(self, x: Any, y: Any) -> None:
        raise NotImplementedError


ONE, SEVERAL = OneLabel(), SeveralLabels()


def last_step(model: Any) -> Any:
    """The model at the end of a pipeline; anything else is returned as it is."""
    return model._last_step if compose.Pipeline in type(model).__mro__ else model


def is_multilabel(model: Any) -> bool:
    """Whether a model predicts several labels."""
    kind = getattr(model, "_kind", None)
    return kind.several if kind else base.MultiLabelClassifier in type(model).__mro__


def last_step_and_input(model: Any, x: Any) -> tuple[Any, Any]:
    """The model at the end of a pipeline, and x as it reaches this model."""
    if last_step(model) is model:
        return model, x
    x, last = model._transform_one(x)
    return last, x


def cloned(model: Model, new_params: Any, include_attributes: bool) -> Model:
    """The result of `clone`; River's version always resets the models inside."""
    fresh: Model = base.Base.clone(cast(Any, model), new_params)
    if not include_attributes:
        return fresh
    kept = copy.deepcopy(model)
    for name in new_params or ():
        setattr(kept, name, getattr(fresh, name))
    return kept


def takes_weights(model: Any) -> bool:
    """Whether `learn_one` takes a `w`; for wrappers and pipelines, that of the inner model."""
    parameters = inspect.signature(model.learn_one).parameters.values()
    if any(p.name == "w" for p in parameters):
        return True
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        return False
    inside = getattr(last_step(model), "_wrapped_model", last_step(model))
    return inside is model or takes_weights(inside)


def check_weight_taken(model: Any, takes: bool, w: float) -> None:
    """Raise an error if a classifier would ignore the weight of an example."""
    if w != 1.0 and not takes:
        raise TypeError(
            f"`w` is {w}, but {shown(model)} takes no weights; take a classifier whose `learn_one` "
            "has a `w`"
        )


def probabilities(model: Any, x: Any) -> dict[Label, float]:
    """`predict_proba_one`, or else probability 1 for the prediction; empty if this is `None`."""
    try:
        proba: dict[Label, float] | None = model.predict_proba_one(x)
    except NotImplementedError:
        y_pred = model.predict_one(x)
        proba = None if y_pred is None else {y_pred: 1.0}
    return proba or {}


def probability(model: Any, x: Any) -> float:
    """P(True) of a binary classifier; 1/2 if it has no probabilities yet."""
    proba = probabilities(model, x)
    yes, no = float(proba.get(True, 0.0)), float(proba.get(False, 0.0))
    return yes / (yes + no) if yes + no > 0.0 else 0.5


def shown(value: Any) -> str:
    """The name of a value in an error message: the repr of an estimator has too many lines."""
    return str(value) if isinstance(value, base.Estimator) else repr(value)


def parameters_of(model: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of a model of River, and of the models in it."""
    for name, value in model._get_params().items():
        yield name, value
        if isinstance(inside := _part(model, name), base.Base):
            yield from ((f"{name}__{below}", value) for below, value in parameters_of(inside))


def _part(model: Any, name: str) -> Any:
    return getattr(model, "steps", {}).get(name, getattr(model, name, None))


def with_parameters(model: Any, params: dict[str, Any]) -> Any:
    """A copy of a model with other parameters, named as by `parameters_of`."""
    new: dict[str, Any] = {}
    for key in sorted(params):  # a model comes before what changes in it
        name, _, below = key.partition("__")
        value = params[key]
        if below:
            value = with_parameters(new.get(name, _part(model, name)), {below: value})
        new[name] = value
    return model.clone(new)


def in_taxonomy(model: Any, taxonomy: Any) -> Any:
    """A copy that has learned nothing; what it has no taxonomy for, it has this one."""
    changed = {}
    for name in model._get_params():
        value = _part(model, name)
        if name == "taxonomy" and value is None:
            changed[name] = taxonomy
        elif isinstance(value, base.Base):
            changed[name] = in_taxonomy(value, taxonomy)
        elif isinstance(value, list) and all(isinstance(one, base.Base) for one in value):
            changed[name] = [in_taxonomy(one, taxonomy) for one in value]
    return model.clone(changed)
