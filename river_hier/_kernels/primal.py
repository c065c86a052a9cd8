"""Regularised least squares in primal variables: for more instances than features."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .dual import Dual
from .features import Vector
from .growing import grown
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]


class Primal:
    """`w = A^-1 S v` with the inverse of `A = l2 I + S S^T`, for one or more columns of v.

    d features take O(d^2) memory and a step O(d^2), however many instances have been stored.
    """

    def __init__(self, dual: Dual, instances: Instances) -> None:
        """Carry on from dual variables, with the same weights."""
        S = dual.stored(instances).T.toarray()
        eigenvalues, U = np.linalg.eigh(S @ S.T)  # safe however badly A is conditioned
        self.l2 = dual.l2
        self.d = len(S)
        self.inverse: Floats = (U / (dual.l2 + np.maximum(eigenvalues, 0.0))) @ U.T
        self.w: Floats = dual.weights(instances)
        self.total: Floats = S @ dual.ones[: dual.n]

    def scores(self, visit: Visit) -> Floats:
        """w . x of every output: O(features of x)."""
        rows, values = visit.x.below(self.d)
        scores: Floats = values @ self.w[rows]
        return scores

    predict = scores

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x and u = A^-1 x: O(d * features of x)."""
        rows, values = visit.x.below(self.d)
        u: Floats = values @ self.inverse[rows, : self.d]
        # On features that A has not met, A is l2 I.
        unmet = visit.x.norm2 - float(values @ values)
        return max(0.0, float(values @ u[rows])) + max(0.0, unmet) / self.l2, u

    def store(self, visit: Visit, v: Floats, r: float, u: Floats) -> None:
        """Take in x with its labels: O(d^2)."""
        x = visit.x
        if (d := 1 + int(x.rows.max())) > self.d:
            self._add_features(d)
            r, u = self.solve(visit)
        d = self.d
        h = u / math.sqrt(1.0 + r)
        self.inverse[:d, :d] -= np.outer(h, h)  # Sherman and Morrison's formula
        self.w[:d] += np.outer(u, (v - self.scores(visit)) / (1.0 + r))
        self.total[x.rows] += x.values

    def add_outputs(self, n_outputs: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        new = -(self.inverse[: self.d, : self.d] @ self.total[: self.d])
        self.w = np.column_stack([self.w[: self.d], *[new] * n_outputs])

    def weights(self, instances: Instances) -> Floats:
        """w as a matrix (features, outputs)."""
        return self.w[: self.d]

    def to_dual(self, instances: Instances) -> Dual:
        """Go back to dual variables, with at most d instances that stand for all those seen.

        With the eigenvectors e_j of S S^T, of eigenvalues m_j > 0, the instances sqrt(m_j) e_j
        have the same S S^T, and with alpha_j = w . e_j / sqrt(m_j) the same w.
        """
        d = self.d
        inverted, U = np.linalg.eigh(self.inverse[:d, :d])
        m = 1.0 / inverted - self.l2
        kept = m > self.l2 * 1e-12
        size, U = np.sqrt(m[kept]), U[:, kept]
        dual = Dual(self.w.shape[1], self.l2)
        rows = np.arange(d)
        dual.ids = np.array(
            [instances.append(Vector(rows, s * e, 0.0)) for s, e in zip(size, U.T, strict=True)],
            dtype=np.intp,
        )
        dual.ones = (U.T @ self.total[:d]) / size
        diagonal = np.sqrt(size**2 + self.l2)  # the instances are orthogonal, so L is diagonal
        dual.z = (diagonal / size)[:, None] * (U.T @ self.w[:d])
        for j, s in enumerate(diagonal):
            dual.factor.append(np.zeros(j), s)
        return dual

    def _add_features(self, d: int) -> None:
        self.inverse = grown(self.inverse, d, d)
        self.w = grown(self.w, d, self.w.shape[1])
        self.total = grown(self.total, d)
        new = np.arange(self.d, d)
        self.inverse[new, new] = 1.0 / self.l2
        self.d = d

    def __getstate__(self) -> dict[str, object]:  # a pickle need not hold the room to grow
        d = self.d
        return self.__dict__ | {
            "inverse": self.inverse[:d, :d].copy(),
            "w": self.w[:d].copy(),
            "total": self.total[:d].copy(),
        }
