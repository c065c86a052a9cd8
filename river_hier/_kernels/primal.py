"""Regularised least squares in primal variables: for more instances than features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .dual import Dual
from .growing import grown
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]


class Primal:
    """`w = A^-1 S v` with the inverse of `A = l2 I + S S^T`, for one or more columns of v.

    d features take O(d^2) memory and a step O(d^2), however many instances have been stored.
    """

    def __init__(self, dual: Dual, instances: Instances) -> None:
        """Carry on from dual variables; no rounding but the solve's comes in."""
        S = dual.stored(instances).T.toarray()
        d = len(S)
        A = S @ S.T + dual.l2 * np.eye(d)
        self.l2 = dual.l2
        self.n = dual.n
        self.d = d
        self.inverse: Floats = linalg.cho_solve(linalg.cho_factor(A), np.eye(d))
        self.w: Floats = dual.weights(instances)
        self.total: Floats = S.sum(axis=1)

    def scores(self, visit: Visit) -> Floats:
        """w . x of every output: O(features of x)."""
        rows, values = visit.x.below(self.d)
        scores: Floats = values @ self.w[rows]
        return scores

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x and u = A^-1 x: O(d * features of x)."""
        rows, values = visit.x.below(self.d)
        u: Floats = values @ self.inverse[rows, : self.d]
        # On features that A has not met, A is l2 I.
        unmet = visit.x.norm2 - float(values @ values)
        return float(values @ u[rows]) + max(0.0, unmet) / self.l2, u

    def store(self, visit: Visit, errors: Floats, r: float, u: Floats) -> None:
        """Take in x, whose labels are `errors` away from its scores: O(d^2)."""
        x = visit.x
        if (d := 1 + int(x.rows.max())) > self.d:
            self._add_features(d)
            r, u = self.solve(visit)
        d = self.d
        h = u / np.sqrt(1.0 + r)
        self.inverse[:d, :d] -= np.outer(h, h)  # Sherman and Morrison's formula
        self.w[:d] += np.outer(u, errors / (1.0 + r))
        self.total[x.rows] += x.values
        self.n += 1

    def add_output(self) -> None:
        """One more output, whose label was -1 on every instance so far."""
        w = np.zeros((len(self.w), self.w.shape[1] + 1))
        w[:, :-1] = self.w
        w[: self.d, -1] = -(self.inverse[: self.d, : self.d] @ self.total[: self.d])
        self.w = w

    def _add_features(self, d: int) -> None:
        self.inverse = grown(self.inverse, d, d)
        self.w = grown(self.w, d, self.w.shape[1])
        self.total = grown(self.total, d)
        new = np.arange(self.d, d)
        self.inverse[new, new] = 1.0 / self.l2
        self.d = d

    def weights(self, instances: Instances) -> Floats:
        """w as a matrix (features, outputs)."""
        return self.w[: self.d]

    def __getstate__(self) -> dict[str, object]:  # a pickle need not hold the room to grow
        d = self.d
        return self.__dict__ | {
            "inverse": self.inverse[:d, :d].copy(),
            "w": self.w[:d].copy(),
            "total": self.total[:d].copy(),
        }
