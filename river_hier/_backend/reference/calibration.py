"""From scores to probabilities: logistic functions whose slopes are learned along the stream."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from .remapping import Sources, remap_values

Floats = NDArray[np.float64]

# Steps of AdaGrad: what all nodes share moves faster than what a node adds to it.
SHARED, OWN = 0.2, 0.1
FAR = 10.0  # units; a single score beyond all others must not decide what a unit is
FIRST = math.log(2.0)  # of the logarithm of the slope, before anything is known


class Scale:
    """The root mean square of the scores so far: slopes must not depend on their unit."""

    def __init__(self) -> None:
        self.squares = 0.0
        self.n = 0

    def add(self, scores: Floats) -> Floats:
        """Count scores; they are given back, those that are far out moved up to `FAR` units."""
        most = FAR * self.unit
        near: Floats = np.clip(scores, -most, most)
        self.squares += float(near @ near)
        self.n += len(near)
        return near

    @property
    def unit(self) -> float:
        """Infinite while all scores were 0: the next one says nothing yet."""
        return math.sqrt(self.squares / self.n) if self.squares else math.inf


class Descent:
    """Parameters that AdaGrad moves."""

    def __init__(self, n: int, first: float, step: float) -> None:
        self.value = np.full(n, first)
        self.squares = np.ones(n)  # of the gradients; from 1 on, so that no first step is long
        self.step = step

    def move(self, gradient: Any, at: Any = slice(None)) -> None:
        """One step down, at some of the parameters."""
        self.squares[at] += gradient**2
        self.value[at] -= self.step * gradient / np.sqrt(self.squares[at])

    def remap(self, sources: Sources) -> None:
        """Let the parameters be those of other nodes."""
        self.value = remap_values(self.value, sources, 0.0)
        self.squares = remap_values(self.squares, sources, 1.0)


class Calibration:
    """P(node on | parents on), a logistic function of the node's score: O(1) a node and step.

    Slope and intercept are shared by all nodes, but for what is a node's own: one that has seen
    little is calibrated as the others are.
    """

    def __init__(self, n: int) -> None:
        self.scale = Scale()
        self.slope, self.intercept = Descent(1, FIRST, SHARED), Descent(1, 0.0, SHARED)
        self.own_slope, self.own_intercept = Descent(n, 0.0, OWN), Descent(n, 0.0, OWN)

    def given(self, scores: Floats) -> Floats:
        """P(on | parents on) of every node, from the scores of all."""
        p: Floats = expit(self._steep(scores, slice(None)) + self._flat(slice(None)))
        return p

    def learn(self, nodes: NDArray[np.intp], scores: Floats, on: NDArray[np.bool_]) -> None:
        """One step down the logarithmic loss of nodes whose parents are on."""
        steep = self._steep(self.scale.add(scores), nodes)
        error = expit(steep + self._flat(nodes)) - on
        by_slope = error * steep  # its logarithm, that is
        self.slope.move(by_slope.sum())
        self.intercept.move(error.sum())
        self.own_slope.move(by_slope, nodes)
        self.own_intercept.move(error, nodes)

    def remap(self, sources: Sources) -> None:
        """Go over to other nodes; those that are new have nothing of their own."""
        self.own_slope.remap(sources)
        self.own_intercept.remap(sources)

    def _steep(self, scores: Floats, at: Any) -> Floats:
        slope = np.exp(self.slope.value + self.own_slope.value[at])
        steep: Floats = slope * (scores / self.scale.unit)
        return steep

    def _flat(self, at: Any) -> Floats:
        intercept: Floats = self.intercept.value + self.own_intercept.value[at]
        return intercept


class Temperature:
    """P(node) proportional to e^(slope * score): one slope, O(nodes) a step."""

    def __init__(self) -> None:
        self.scale = Scale()
        self.slope = Descent(1, FIRST, SHARED)

    def probabilities(self, scores: Floats) -> Floats:
        """Of all nodes, from the scores of all; they sum to 1."""
        p: Floats = softmax(self._steep(scores))
        return p

    def learn(self, scores: Floats, y: int) -> None:
        """One step down the logarithmic loss of the true node."""
        # What all have in common says nothing.
        steep = self._steep(self.scale.add(scores - scores.mean()))
        self.slope.move(softmax(steep) @ steep - steep[y])

    def _steep(self, scores: Floats) -> Floats:
        steep: Floats = np.exp(self.slope.value) * (scores / self.scale.unit)
        return steep
