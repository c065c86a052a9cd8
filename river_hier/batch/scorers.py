"""Trained linear functions of all nodes: the scores <w_v, x> + b_v of an x."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import FeatureMap
from ..kernel.instances import KernelInstances
from .examples import Floats


class LinearScorers:
    """Weights (features, nodes) and biases: O(features of x * nodes) for all scores."""

    def __init__(self, features: FeatureMap, w: Floats, bias: Floats) -> None:
        self.features = features
        self.w = w
        self.bias = bias

    def scores(self, x: Mapping[Any, Any]) -> Floats:
        """The score of each node."""
        found = self.features.find(x)
        scores: Floats = self.bias + found.values @ self.w[found.rows]
        return scores


class KernelScorers:
    """Dual coefficients (instances, nodes) and biases: one row of the kernel for all scores.

    Only the support vectors are kept: the instances with a coefficient at any node.
    """

    def __init__(self, instances: KernelInstances, b: Floats, bias: Floats) -> None:
        support = np.flatnonzero(b.any(axis=1))
        instances.keep(support)
        self.instances = instances
        self.b: Floats = b[support]
        self.bias = bias

    def scores(self, x: Mapping[Any, Any]) -> Floats:
        """The score of each node."""
        scores: Floats = self.bias + self.instances.row(x).values @ self.b
        return scores


Scorers = LinearScorers | KernelScorers
