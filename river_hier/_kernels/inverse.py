"""The inverse of a symmetric matrix that grows by one row at a time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .growing import grown

Floats = NDArray[np.float64]

_WIDTH = 64  # columns a panel


class GrowingInverse:
    """M = B^-1 for a symmetric positive definite B that gains one row and column at a time.

    With `g = B^-1 b` for the new column `b`, the Schur complement `s = c - b . g` of the new
    diagonal element c gives (block inversion)

        M_new = [M 0; 0 0] + h h^T,    h = (g, -1) / sqrt(s).

    The last rank-one terms h are kept aside, up to 64 of them, and then added to M at once, as a
    product of matrices. M itself is stored in panels of 64 columns, upper part only. `solve`
    reads the n^2 / 2 stored numbers once; `append` takes O(n), and O(64 n^2) every 64th time.
    """

    def __init__(self) -> None:
        self.n = 0
        self.panels: list[Floats] = []  # panel p: rows 0..64(p+1), columns 64p..64(p+1)
        self.recent = np.zeros((0, _WIDTH), order="F")  # the terms h not yet added
        self.n_recent = 0

    def solve(self, b: Floats) -> Floats:
        """B^-1 b."""
        recent = self.recent[: self.n, : self.n_recent]
        g: Floats = recent @ (b @ recent)
        for p, panel in enumerate(self.panels):
            a, z = p * _WIDTH, (p + 1) * _WIDTH
            g[:z] += panel @ b[a:z]
            g[a:z] += b[:a] @ panel[:a]
        return g

    def append(self, g: Floats, s: float) -> None:
        """Grow by the column b of which g = solve(b), with Schur complement s."""
        self.recent = grown(self.recent, self.n + 1, _WIDTH)
        h = self.recent[: self.n + 1, self.n_recent]
        h[:-1] = g
        h[-1] = -1.0
        h /= math.sqrt(s)
        self.n += 1
        self.n_recent += 1
        if self.n_recent == _WIDTH:
            self._add_recent()

    def _add_recent(self) -> None:
        recent = self.recent[: self.n]
        for p, panel in enumerate(self.panels):
            a, z = p * _WIDTH, (p + 1) * _WIDTH
            panel += recent[:z] @ recent[a:z].T
        self.panels.append(np.asfortranarray(recent @ recent[-_WIDTH:].T))
        self.n_recent = 0  # each column is longer than the one it will overwrite
