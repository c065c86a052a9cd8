"""A model and its comparator as one estimator for River's evaluation loop, and its metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from river import base
from river import metrics as river_metrics

from .. import losses, metrics
from ..base.classifiers import takes_weights
from ..metrics.base import MeanScore
from ..taxonomy import Taxonomy

METRICS: dict[Any, Callable[[Taxonomy], MeanScore]] = {
    losses.h_loss: metrics.HLoss,
    losses.maximal_loss: metrics.MaximalLoss,
    losses.ranking_loss: metrics.RankingLoss,
    losses.symmetric_difference_loss: metrics.SymmetricDifferenceLoss,
    losses.tree_induced_error: metrics.TreeInducedError,
    losses.zero_one_loss: metrics.ZeroOneLoss,
}


class Predictions(NamedTuple):
    """The predictions of the model and of the comparator for the example of a step."""

    x: dict[Any, Any]
    step: int
    model: Any
    comparator: Any


class Pair(base.Estimator):
    """Two models that predict and learn side by side, as one estimator for River's loop.

    If both are the same object, it predicts and learns once.
    """

    def __init__(self, model: Any, comparator: Any) -> None:
        self.model = model
        self.comparator = comparator
        self.step: int = 0
        learners = [model] if comparator is model else [model, comparator]
        self._learners = [(learner.learn_one, takes_weights(learner)) for learner in learners]

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Predictions | None:
        ours = theirs = self.model.predict_one(x, **kwargs)
        if self.comparator is not self.model:
            theirs = self.comparator.predict_one(x, **kwargs)
        if _is_missing(ours) or _is_missing(theirs):
            return None
        return Predictions(x, self.step, ours, theirs)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float | None = None, **kwargs: Any) -> None:
        for learn, accepts_weight in self._learners:
            if w is not None and accepts_weight:
                learn(x, y, w=w, **kwargs)
            else:
                learn(x, y, **kwargs)
        self.step += 1


class CumulativeLosses(river_metrics.base.Metric):
    """The cumulative losses of a pair, as a metric for River's loop.

    The losses are in expectation if the stream knows the probabilities of the labels and the loss
    has an expected form; it has one in trees only.
    """

    def __init__(self, metric: MeanScore, dataset: Any) -> None:
        self._loss: Any = metric._eval
        probabilities = getattr(dataset, "probabilities", None)
        expected = getattr(metric, "expected", None) if metric.taxonomy_.is_tree else None
        self._expectation: Any = None
        if probabilities is not None and expected is not None:
            drifts = "step" in inspect.signature(probabilities).parameters
            self._expectation = expected, probabilities, drifts
        self.model: float = 0.0
        self.comparator: float = 0.0

    def update(self, y_true: Any, y_pred: Predictions) -> None:
        self._add(1, y_true, y_pred)

    def revert(self, y_true: Any, y_pred: Predictions) -> None:
        self._add(-1, y_true, y_pred)

    def _add(self, w: int, y: Any, y_pred: Predictions) -> None:
        loss = self._loss
        if self._expectation is not None:
            loss, probabilities, drifts = self._expectation
            y = probabilities(y_pred.x, y_pred.step) if drifts else probabilities(y_pred.x)
        self.model += w * loss(y, y_pred.model)
        self.comparator += w * loss(y, y_pred.comparator)

    def get(self) -> float:
        return self.model - self.comparator

    @property
    def state(self) -> dict[str, float]:
        return {"Loss": self.model, "Comparator": self.comparator, "Regret": self.get()}

    @property
    def bigger_is_better(self) -> bool:
        return False

    def works_with(self, model: Any) -> bool:
        return isinstance(model, Pair)


def read_loss(loss: Any, dataset: Any) -> MeanScore:
    """The metric that `loss` is or, for a function of `losses`, the metric of that function."""
    if isinstance(loss, MeanScore) and not loss.bigger_is_better:
        return loss
    if not inspect.isfunction(loss) or loss not in METRICS:
        kind = loss.__name__ if hasattr(loss, "__name__") else type(loss).__name__
        raise TypeError(
            "`loss` must be a metric that is the mean of a loss, such as metrics.HLoss(taxonomy), "
            f"or a function of losses, such as losses.h_loss, got {kind}"
        )
    taxonomy = getattr(dataset, "taxonomy", None)
    if taxonomy is None:
        raise ValueError(
            f"losses.{loss.__name__} needs a taxonomy, but the dataset has none; pass "
            f"metrics.{METRICS[loss].__name__}(taxonomy) instead"
        )
    return METRICS[loss](taxonomy)


def _is_missing(y_pred: Any) -> bool:
    """Whether there is no prediction; River's loop does not score it either."""
    return y_pred is None or (isinstance(y_pred, dict) and not y_pred)
