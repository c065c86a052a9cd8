"""Calibration of the scores of single labels by two softmax functions, learned online."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEP = 0.5
SHARP = 1.0  # the initial logarithm of the slope of the sharp softmax; that of the flat one is 0
TINY = 1e-300  # the smallest probability of which the logarithm is taken
RECENT = 1000.0  # number of examples that determine the scale of scores


FAR = 10.0  # units; limits the effect of a single extreme score on the unit
LARGEST = 1e140  # limit of scores, so that sums of squares stay finite


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


class Temperatures:
    """P(node), a mixture of a sharp and a flat softmax of the scores: O(nodes) per step."""

    def __init__(self) -> None:
        self.scale: Scale = Scale(RECENT)
        self.sharp: Descent = Descent(SHARP, STEP)
        self.flat: Descent = Descent(0.0, STEP)
        self.mixture: Descent = Descent(0.0, STEP)  # the log odds of the flat softmax

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
