"""A model and its comparator, taken through one stream by River's own loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from river import base, metrics

from ..base.classifiers import takes_weights

Both = tuple[float, float]  # a figure of the model and one of its comparator


class Answers(NamedTuple):
    """What both said about an example, and where in the stream it stands."""

    x: dict[Any, Any]
    step: int
    ours: Any
    theirs: Any


class Pair(base.Estimator):
    """Two models that predict and learn side by side; River's loop takes them for one.

    One object on both sides predicts and learns once.
    """

    def __init__(self, model: Any, comparator: Any) -> None:
        self.model = model
        self.comparator = comparator
        self.step = 0
        learners = [model] if comparator is model else [model, comparator]
        self._learners = [(learner.learn_one, takes_weights(learner)) for learner in learners]

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Answers | None:
        ours = theirs = self.model.predict_one(x, **kwargs)
        if self.comparator is not self.model:
            theirs = self.comparator.predict_one(x, **kwargs)
        if _is_silent(ours) or _is_silent(theirs):
            return None
        return Answers(x, self.step, ours, theirs)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float | None = None, **kwargs: Any) -> None:
        for learn, accepts_weight in self._learners:
            if w is not None and accepts_weight:
                learn(x, y, w=w, **kwargs)
            else:
                learn(x, y, **kwargs)
        self.step += 1


class CumulativeLosses(metrics.base.Metric):
    """The sums of both losses, as the metric that River's loop feeds with a pair's answers."""

    def __init__(self, instantaneous: Callable[[Any, Answers], Both]) -> None:
        self.instantaneous = instantaneous
        self.ours = self.theirs = 0.0

    def update(self, y_true: Any, y_pred: Answers) -> None:
        self._add(1, y_true, y_pred)

    def revert(self, y_true: Any, y_pred: Answers) -> None:
        self._add(-1, y_true, y_pred)

    def _add(self, w: int, y: Any, said: Answers) -> None:
        ours, theirs = self.instantaneous(y, said)
        self.ours += w * ours
        self.theirs += w * theirs

    def get(self) -> float:
        return self.ours - self.theirs

    @property
    def state(self) -> dict[str, float]:
        return {"Loss": self.ours, "Comparator": self.theirs, "Regret": self.get()}

    @property
    def bigger_is_better(self) -> bool:
        return False

    def works_with(self, model: Any) -> bool:
        return isinstance(model, Pair)


def _is_silent(y_pred: Any) -> bool:
    """No answer: River's loop does not score it either."""
    return y_pred is None or (isinstance(y_pred, dict) and not y_pred)
