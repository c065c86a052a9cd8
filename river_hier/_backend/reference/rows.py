"""Stored vectors: a dense array as long as most of it is filled, a sparse matrix otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .capacity import ensure_capacity
from .feature_map import Vector
from .instances import Instances

Floats = NDArray[np.float64]

# Of its numbers a dense array must hold this many, or it gives way. A sparse matrix gives way
# beyond twice as many: a stream in between does not make it change back and forth.
_SPARSEST = 1 / 4
# Small arrays may be as empty as they like.
_SMALL = 4096


class Rows:
    """Vectors, one a row, in the storage that suits those that have come.

    Which it is shows only in rounding. A row takes O(its features) to append, or in a dense array
    O(all features); the dot products with another vector are one product of a matrix.
    """

    def __init__(self) -> None:
        self.n = 0
        self.n_features = 0
        self._n_filled = 0
        self._norms2 = np.zeros(0)
        self._stored: _Dense | Instances = _Dense()

    @property
    def is_dense(self) -> bool:
        return isinstance(self._stored, _Dense)

    @property
    def norms2(self) -> Floats:
        """The squared norm of each row."""
        return self._norms2[: self.n]

    def append(self, x: Vector) -> None:
        """Store x."""
        self._norms2 = ensure_capacity(self._norms2, self.n + 1)
        self._norms2[self.n] = x.norm2
        self.n += 1
        self.n_features = max(self.n_features, 1 + int(x.rows.max(initial=-1)))
        self._n_filled += len(x.rows)
        n_cells = self.n * self.n_features
        if self.is_dense and n_cells > max(_SMALL, self._n_filled / _SPARSEST):
            self._change(Instances())
        elif not self.is_dense and n_cells < self._n_filled / (2 * _SPARSEST):
            self._change(_Dense())
        self._stored.append(x)

    def dots(self, x: Vector) -> Floats:
        """x . every row."""
        return self._stored.dots(x)

    def products(self, which: NDArray[np.intp]) -> Floats:
        """The dot products of some rows with one another, a matrix."""
        S = self._stored.chosen(which)
        products = S @ S.T
        return products if isinstance(products, np.ndarray) else products.toarray()

    def vectors(self, which: NDArray[np.intp]) -> Iterator[Vector]:
        """Some rows; zeros may be left out."""
        S = sparse.csr_array(self._stored.chosen(which))
        for i, a, z in zip(which.tolist(), S.indptr, S.indptr[1:], strict=False):
            columns = S.indices[a:z].astype(np.intp)
            yield Vector(columns, S.data[a:z], float(self._norms2[i]))

    def _change(self, to: _Dense | Instances) -> None:
        """Copy all rows but the last, which is on its way."""
        for x in self.vectors(np.arange(self.n - 1)):
            to.append(x)
        self._stored = to


class _Dense:
    """A growing array (rows, features)."""

    def __init__(self) -> None:
        self.n = 0
        self._n_features = 0
        self._array = np.zeros((0, 0))

    def append(self, x: Vector) -> None:
        self._n_features = max(self._n_features, 1 + int(x.rows.max(initial=-1)))
        self._array = ensure_capacity(self._array, self.n + 1, self._n_features)
        self._array[self.n, x.rows] = x.values
        self.n += 1

    def dots(self, x: Vector) -> Floats:
        rows, values = x.below(self._n_features)
        dense = np.zeros(self._n_features)
        dense[rows] = values
        dots: Floats = self._array[: self.n, : self._n_features] @ dense
        return dots

    def chosen(self, which: NDArray[np.intp]) -> Floats:
        return self._array[which, : self._n_features]
