"""The weight vectors of linear models, by label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._core import (
    Batch,
    Clocks,
    FeatureHasher,
    FeatureIndex,
    FeatureMap,
    Vectors,
    Weights,
    rounds,
)
from ..taxonomy import Label, Taxonomy
from .checks import check_intercept, check_power_of_two
from .dataframes import at_row
from .explanation import Contribution, Floats, effects


def feature_map(n_features: int | None, intercept: float) -> FeatureMap:
    """An index of all names of features or, with `n_features`, a hash table of that many rows."""
    check_intercept(intercept)
    if n_features is None:
        return FeatureIndex(float(intercept))
    check_power_of_two("n_features", n_features)
    return FeatureHasher(int(n_features), float(intercept))


class WeightVectors:
    """Base class of models with a weight vector at every node."""

    _features: FeatureMap
    _taxonomy: Taxonomy
    _w: Weights
    _lag: Weights | None = None  # the sum of i s_i, if hypotheses are averaged
    _clocks: Clocks | None = None  # when the average of each node started
    _scores_one: Any
    dtype: str

    @property
    def weights(self) -> dict[Label, dict[Any, float]]:
        """The weight vector of each node but the root: `{label: {feature: weight}}`.

        Zero weights are left out. Computed at each call, in O(features * nodes). If features are
        hashed, the number of a row stands for its names.
        """
        features = self._features
        names = features.names()
        weights = {}
        labels = self._taxonomy.nodes[1:]
        for label, w in zip(labels, self._weights(range(1, len(labels) + 1)), strict=True):
            w = w[features.first_row :]
            weights[label] = {names[i]: float(w[i]) for i in np.flatnonzero(w)}
        return weights

    @property
    def intercepts(self) -> dict[Label, float]:
        """The intercept of each node but the root, `{label: number}`.

        It is part of every score: the weight of the constant feature times its value, 0 without
        one. Computed at each call, in O(features * nodes).
        """
        features, nodes = self._features, self._taxonomy.nodes
        if not features.first_row:
            return dict.fromkeys(nodes[1:], 0.0)
        w = [w[0] for w in self._weights(range(1, len(nodes)))]
        return {label: features.intercept * float(c) for label, c in zip(nodes[1:], w, strict=True)}

    def _weights(self, nodes: Iterable[int]) -> Iterator[Floats]:
        """The weight vector of each node, or the average of its hypotheses."""
        n_features = len(self._features)
        n_rounds = None if self._lag is None else rounds(self._clocks)
        for v in nodes:
            w: Floats = self._w.column(v, n_features)
            if self._lag is not None and n_rounds is not None:
                w = w - self._lag.column(v, n_features) / n_rounds[v]
            yield w

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        """The contribution of each feature, and of the intercept, to the score of each node."""
        constant = self._scores_one({})
        found = effects(self._scores_one, x, nodes)
        return [[*terms, ("intercept", constant[v])] for v, terms in zip(nodes, found, strict=True)]

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        self._w.check_range(self._features.find(x).norm2)

    def _check_many(self, X: Batch) -> None:
        # Weights of single precision may not be able to move along the longest row.
        if X.n and X.most_norm2 > (math.inf if self.dtype == "float64" else 0.0):
            longest = int(Vectors(self._features, X).norms2.argmax())
            with at_row(X.number(longest)):
                self._check(X.row(longest))
