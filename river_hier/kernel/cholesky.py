"""A Cholesky factor that grows by one row at a time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from .._core.capacity import ensure_capacity

Floats = NDArray[np.float64]

# The rounding error of a factor per instance, relative to a squared norm.
_ROUNDING = 1e-14


class Cholesky:
    """The lower triangle L with `L L^T = l2 I + S^T S`, where the columns of S are instances.

    Unlike an inverse, it stays accurate however badly the matrix is conditioned. Its rows are
    stored one after the other, as BLAS packs them: solving takes O(n^2), appending O(n).
    """

    n: int

    def __init__(self, l2: float) -> None:
        self.l2 = l2
        self.n = 0
        self._rows: Floats = np.zeros(0)

    def solve(self, b: Floats) -> Floats:
        """L^-1 b."""
        y: Floats = blas.dtpsv(self.n, self._rows, b, trans=1) if self.n else b
        return y

    def solve_transposed(self, b: Floats) -> Floats:
        """L^-T b."""
        y: Floats = blas.dtpsv(self.n, self._rows, b) if self.n else b
        return y

    def solve_on(self, y: Floats, b: Floats) -> Floats:
        """L^-1 b, of which the first entries, y, are known: O(n) for each further one."""
        known, y = len(y), np.append(y, np.zeros(self.n - len(y)))
        for i in range(known, self.n):
            row = self._rows[i * (i + 1) // 2 :]
            y[i] = (b[i] - row[:i] @ y[:i]) / row[i]
        return y

    def append(self, row: Floats, norm2: float) -> None:
        """Add an instance x with |x|^2 = norm2 and `row = L^-1 S^T x`.

        If l2 is lost in rounding, the rounding error replaces it.
        """
        rest = self.l2 + max(0.0, norm2 - float(row @ row))
        rest = max(rest, _ROUNDING * (self.n + 1) * norm2)
        start = self.n * (self.n + 1) // 2
        end = start + self.n
        self._rows = ensure_capacity(self._rows, end + 1)
        self._rows[start:end], self._rows[end] = row, math.sqrt(rest)
        self.n += 1
