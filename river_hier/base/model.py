"""What all learners in a taxonomy share."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._kernels import Features, HashedFeatures, Labels, Names, Vector, Vectors
from ..taxonomy import Label, Taxonomy, check_taxonomy
from .checks import check_power_of_two

Floats = NDArray[np.float64]


class TaxonomyModel(base.Estimator):
    """A linear model with a weight vector at every node of a taxonomy.

    A taxonomy that is given is closed: an unknown label is an error. With `None` the model
    starts from an open, flat taxonomy, to which labels are added as they arrive; the label of its
    root, `"root"`, is none of them.

    With `n_features`, names of features are hashed into that many rows instead of remembered.

    A refused example changes nothing: x and y are read before anything is written.
    """

    def __init__(self, taxonomy: Taxonomy | None, n_features: int | None) -> None:
        if taxonomy is not None:
            check_taxonomy(taxonomy)
        if n_features is not None:
            check_power_of_two("n_features", n_features)
        self.taxonomy = taxonomy
        self.n_features = n_features
        self._taxonomy = Taxonomy.flat([]) if taxonomy is None else taxonomy
        self._labels = Labels(self._taxonomy)
        self._features: Names = Features()
        if n_features is not None:
            self._features = HashedFeatures(int(n_features))

    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """The score of each label, a linear value.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}`; multilabel models leave out the root.

        """
        scores = self._scores(self._features.find(x)).tolist()
        return dict(zip(self._taxonomy.nodes[self._first :], scores[self._first :], strict=True))

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

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            How many decimals to print.

        Returns
        -------
        A text: the path taken through the taxonomy, and for each node on it the score and the
        features that weighed most. A feature's part is `w_j x_j`; in the least-squares models
        that is before the division by `1 + r`, so there the parts need not add up to the score.

        """
        scores = self._scores(self._features.find(x))
        nodes = self._taxonomy.nodes
        lines = [self._debug_title(x)]
        for v in self._debug_nodes(x):
            indent = "  " * int(self._taxonomy.arrays.depth[v])
            lines.append(f"{indent}{nodes[v]!r}: {scores[v]:+.{decimals}f}{self._weighed(v, x)}")
        return "\n".join(lines)

    def _weighed(self, v: int, x: Mapping[Any, Any], most: int = 3) -> str:
        """The features of x that weighed most at a node."""
        w = self._weights(v, len(self._features))
        rows = {name: self._features.row(name) for name in x}
        parts = {n: w[row] * float(x[n]) for n, row in rows.items() if row is not None}
        top = sorted(parts, key=lambda name: -abs(parts[name]))[:most]
        named = ", ".join(f"{name} {parts[name]:+.3f}" for name in top if parts[name])
        return f"  ({named})" if named else ""

    # What a kind of learner fills in

    _first: int  # the first node that is predicted: 0, or 1 where the root is not

    @abc.abstractmethod
    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        """The first line of `debug_one`."""

    @abc.abstractmethod
    def _debug_nodes(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that `debug_one` shows, in order."""

    # What an algorithm fills in

    @abc.abstractmethod
    def _scores(self, x: Vector | Vectors) -> Floats:
        """The score of every node; of many vectors, one a column."""

    @abc.abstractmethod
    def _weights(self, v: int, n_features: int) -> Floats:
        """The weight vector of one node."""

    @abc.abstractmethod
    def _add_nodes(self, before: int, after: int) -> None:
        """Make room for the nodes of an open taxonomy that has grown."""

    # An open taxonomy

    def _adopt(self, taxonomy: Taxonomy, x: Mapping[Any, Any]) -> None:
        """Carry on with an open taxonomy that has grown, unless something is wrong with x."""
        self._check(x)
        self._add_nodes(len(self._taxonomy), len(taxonomy))  # may be refused: before all else
        self._taxonomy, self._labels = taxonomy, Labels(taxonomy)

    def _check(self, x: Mapping[Any, Any]) -> None:
        """Raise an error if the algorithm cannot learn from x."""
        self._scores(self._features.find(x))  # weights of dtype "float32" do not take every x
