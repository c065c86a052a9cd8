"""Calibration of scores by logistic functions whose slopes are learned online."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._backend import remap_values
from .._backend.reference.remapping import Sources

Floats = NDArray[np.float64]

# Step sizes of AdaGrad: shared parameters move faster than those of single nodes.
SHARED, OWN, MIXED = 0.2, 0.1, 0.5
FAR = 10.0  # units; limits the effect of a single extreme score on the unit
LARGEST = 1e140  # limit of scores, so that sums of squares stay finite
FIRST = math.log(2.0)  # the initial logarithm of the slope
SHARP = 1.0  # the same of the sharp softmax; that of the flat one is 0
TINY = 1e-300  # the smallest probability of which the logarithm is taken
RECENT = 1000.0  # number of examples that determine the scale of single-label scores


class Scale:
    """The root mean square of the latest scores, which makes slopes independent of their scale."""

    squares: float
    n: float

    def __init__(self, window: float = math.inf) -> None:
        self.window = window
        self.squares = 0.0
        self.n = 0.0  # the number of scores, weighted like their examples

    def add(self, scores: Floats, w: float) -> Floats:
        """Add the scores of an example of weight w, and return them, clipped to `FAR` units."""
        most = min(FAR * self.unit, LARGEST)
        near: Floats = np.clip(scores, -most, most)
        self.squares += w * float(near @ near)
        self.n += w * len(near)
        if self.n > (most := self.window * len(near)):
            self.squares, self.n = self.squares * most / self.n, most
        return near

    @property
    def unit(self) -> float:
        """Infinite as long as all scores were 0, so that the next one has no effect."""
        return math.sqrt(self.squares / self.n) if self.squares else math.inf


class Descent:
    """A parameter that is learned by AdaGrad."""

    def __init__(self, first: float, step: float) -> None:
        self.value: float = first
        self.squares: float = 1.0  # of the gradients; starts at 1 to keep the first steps short
        self.step = step

    def move(self, gradient: float) -> None:
        """One gradient step."""
        self.squares += gradient * gradient
        self.value -= self.step * gradient / math.sqrt(self.squares)


class Descents:
    """A parameter for each node, learned by AdaGrad; initially 0."""

    value: Floats
    squares: Floats

    def __init__(self, n: int, step: float) -> None:
        self.value, self.squares = np.zeros(n), np.ones(n)
        self.step = step

    def move(self, gradient: Floats, nodes: NDArray[np.intp]) -> None:
        """One gradient step for some of the nodes."""
        squares = self.squares[nodes] + gradient**2
        self.squares[nodes] = squares
        self.value[nodes] -= self.step * gradient / np.sqrt(squares)

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
    own_slope: Descents
    own_intercept: Descents

    def __init__(self, n: int) -> None:
        self.scale = Scale()
        self.slope, self.intercept = Descent(FIRST, SHARED), Descent(0.0, SHARED)
        self.own_slope, self.own_intercept = Descents(n, OWN), Descents(n, OWN)

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
        self.slope.move(float(by_slope.sum()))
        self.intercept.move(float(error.sum()))
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


class Temperatures:
    """P(node), a mixture of a sharp and a flat softmax of the scores: O(nodes) per step."""

    def __init__(self) -> None:
        self.scale: Scale = Scale(RECENT)
        self.sharp: Descent = Descent(SHARP, MIXED)
        self.flat: Descent = Descent(0.0, MIXED)
        self.mixture: Descent = Descent(0.0, MIXED)  # the log odds of the flat softmax

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, (..., nodes), which sum to 1."""
        scores, share = scores / self.scale.unit, self._share
        sharp, flat = (softmax(math.exp(each.value) * scores) for each in (self.sharp, self.flat))
        p: Floats = (1.0 - share) * sharp + share * flat
        return p

    def rescale(self, scores: Floats, w: float) -> Floats:
        """Add scores of weight w to the scale; return them, centred and clipped."""
        return self.scale.add(scores - scores.mean(), w)

    def learn(self, scores: Floats, y: int, w: float) -> None:
        """One gradient step on w times the log loss of the true node."""
        scores = self.rescale(scores, w) / self.scale.unit
        share = self._share
        sharp, by_sharp = self._loss(self.sharp, scores, y)
        flat, by_flat = self._loss(self.flat, scores, y)
        total = (1.0 - share) * sharp + share * flat
        of_flat = share * flat / total  # the posterior probability of the flat softmax
        self.sharp.move(w * (1.0 - of_flat) * by_sharp)
        self.flat.move(w * of_flat * by_flat)
        self.mixture.move(w * (share - of_flat))

    @property
    def _share(self) -> float:
        return 1.0 / (1.0 + math.exp(-self.mixture.value))

    def _loss(self, slope: Descent, scores: Floats, y: int) -> tuple[float, float]:
        """The probability of y, and the derivative of its log loss in the log of the slope."""
        z = math.exp(slope.value) * scores
        p = softmax(z)
        return max(float(p[y]), TINY), float(p @ z) - float(z[y])


def softmax(z: Floats) -> Floats:
    """Probabilities proportional to e^z, which sum to 1 over the last axis."""
    p: Floats = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return p
