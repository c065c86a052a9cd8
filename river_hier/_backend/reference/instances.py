"""Stored instances, each once, whoever uses them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .feature_map import Vector

Floats = NDArray[np.float64]


class Instances:
    """Sparse vectors in one growing CSR matrix (instances, features)."""

    def __init__(self) -> None:
        self.n = 0
        self.n_features = 0
        self.indptr = np.zeros(1, dtype=np.int32)
        self.indices = np.zeros(0, dtype=np.int32)
        self.data = np.zeros(0)
        self.norms2: list[float] = []

    def append(self, x: Vector) -> int:
        """Store x; its number."""
        start = int(self.indptr[self.n])
        end = start + len(x.rows)
        if end > len(self.data):
            self.indices = np.resize(self.indices, 2 * end)
            self.data = np.resize(self.data, 2 * end)
        if self.n + 2 > len(self.indptr):
            self.indptr = np.resize(self.indptr, 2 * (self.n + 2))
        self.indices[start:end] = x.rows
        self.data[start:end] = x.values
        self.norms2.append(x.norm2)
        self.n += 1
        self.n_features = max(self.n_features, 1 + int(x.rows.max(initial=-1)))
        self.indptr[self.n] = end
        return self.n - 1

    def dots(self, x: Vector) -> Floats:
        """x . every stored instance: O(stored nonzeros)."""
        dense = np.zeros(self.n_features)
        rows, values = x.below(self.n_features)
        dense[rows] = values
        dots: Floats = self._matrix() @ dense
        return dots

    def chosen(self, which: NDArray[np.intp]) -> sparse.csr_array:
        """Some instances as the rows of a matrix: S^T in the paper's letters."""
        return self._matrix()[which]

    def features_of(self, which: NDArray[np.intp]) -> int:
        """How many features there are, up to the last one of these instances."""
        return int(self.chosen(which).indices.max(initial=-1)) + 1

    def _matrix(self) -> sparse.csr_array:
        end = int(self.indptr[self.n])
        parts = (self.data[:end], self.indices[:end], self.indptr[: self.n + 1])
        return sparse.csr_array(parts, shape=(self.n, self.n_features))

    def parts(self) -> tuple[NDArray[Any], ...]:
        """Where each instance starts, rows, values and squared norms, for a pickle."""
        end = int(self.indptr[self.n])
        start = self.indptr[: self.n + 1].astype(np.uint64)
        rows = self.indices[:end].astype(np.uint32)
        return start, rows, self.data[:end].copy(), np.array(self.norms2)

    def some(self, which: NDArray[np.intp]) -> Instances:
        """Only these, with new numbers."""
        start, rows, values, norms2 = self.parts()
        instances = Instances()
        for i in which.tolist():
            a, b = int(start[i]), int(start[i + 1])
            instances.append(Vector(rows[a:b].astype(np.intp), values[a:b], float(norms2[i])))
        return instances

    def extend(self, parts: tuple[NDArray[Any], ...]) -> None:
        """Store the instances of these parts, too."""
        start, rows, values, norms2 = parts
        for a, b, norm2 in zip(start[:-1].tolist(), start[1:].tolist(), norms2, strict=True):
            self.append(Vector(rows[a:b].astype(np.intp), values[a:b], float(norm2)))
