"""The trained machines of all nodes: the scores of one x."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import Vector
from .examples import matrix

Floats = NDArray[np.float64]


class Machines(abc.ABC):
    """What the nodes say, in taxonomy order."""

    @abc.abstractmethod
    def scores(self, x: Vector) -> Floats:
        """The score of every node."""


class LinearMachines(Machines):
    """Weights and biases side by side: O(features of x * nodes) for all scores."""

    def __init__(self, constant: Floats, trained: dict[int, Any], n_features: int) -> None:
        self.bias = constant
        self.w = np.zeros((n_features, len(constant)))
        for v, machine in trained.items():
            self.w[:, v], self.bias[v] = machine.coef_[0], machine.intercept_[0]

    def scores(self, x: Vector) -> Floats:
        scores: Floats = self.bias + x.values @ self.w[x.rows]
        return scores


class KernelMachines(Machines):
    """One machine after the other: O(features of x * support vectors) for all scores."""

    def __init__(self, constant: Floats, trained: dict[int, Any], n_features: int) -> None:
        self.constant = constant
        self.trained = trained
        self.n_features = n_features

    def scores(self, x: Vector) -> Floats:
        scores, row = self.constant.copy(), matrix([x], self.n_features)
        for v, machine in self.trained.items():
            scores[v] = machine.decision_function(row)[0]
        return scores
