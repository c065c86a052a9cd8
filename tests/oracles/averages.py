"""The average of all hypotheses of a learner, each of them kept."""

from __future__ import annotations

import copy
from typing import Any

from .trees import Features, Node, Weights
from .vectors import add


def mean(hypotheses: list[Weights]) -> Weights:
    """The mean of each weight."""
    sums: Weights = {v: {} for v in hypotheses[-1]}
    for hypothesis in hypotheses:
        for v, w in hypothesis.items():
            add(sums[v], 1.0, w)
    return {v: {name: s / len(hypotheses) for name, s in w.items()} for v, w in sums.items()}


class Averaged:
    """Around an oracle with weights `w`: predicts with the average of w_1, .., w_{m+1}."""

    def __init__(self, oracle: Any) -> None:
        self.oracle = oracle
        self.hypotheses: list[Weights] = [copy.deepcopy(oracle.w)]

    @property
    def w(self) -> Weights:
        """The average."""
        return mean(self.hypotheses)

    def averaged(self) -> Any:
        """The oracle with the average for its weights."""
        twin = copy.copy(self.oracle)
        twin.w = self.w
        return twin

    def scores(self, x: Features) -> dict[Node, float]:
        """Of the average."""
        scores: dict[Node, float] = self.averaged().scores(x)
        return scores

    def predict(self, x: Features) -> Any:
        """By the average."""
        return self.averaged().predict(x)

    def learn(self, x: Features, y: Any) -> None:
        """One more hypothesis, the same as before if nothing is learned."""
        self.oracle.learn(x, y)
        self.hypotheses.append(copy.deepcopy(self.oracle.w))
