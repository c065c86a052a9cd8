"""The evaluation of the models of a selection, and checks of models and metric."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any

from river import metrics

from ..base.classifiers import is_multilabel, last_step, shown
from ..base.predictor import masked_nodes
from ..base.protocol import inner_and_input
from ..base.wrapper import check_model
from ..metrics.base import TaxonomyMetric
from ..taxonomy import Label, Taxonomy
from ..taxonomy.errors import short


class Evaluation:
    """The metrics of models in the present window.

    Attributes
    ----------
    running
        The metric of each model since the start of its last window.

    """

    def __init__(self, metric: Any, models: list[Any]) -> None:
        check_metric(metric, models)
        self.metric = metric
        self.predict: Callable[[Any, Any], Any] = _prediction_for(metric, models[0])
        self.running: list[Any] = [metric.clone() for _ in models]

    def start(self, models: Iterable[int]) -> None:
        """Start a window of these models."""
        for i in models:
            self.running[i] = self.metric.clone()

    def follow(self, taxonomy: Taxonomy) -> None:
        """Continue in an open taxonomy that has grown."""
        for metric in self.running:
            if isinstance(metric, TaxonomyMetric):
                metric.taxonomy_ = taxonomy

    def update(self, y: Any, predictions: dict[int, Any], w: float, taxonomy: Taxonomy) -> None:
        """Update the metrics of the models that have predicted."""
        if self.predict is _labels:  # read y once for all metrics
            y = [taxonomy.nodes[v] for v in masked_nodes(taxonomy._closure_mask(y))]
        for i, y_pred in predictions.items():
            if w == 1.0:
                self.running[i].update(y, y_pred)
            else:
                self.running[i].update(y, y_pred, w)

    def loss(self, i: int) -> float:
        """The value of a model's metric, with its sign changed if bigger is better."""
        value: float = self.running[i].get()
        return -value if self.metric.bigger_is_better else value


def check_models(models: list[Any]) -> None:
    """Raise an error unless these are models of the same kind in the same taxonomy."""
    if not models:
        raise ValueError("`models` must have at least one model, got []")
    for model in models:
        check_model(model, "learn_one", "predict_one")
    first = last_step(models[0])
    for model in map(last_step, models[1:]):
        if is_multilabel(model) != is_multilabel(first):
            raise TypeError(
                "`models` must all predict multilabels, or all of them single labels, got "
                f"{shown(first)} and {shown(model)}"
            )
        if model.taxonomy != first.taxonomy:
            raise ValueError(
                f"`models` must have the same taxonomy, got {short(first.taxonomy)} and "
                f"{short(model.taxonomy)}"
            )


def check_metric(metric: Any, models: list[Any]) -> None:
    """Raise an error unless this is a metric for all of these models, with a single value."""
    for model in map(last_step, models):
        if not isinstance(metric, metrics.base.Metric) or not metric.works_with(model):
            raise TypeError(
                f"`metric` must be a metric for {shown(model)}, of this library or of River, got "
                f"{short(metric)}; for a rolling metric, use `window`"
            )
        if getattr(metric, "_reads", "") == "scores" and not hasattr(model, "score_one"):
            raise TypeError(
                f"{type(metric).__name__} reads scores, but {shown(model)} has no `score_one`"
            )
    if not isinstance(metric.get(), numbers.Real):
        raise ValueError(
            f"`metric` must have a single value to compare, got {type(metric).__name__}"
        )


def _prediction_for(metric: Any, model: Any) -> Callable[[Any, Any], Any]:
    """The function of a model and x that returns what the metric reads."""
    multilabel = is_multilabel(last_step(model))
    reads = getattr(metric, "_reads", "labels" if metric.requires_labels else "probabilities")
    if reads == "scores":
        return _scores
    if reads == "probabilities":
        return _marginals if multilabel else _distribution
    return _labels if multilabel and isinstance(metric, TaxonomyMetric) else _answer


def _answer(model: Any, x: Any) -> Any:
    return model.predict_one(x)


def _labels(model: Any, x: Any) -> list[Label]:
    """The labels that are on, which take less time than a dictionary of all labels."""
    last, x = inner_and_input(model, x)
    nodes = last._taxonomy.nodes
    return [nodes[v] for v in last._learned_nodes_on(x)]


def _scores(model: Any, x: Any) -> Any:
    return model.score_one(x)


def _distribution(model: Any, x: Any) -> Any:
    return model.predict_proba_one(x)


def _marginals(model: Any, x: Any) -> dict[Label, float]:
    return {label: p[True] for label, p in model.predict_proba_one(x).items()}
