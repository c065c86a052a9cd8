"""Base classes of learners that read x as a vector of all features."""

import abc
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, FeatureIndex
from .._core.features import by_name
from ..base.explanation import Floats
from ..base.model import SingleLabelModel, TaxonomyModel
from ..taxonomy import TaxonomyLike

BLOCK = 256  # rows of a batch that are learned at once
LARGEST_SQUARE = 1e290  # sums of larger squares could overflow


class DenseFeatures(TaxonomyModel):
    """A learner to which each feature it has met is a coordinate of x, 0 if missing."""

    _largest_square = LARGEST_SQUARE  # of the norm of x, times the weight

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        super().__init__(taxonomy)
        self._features = FeatureIndex()

    @property
    @abc.abstractmethod
    def _d(self) -> int:
        """The number of coordinates there is room for; those without a feature are 0."""

    @abc.abstractmethod
    def _widen(self, d: int) -> None:
        """Make room for at least d coordinates."""

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        square = max(self._features.find(x).norm2, 1.0) * max(w, 1.0)
        if square > self._largest_square:
            raise ValueError(
                f"the squared norm of x times its weight is {square:.3g}, and sums of such squares "
                "overflow; scale x"
            )

    def _make_room(self, names: Collection[Any]) -> None:
        known = self._features.find(dict.fromkeys(names, 1.0)).rows
        self._widen(len(self._features) + len(names) - len(known))

    def _in_slices(self, X: Batch) -> bool:
        heaviest = X.all_weights.max(initial=1.0)
        return max(X.most_norm2, 1.0) * float(heaviest) <= self._largest_square

    def _blocks(self, X: Batch) -> Iterator[tuple[slice, NDArray[Any], Floats]]:
        """The rows of a slice to learn at once, over all coordinates, and their weights."""
        if not self._is_in_order(X):
            X = X.compact()
            self._make_room(X.names)
            self._features.insert(dict.fromkeys(X.names, 1.0))
        matrix, weights = self._matrix(X, self._d), X.all_weights
        for first in range(0, X.n, BLOCK):
            some = slice(first, first + BLOCK)
            yield some, matrix[some], weights[some]

    def _is_in_order(self, X: Batch) -> bool:
        """Whether the columns are the features that are known, in their order."""
        return X.columns is None and list(X.names) == self._features.names()

    def _matrix(self, X: Batch, d: int) -> NDArray[Any]:
        """The rows of a batch over the first d coordinates."""
        if len(X.names) == d and self._is_in_order(X):
            return X.values
        X = X.compact()
        rows = [self._features.row(name) for name in X.names]
        places = np.array([d if row is None else min(row, d) for row in rows], dtype=np.intp)
        dense = np.zeros((X.n, d + 1), dtype=X.values.dtype)  # the last column is for unknown ones
        cells: Any = slice(None), places
        if X.columns is not None and X.start is not None:
            cells = np.repeat(np.arange(X.n), np.diff(X.start)), places[X.columns]
        dense[cells] = X.values
        return np.ascontiguousarray(dense[:, :d])


class DenseModel(DenseFeatures, SingleLabelModel):
    """A single-label learner of dense features."""

    _decision_rule = "the likeliest label"

    @abc.abstractmethod
    def _update(self, X: Floats, y: NDArray[np.intp], w: Floats) -> None:
        """Learn from some rows, all or none."""

    def _learn(self, x: Mapping[Any, Any], y: int, w: float) -> None:
        self._check(x, w)
        self._make_room(by_name(x))
        row = self._features.insert(x).dense(self._d)
        self._update(row[None, :], np.array([y]), np.array([w], dtype=np.float64))

    def _learn_slice(self, X: Batch, y: NDArray[Any]) -> None:
        nodes = y.astype(np.intp)
        for some, rows, w in self._blocks(X):
            self._update(rows, nodes[some], w)
            X.n_learned += len(rows)
