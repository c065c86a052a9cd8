"""What the linear learners share: features that have rows, and weights for them."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._backend import FeatureHasher, FeatureIndex, FeatureMap, Vector, Vectors
from ..taxonomy import Label, TaxonomyLike
from .checks import check_power_of_two
from .explanation import Part, effects
from .model import Floats, TaxonomyModel


class LinearModel(TaxonomyModel):
    """A model with a weight vector at every node.

    With `n_features`, names of features are hashed into that many rows instead of remembered.
    """

    def __init__(self, taxonomy: TaxonomyLike, n_features: int | None) -> None:
        super().__init__(taxonomy)
        if n_features is not None:
            check_power_of_two("n_features", n_features)
        self.n_features = n_features
        self._features: FeatureMap = FeatureIndex()
        if n_features is not None:
            self._features = FeatureHasher(int(n_features))

    @property
    def weights(self) -> dict[Label, dict[Any, float]]:
        """The weight vector of each node but the root: `{label: {feature: weight}}`.

        Zero weights are left out. Made anew at each call, in O(features * nodes). Where features
        are hashed, their rows stand for their names.
        """
        names = self._features.names()
        weights = {}
        for v, label in enumerate(self._taxonomy.nodes[1:], start=1):
            w = self._weights(v, len(names))
            weights[label] = {names[i]: float(w[i]) for i in np.flatnonzero(w)}
        return weights

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._scores(self._features.find(x))

    def _parts(self, x: Mapping[Any, Any], nodes: Sequence[int]) -> list[list[Part]]:
        return effects(self._scores_one, x, nodes)

    # What an algorithm fills in

    @abc.abstractmethod
    def _scores(self, x: Vector | Vectors) -> Floats:
        """The score of every node; of many vectors, one a column."""

    @abc.abstractmethod
    def _weights(self, v: int, n_features: int) -> Floats:
        """The weight vector of one node."""
