"""Stored sparse vectors."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Vector
from .._core.capacity import ensure_capacity

Floats: TypeAlias = NDArray[np.float64]


class Instances:
    """Vectors, one per row: S^T in the paper's notation.

    Their entries are stored in arrays that grow in steps. There is also a dense copy, as long as a
    quarter of its cells are filled: its products are faster, but their rounding depends on how the
    copy has grown.
    """

    n: int
    d: int

    def __init__(self) -> None:
        self._start = np.zeros(1, dtype=np.intp)
        self._rows = np.zeros(0, dtype=np.intp)
        self._values = np.zeros(0)
        self._norms2 = np.zeros(0)
        self._dense: Floats | None = np.zeros((0, 0))
        self.n = self.d = 0

    @property
    def norms2(self) -> Floats:
        return self._norms2[: self.n]

    @property
    def matrix(self) -> Any:
        """The instances as a sparse matrix, (instances, features)."""
        end = int(self._start[self.n])
        parts = self._values[:end], self._rows[:end], self._start[: self.n + 1]
        return sparse.csr_array(parts, shape=(self.n, self.d))

    def append(self, x: Vector) -> int:
        """Store x and return its number."""
        self.extend((np.array([0, len(x.rows)]), x.rows, x.values, np.array([x.norm2])))
        return self.n - 1

    def extend(self, parts: tuple[NDArray[Any], ...]) -> None:
        """Store more vectors."""
        start, rows, values, norms2 = parts
        rows = rows.astype(np.intp)
        first, before = self.n, int(self._start[self.n])
        n, after = first + len(norms2), before + len(rows)
        d = max(self.d, 1 + int(rows.max(initial=-1)))
        self._start = ensure_capacity(self._start, n + 1)
        self._start[first + 1 : n + 1] = before + start[1:].astype(np.intp)
        self._rows = ensure_capacity(self._rows, after)
        self._rows[before:after] = rows
        self._values = ensure_capacity(self._values, after)
        self._values[before:after] = values
        self._norms2 = ensure_capacity(self._norms2, n)
        self._norms2[first:n] = norms2
        if self._dense is not None and n * d > max(4096, 4 * after):
            self._dense = None
        if self._dense is not None:
            self._dense = ensure_capacity(self._dense, n, d)
            instances = np.repeat(np.arange(first, n), np.diff(start).astype(np.intp))
            self._dense[first:n] = 0.0  # there may be an example here that was not stored
            self._dense[instances, rows] = values
        self.n, self.d = n, d  # last, as memory may run out before

    def dots(self, x: Vector) -> Floats:
        """The dot products of x with all stored vectors."""
        S = self.matrix if self._dense is None else self._dense[: self.n, : self.d]
        dots: Floats = S @ x.dense(self.d)
        return dots

    def gram(self, which: NDArray[np.intp]) -> Floats:
        """The dot products of some vectors with one another."""
        S = self.matrix[which]
        products: Floats = (S @ S.T).toarray()
        np.fill_diagonal(products, self.norms2[which])
        return products

    def selected(self, which: NDArray[np.intp], rows: NDArray[np.intp]) -> Instances:
        """Some of the vectors with some of the features, both renumbered 0, 1, ..."""
        S, selected = self.matrix[which][:, rows], Instances()
        selected.extend((S.indptr, S.indices, S.data, self.norms2[which]))
        return selected
