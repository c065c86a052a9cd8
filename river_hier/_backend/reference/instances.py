"""Stored sparse vectors, shared by the systems that use them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .feature_map import Vector

Floats: TypeAlias = NDArray[np.float64]
Parts: TypeAlias = tuple[NDArray[Any], ...]  # where each instance starts, rows, values, norms2


class Instances:
    """Vectors, one a row: S^T in the paper's letters."""

    def __init__(self) -> None:
        self.S: Any = sparse.csr_array((0, 0))
        self.norms2 = np.zeros(0)

    @property
    def n(self) -> int:
        return len(self.norms2)

    def append(self, x: Vector) -> int:
        """Store x; its number."""
        self.extend((np.array([0, len(x.rows)]), x.rows, x.values, np.array([x.norm2])))
        return self.n - 1

    def extend(self, parts: Parts) -> None:
        """Store more vectors."""
        start, rows, values, norms2 = parts
        rows, start = rows.astype(np.int32), start.astype(np.int32)
        d = max(self.S.shape[1], 1 + int(rows.max(initial=-1)))
        self.S.resize(self.n, d)
        new = sparse.csr_array((values, rows, start), shape=(len(norms2), d))
        self.S = sparse.vstack([self.S, new], format="csr")
        self.norms2 = np.append(self.norms2, norms2)

    def dots(self, x: Vector) -> Floats:
        """x . every stored vector."""
        rows, values = x.below(self.S.shape[1])
        dense = np.zeros(self.S.shape[1])
        dense[rows] = values
        dots: Floats = self.S @ dense
        return dots

    def gram(self, which: NDArray[np.intp]) -> Floats:
        """The dot products of some vectors with one another."""
        S = self.S[which]
        products: Floats = (S @ S.T).toarray()
        np.fill_diagonal(products, self.norms2[which])
        return products

    def keep(self, which: NDArray[np.intp]) -> None:
        """Drop the others; those that are kept get the numbers 0, 1, ..."""
        self.S, self.norms2 = self.S[which], self.norms2[which]

    def parts(self) -> Parts:
        """Plain arrays for a pickle."""
        start, rows = self.S.indptr.astype(np.uint64), self.S.indices.astype(np.uint32)
        return start, rows, self.S.data.copy(), self.norms2.copy()
