"""The average of all hypotheses of a learner, each of them kept."""

from __future__ import annotations

import copy
from typing import Any

from .trees import Features, Node, Weights
from .vectors import add


def mean(hypotheses: list[Weights], counts: list[float] | None = None) -> Weights:
    """The mean of each weight, where hypotheses count differently."""
    counts = counts or [1.0] * len(hypotheses)
    sums: Weights = {v: {} for v in hypotheses[-1]}
    for count, hypothesis in zip(counts, hypotheses, strict=True):
        for v, w in hypothesis.items():
            add(sums[v], count, w)
    return {v: {name: s / sum(counts) for name, s in w.items()} for v, w in sums.items()}


class Averaged:
    """Around an oracle with weights `w`: predicts with the average of w_1, .., w_{m+1}."""

    def __init__(self, oracle: Any) -> None:
        self.oracle = oracle
        self.hypotheses: list[Weights] = [copy.deepcopy(oracle.w)]
        self.counts = [1.0]  # of each hypothesis: the weight of the example before it

    @property
    def w(self) -> Weights:
        """The average."""
        return mean(self.hypotheses, self.counts)

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

    def learn(self, x: Features, y: Any, weight: float = 1.0) -> None:
        """One more hypothesis, the same as before if nothing is learned."""
        self.oracle.learn(x, y, weight)
        self.hypotheses.append(copy.deepcopy(self.oracle.w))
        self.counts.append(weight)
