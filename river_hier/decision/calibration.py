"""Calibration of scores by logistic functions whose slopes are learned online."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from .._backend import remap_values
from .._backend.reference.remapping import Sources

Floats = NDArray[np.float64]

# Step sizes of AdaGrad: shared parameters move faster than those of single nodes.
SHARED, OWN = 0.2, 0.1
FAR = 10.0  # units; limits the effect of a single extreme score on the unit
FIRST = math.log(2.0)  # the initial logarithm of the slope


class Scale:
    """The root mean square of the scores so far, which makes slopes independent of their scale."""

    squares: float
    n: float

    def __init__(self) -> None:
        self.squares = 0.0
        self.n = 0.0  # how many there were, by the weights of their examples

    def add(self, scores: Floats, w: float) -> Floats:
        """Add scores of weight w to the mean, and return them, clipped to `FAR` units."""
        most = FAR * self.unit
        near: Floats = np.clip(scores, -most, most)
        self.squares += w * float(near @ near)
        self.n += w * len(near)
        return near

    @property
    def unit(self) -> float:
        """Infinite as long as all scores were 0, so that the next one has no effect."""
        return math.sqrt(self.squares / self.n) if self.squares else math.inf


class Descent:
    """Parameters that are learned by AdaGrad."""

    value: Floats
    squares: Floats
    step: float

    def __init__(self, n: int, first: float, step: float) -> None:
        self.value = np.full(n, first)
        self.squares = np.ones(n)  # of the gradients; start at 1 to keep the first steps short
        self.step = step

    def move(self, gradient: Any, at: Any = slice(None)) -> None:
        """One gradient step for some of the parameters."""
        self.squares[at] += gradient**2
        self.value[at] -= self.step * gradient / np.sqrt(self.squares[at])

    def remap(self, sources: Sources) -> None:
        """Move the parameters to the nodes of another taxonomy."""
        self.value = remap_values(self.value, sources, 0.0)
        self.squares = remap_values(self.squares, sources, 1.0)


class Calibration:
    """P(node on | parents on), a logistic function of the node's score: O(1) per node and step.

    Slope and intercept are sums of a part shared by all nodes and a part of the node's own, so a
    node with few examples is calibrated like the others.
    """

    scale: Scale
    slope: Descent
    intercept: Descent
    own_slope: Descent
    own_intercept: Descent

    def __init__(self, n: int) -> None:
        self.scale = Scale()
        self.slope, self.intercept = Descent(1, FIRST, SHARED), Descent(1, 0.0, SHARED)
        self.own_slope, self.own_intercept = Descent(n, 0.0, OWN), Descent(n, 0.0, OWN)

    def given(self, scores: Floats) -> Floats:
        """P(on | parents on) of every node, from the scores of all nodes."""
        p: Floats = expit(self._steep(scores, slice(None)) + self._flat(slice(None)))
        return p

    def learn(
        self, nodes: NDArray[np.intp], scores: Floats, on: NDArray[np.bool_], w: float
    ) -> None:
        """One gradient step on w times the log loss of nodes whose parents are on."""
        steep = self._steep(self.scale.add(scores, w), nodes)
        error = w * (expit(steep + self._flat(nodes)) - on)
        by_slope = error * steep  # with respect to its logarithm
        self.slope.move(by_slope.sum())
        self.intercept.move(error.sum())
        self.own_slope.move(by_slope, nodes)
        self.own_intercept.move(error, nodes)

    def remap(self, sources: Sources) -> None:
        """Change to other nodes; the own parts of new nodes are 0."""
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
    """P(node) proportional to e^(slope * score): one slope, O(nodes) per step."""

    scale: Scale
    slope: Descent

    def __init__(self) -> None:
        self.scale = Scale()
        self.slope = Descent(1, FIRST, SHARED)

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, (..., nodes), which sum to 1."""
        p: Floats = softmax(self._steep(scores), axis=-1)
        return p

    def learn(self, scores: Floats, y: int, w: float) -> None:
        """One gradient step on w times the log loss of the true node."""
        # Without the mean, which has no effect on the softmax.
        steep = self._steep(self.scale.add(scores - scores.mean(), w))
        self.slope.move(w * (softmax(steep) @ steep - steep[y]))

    def _steep(self, scores: Floats) -> Floats:
        steep: Floats = np.exp(self.slope.value) * (scores / self.scale.unit)
        return steep
