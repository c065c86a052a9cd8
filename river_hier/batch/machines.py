"""The trained weight vectors of all nodes: the scores <w_v, x> + b_v of one x."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import FeatureMap, KernelInstances

Floats = NDArray[np.float64]


class Machines(abc.ABC):
    """What the nodes say, in taxonomy order."""

    @abc.abstractmethod
    def scores(self, x: Mapping[Any, Any]) -> Floats:
        """The score of every node."""


class LinearMachines(Machines):
    """Weights (features, nodes) and biases: O(features of x * nodes) for all scores."""

    def __init__(self, features: FeatureMap, w: Floats, bias: Floats) -> None:
        self.features = features
        self.w = w
        self.bias = bias

    def scores(self, x: Mapping[Any, Any]) -> Floats:
        found = self.features.find(x)
        scores: Floats = self.bias + found.values @ self.w[found.rows]
        return scores


class KernelMachines(Machines):
    """Dual coefficients (instances, nodes) and biases: a row of the kernel for all scores.

    Of the instances those that have a coefficient are kept, the support vectors of any node.
    """

    def __init__(self, instances: KernelInstances, b: Floats, bias: Floats) -> None:
        support = np.flatnonzero(b.any(axis=1))
        instances.keep(support)
        self.instances = instances
        self.b = b[support]
        self.bias = bias

    def scores(self, x: Mapping[Any, Any]) -> Floats:
        scores: Floats = self.bias + self.instances.row(x).values @ self.b
        return scores
