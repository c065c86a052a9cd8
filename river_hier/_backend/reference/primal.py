"""Regularised least squares in primal variables: for more instances than features."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .capacity import ensure_capacity
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]


class Primal:
    """`w = A^-1 S v` with the inverse of `A = l2 I + S S^T`, for one or more columns of v.

    d features take O(d^2) memory and a step O(d^2), however many instances have been stored.
    """

    def __init__(self, l2: float, inverse: Floats, w: Floats, total: Floats) -> None:
        self.l2 = l2
        self.d = len(inverse)
        self._inverse = inverse
        self._w = w
        self._total = total  # S 1

    @property
    def inverse(self) -> Floats:
        return self._inverse[: self.d, : self.d]

    @property
    def w(self) -> Floats:
        return self._w[: self.d]

    @property
    def total(self) -> Floats:
        return self._total[: self.d]

    def scores(self, visit: Visit) -> Floats:
        """w . x of every output: O(features of x)."""
        rows, values = visit.x.below(self.d)
        scores: Floats = values @ self._w[rows]
        return scores

    signs = scores

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x and u = A^-1 x: O(d * features of x)."""
        rows, values = visit.x.below(self.d)
        u: Floats = values @ self._inverse[rows, : self.d]
        # On features that A has not met, A is l2 I.
        unmet = visit.x.norm2 - float(values @ values)
        return max(0.0, float(values @ u[rows])) + max(0.0, unmet) / self.l2, u

    def store(self, visit: Visit, v: Floats, r: float, u: Floats) -> None:
        """Take in x with its labels, after `solve`: O(d^2)."""
        x = visit.x
        if (d := 1 + int(x.rows.max())) > self.d:
            self._add_features(d)
            r, u = self.solve(visit)
        h = u / math.sqrt(1.0 + r)
        self.inverse[:] -= np.outer(h, h)  # Sherman and Morrison's formula
        self.w[:] += np.outer(u, (v - self.scores(visit)) / (1.0 + r))
        self._total[x.rows] += x.values

    def append(self, visit: Visit, v: Floats) -> None:
        """Take in x with its labels."""
        self.store(visit, v, *self.solve(visit))

    def add_outputs(self, n_outputs: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self._w = np.column_stack([self.w, *[-(self.inverse @ self.total)] * n_outputs])

    def weights(self, instances: Instances) -> Floats:
        """w as a matrix (features, outputs)."""
        return self.w

    def _add_features(self, d: int) -> None:
        self._inverse = ensure_capacity(self._inverse, d, d)
        self._w = ensure_capacity(self._w, d, self._w.shape[1])
        self._total = ensure_capacity(self._total, d)
        new = np.arange(self.d, d)
        self._inverse[new, new] = 1.0 / self.l2
        self.d = d
