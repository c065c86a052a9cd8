"""Parameters of calibration, learned by AdaGrad, and the scale of scores."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
