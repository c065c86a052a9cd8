"""Calibrated scores, one number at a time."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any


class AdaGrad:
    """One parameter."""

    def __init__(self, value: float, step: float) -> None:
        self.value = value
        self.step = step
        self.squares = 1.0

    def move(self, gradient: float) -> None:
        self.squares += gradient**2
        self.value -= self.step * gradient / math.sqrt(self.squares)


def near(scores: list[float], unit: float) -> list[float]:
    """What is beyond ten units counts as ten."""
    return [max(min(score, 10 * unit), -10 * unit) for score in scores]


def unit(scores: list[tuple[float, float]]) -> float:
    """The root mean square of weighted scores."""
    squares = sum(weight * score**2 for score, weight in scores)
    return math.sqrt(squares / sum(weight for _, weight in scores)) if squares else math.inf


class Calibration:
    """Shared and own slopes, of which logarithms are learned, and intercepts."""

    def __init__(self) -> None:
        self.scores: list[tuple[float, float]] = []  # each with its weight
        self.a, self.b = AdaGrad(math.log(2), 0.2), AdaGrad(0.0, 0.2)
        self.own_a: Any = defaultdict(lambda: AdaGrad(0.0, 0.1))
        self.own_b: Any = defaultdict(lambda: AdaGrad(0.0, 0.1))

    def unit(self) -> float:
        return unit(self.scores)

    def given(self, node: Any, score: float) -> float:
        slope = math.exp(self.a.value + self.own_a[node].value)
        z = slope * score / self.unit() + self.b.value + self.own_b[node].value
        return 1 / (1 + math.exp(-z)) if z > -700 else 0.0

    def learn(self, scores: dict[Any, float], on: dict[Any, bool], weight: float = 1.0) -> None:
        """`scores` of the nodes whose parents are on."""
        seen = near(list(scores.values()), self.unit())
        self.scores += [(score, weight) for score in seen]
        scores = dict(zip(scores, seen, strict=True))
        by_a, by_b = {}, {}
        for node, score in scores.items():
            by_b[node] = weight * (self.given(node, score) - on[node])
            slope = math.exp(self.a.value + self.own_a[node].value)
            by_a[node] = by_b[node] * slope * score / self.unit()
        self.a.move(sum(by_a.values()))
        self.b.move(sum(by_b.values()))
        for node in scores:
            self.own_a[node].move(by_a[node])
            self.own_b[node].move(by_b[node])


class Temperature:
    """One slope for all labels."""

    def __init__(self) -> None:
        self.scores: list[tuple[float, float]] = []  # each with its weight
        self.a = AdaGrad(math.log(2), 0.2)

    def unit(self) -> float:
        return unit(self.scores)

    def steep(self, scores: dict[Any, float]) -> dict[Any, float]:
        return {label: math.exp(self.a.value) * s / self.unit() for label, s in scores.items()}

    def probabilities(self, scores: dict[Any, float]) -> dict[Any, float]:
        steep = self.steep(scores)
        powers = {label: math.exp(z - max(steep.values())) for label, z in steep.items()}
        return {label: power / sum(powers.values()) for label, power in powers.items()}

    def learn(self, scores: dict[Any, float], y: Any, weight: float = 1.0) -> None:
        mean = sum(scores.values()) / len(scores)
        seen = near([score - mean for score in scores.values()], self.unit())
        self.scores += [(score, weight) for score in seen]
        scores = dict(zip(scores, seen, strict=True))
        steep, p = self.steep(scores), self.probabilities(scores)
        self.a.move(weight * (sum(p[label] * steep[label] for label in p) - steep[y]))
