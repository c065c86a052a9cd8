"""Online Platt scaling: probabilities from scores."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..pickles import saved
from ..remapping import Sources, remap_values
from .descent import LARGEST, Descent, Descents, Scale
from .labels import Labels
from .paths import trained_nodes

Floats = NDArray[np.float64]

# Step sizes: shared parameters move faster than those of single nodes.
SHARED, OWN = 0.2, 0.1


class Calibration:
    """P(node on | parents on), a logistic function of the node's score: O(1) per node and step.

    Slope and intercept are sums of a part shared by all nodes and a part of the node's own, so a
    node with few examples is calibrated like the others. A node with a score of -inf is off.
    """

    def __init__(self, n: int) -> None:
        self.scale = Scale()
        self.slope, self.intercept = Descent(math.log(2.0), SHARED), Descent(0.0, SHARED)
        self.own_slope, self.own_intercept = Descents(n, OWN), Descents(n, OWN)

    def add_nodes(self, n: int) -> None:
        """Make room up to n nodes; the own parts of new ones are 0."""
        if n <= len(self.own_slope.value):
            return
        for own in self.own_slope, self.own_intercept:
            more = (0, n - len(own.value))
            own.value, own.squares = (
                np.pad(own.value, more),
                np.pad(own.squares, more, constant_values=1.0),
            )

    def given(self, scores: Floats) -> Floats:
        """P(on | parents on) of every node, from scores, (..., nodes)."""
        everywhere = slice(None)
        steep = self._steep(np.maximum(scores, -LARGEST), everywhere)
        p: Floats = expit(steep + self._flat(everywhere))
        p[scores == -np.inf] = 0.0
        return p

    def learn(self, scores: Floats, y: Any, labels: Labels, w: float) -> None:
        """One gradient step on w times the log loss of the nodes whose parents are on.

        Nodes whose score is not a number are left out.
        """
        on = labels.taxonomy._closure_mask(y)
        nodes = trained_nodes(on, labels.arrays)
        nodes = nodes[~np.isnan(scores[nodes])]
        steep = self._steep(self.scale.add(scores[nodes], w), nodes)
        error = w * (expit(steep + self._flat(nodes)) - on[nodes])
        by_slope = error * steep  # the gradient in the logarithm of the slope
        self.slope.move(float(by_slope.sum()))
        self.intercept.move(float(error.sum()))
        self.own_slope.move(by_slope, nodes)
        self.own_intercept.move(error, nodes)

    def _steep(self, scores: Floats, at: Any) -> Floats:
        slope = np.exp(self.slope.value + self.own_slope.value[at])
        steep: Floats = slope * (scores / self.scale.unit)
        return steep

    def _flat(self, at: Any) -> Floats:
        intercept: Floats = self.intercept.value + self.own_intercept.value[at]
        return intercept

    @property
    def parameters(self) -> tuple[Floats, Floats]:
        """What all nodes share, and the parameters of each node, (4, nodes)."""
        scale, slope, intercept = self.scale, self.slope, self.intercept
        shared = [scale.squares, scale.n, slope.value, slope.squares]
        shared += [intercept.value, intercept.squares]
        each = self.own_slope, self.own_intercept
        own = [values for one in each for values in (one.value, one.squares)]
        return np.array(shared), np.array(own)

    @parameters.setter
    def parameters(self, both: tuple[Floats, Floats]) -> None:
        shared, own = both
        if shared.shape != (6,) or own.shape != (4, len(self.own_slope.value)):
            raise ValueError("all parameters are needed")
        scale, slope, intercept = self.scale, self.slope, self.intercept
        scale.squares, scale.n, slope.value, slope.squares = shared[:4].tolist()
        intercept.value, intercept.squares = shared[4:].tolist()
        self.own_slope.value, self.own_slope.squares = own[:2].copy()
        self.own_intercept.value, self.own_intercept.squares = own[2:].copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("Calibration", *self.parameters)

    @classmethod
    def restore(cls, shared: Floats, own: Floats) -> Self:
        """The calibration of a pickle."""
        calibration = cls(own.shape[-1])
        calibration.parameters = shared, own
        return calibration


def remap_calibration(calibration: Calibration, sources: Sources) -> Calibration:
    """The calibration of the nodes of another taxonomy; the own parts of new nodes are 0."""
    shared, own = calibration.parameters
    rows = [remap_values(row, sources, new) for row, new in zip(own, (0.0, 1.0) * 2, strict=True)]
    return type(calibration).restore(shared, np.array(rows))
