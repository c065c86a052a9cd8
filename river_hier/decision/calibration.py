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
FIRST = math.log(2.0)  # the initial logarithm of the slope
SHARP = 1.0  # that of the sharp softmax; the flat one starts at 0
RECENT = 1000.0  # examples that set the scale of single-label scores, which grows with passes


class Scale:
    """The root mean square of the latest scores, which makes slopes independent of their scale."""

    squares: float
    n: float

    def __init__(self, window: float = math.inf) -> None:
        self.window = window
        self.squares = 0.0
        self.n = 0.0  # how many there were, by the weights of their examples

    def add(self, scores: Floats, w: float) -> Floats:
        """Add the scores of an example of weight w, and return them, clipped to `FAR` units."""
        most = FAR * self.unit
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


class Temperatures:
    """P(node), a mixture of a sharp and a flat softmax of the scores: O(nodes) per step."""

    def __init__(self) -> None:
        self.scale = Scale(RECENT)
        self.sharp, self.flat = Descent(1, SHARP, MIXED), Descent(1, 0.0, MIXED)
        self.mixture = Descent(1, 0.0, MIXED)  # the log odds of the flat softmax

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, (..., nodes), which sum to 1."""
        unit, share = self.scale.unit, expit(self.mixture.value)
        sharp, flat = (softmax(tempered(each, scores, unit)) for each in (self.sharp, self.flat))
        p: Floats = (1.0 - share) * sharp + share * flat
        return p

    def rescale(self, scores: Floats, w: float) -> Floats:
        """Add scores of weight w to the scale; the scores, clipped, around their mean."""
        return self.scale.add(scores - scores.mean(), w)

    def learn(self, scores: Floats, y: int, w: float) -> None:
        """One gradient step on w times the log loss of the true node."""
        near = self.rescale(scores, w)
        share = float(expit(self.mixture.value)[0])
        parts, slopes = [], []
        for part in (self.sharp, self.flat):
            z = tempered(part, near, self.scale.unit)
            p = softmax(z)
            parts.append(float(p[y]))
            slopes.append(float(p @ z) - float(z[y]))  # of -log p, in the logarithm of the slope
        sharp, flat = (1.0 - share) * parts[0], share * parts[1]
        if not (total := sharp + flat):  # both have underflowed: the flat one is less wrong
            sharp, flat, total = 0.0, 1.0, 1.0
        self.sharp.move(w * sharp / total * slopes[0])
        self.flat.move(w * flat / total * slopes[1])
        self.mixture.move(w * (share - flat / total))


def tempered(slope: Descent, scores: Floats, unit: float) -> Floats:
    """Scores in their unit, times the slope."""
    z: Floats = np.exp(slope.value) * (scores / unit)
    return z


def softmax(z: Floats) -> Floats:
    """Probabilities proportional to e^z, which sum to 1 over the last axis."""
    p: Floats = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return p
