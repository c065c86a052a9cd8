"""The Cholesky factor of a symmetric matrix that grows by one row at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .capacity import ensure_capacity

Floats = NDArray[np.float64]

_HEIGHT = 128  # rows a block


class GrowingCholesky:
    """`L L^T = B` for a symmetric positive definite B that gains a row and a column at a time.

    For a new column b with diagonal element c the new row of L is (l, s), where `L l = b` and
    `s^2 = c - l . l`: `forward` gives l and `append` takes it. Unlike the inverse of B, which
    could be ensure_capacity as well, the factor stays accurate however badly B is conditioned.

    The rows are kept in blocks of 128. Each block is a dense matrix to the left of the diagonal
    and the inverse of a small triangle on it, so a solve is a product of a matrix and a vector a
    block. It reads the n^2 / 2 stored numbers once; appending takes O(n) on average.
    """

    def __init__(self) -> None:
        self.n = 0
        self.blocks: list[tuple[Floats, Floats]] = []  # those that are full: left, diagonal^-1
        self.left, self.corner = np.zeros((2, 0, 0))  # the last block, row by row
        self.triangles = [np.zeros((0, 0))]  # on the diagonal, not inverted

    def forward(self, b: Floats) -> Floats:
        """L^-1 b."""
        y = b.copy()
        for a, z, left, corner in self._rows():
            y[a:z] = corner @ (y[a:z] - left @ y[:a])
        return y

    def backward(self, y: Floats) -> Floats:
        """L^-T y, for a vector or the columns of a matrix."""
        x = y.copy()
        for a, z, left, corner in reversed(self._rows()):
            x[a:z] = corner.T @ x[a:z]
            x[:a] -= left.T @ x[a:z]
        return x

    def append(self, l: Floats, s: float) -> None:  # noqa: E741
        """Grow by the row (l, s)."""
        start = self.n - self.n % _HEIGHT
        i = self.n - start
        self.left = ensure_capacity(self.left, i + 1, start)
        self.corner = ensure_capacity(self.corner, i + 1, i + 1)
        self.triangles[-1] = ensure_capacity(self.triangles[-1], i + 1, i + 1)
        self.left[i] = l[:start]
        # [T 0; t s]^-1 = [T^-1 0; -t T^-1 / s, 1 / s]
        self.corner[i, :i] = -(l[start:] @ self.corner[:i, :i]) / s
        self.corner[i, i] = 1.0 / s
        self.triangles[-1][i, :i], self.triangles[-1][i, i] = l[start:], s
        self.n += 1
        if self.n % _HEIGHT == 0:
            self.blocks.append((self.left, self.corner))
            self.left, self.corner = np.zeros((0, self.n)), np.zeros((0, 0))
            self.triangles.append(np.zeros((0, 0)))

    def rows(self) -> Iterator[tuple[Floats, float]]:
        """The rows (l, s), as they were appended."""
        for (a, z, left, _), triangle in zip(self._rows(), self.triangles, strict=False):
            for i in range(z - a):
                yield np.append(left[i], triangle[i, :i]), float(triangle[i, i])

    def _rows(self) -> list[tuple[int, int, Floats, Floats]]:
        """First row, last row + 1, left part and inverse triangle of each block."""
        rows = [
            (p * _HEIGHT, (p + 1) * _HEIGHT, left, corner)
            for p, (left, corner) in enumerate(self.blocks)
        ]
        start = len(self.blocks) * _HEIGHT
        if m := self.n - start:
            rows.append((start, self.n, self.left[:m], self.corner[:m, :m]))
        return rows
