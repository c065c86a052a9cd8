"""Successive halving in rounds: each model separate, predicted and learned one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class SuccessiveHalving:
    """A list of models, each an object of its own.

    `loss` gives the loss of the predictions in a window: a function of pairs of truth and
    prediction.
    """

    def __init__(self, models: list[Any], loss: Callable[[Any], float], window: int) -> None:
        self.models = models
        self.loss = loss
        self.window = window
        self.best = 0
        self.learning = list(range(len(models)))
        self.pairs: list[list[Any]] = [[] for _ in models]
        self.first = True
        self.size = window
        self.round = [0, 0]  # steps of models, examples

    def predict(self, x: Any) -> Any:
        return self.models[self.best].predict_one(x)

    def learn(self, x: Any, y: Any) -> None:
        for i in self.learning:
            self.pairs[i].append((y, self.models[i].predict_one(x)))
        for i in self.learning:
            self.models[i].learn_one(x, y)
        self.round[0] += len(self.learning)
        self.round[1] += 1
        if len(self.learning) > 1:
            n = len(self.pairs[self.learning[0]])
            if n == self.size or (self.first and n in {2**k for k in range(20)}):
                order = sorted(
                    self.learning, key=lambda i: (self.loss(self.pairs[i]), i != self.best, i)
                )
                self.best = order[0]
                if n == self.size:
                    self.first = False
                    self.size *= 2
                    self.learning = sorted(order[: -(-len(order) // 2)])
                    self.pairs = [[] for _ in self.models]
        if len(self.learning) == 1 < len(self.models) and self.round[0] <= 1.25 * self.round[1]:
            self.learning = list(range(len(self.models)))
            self.size = self.window
            self.round = [0, 0]
            self.pairs = [[] for _ in self.models]
