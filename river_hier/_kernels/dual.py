"""Regularised least squares in dual variables: for fewer instances than features."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .cholesky import GrowingCholesky
from .growing import grown
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]

# Predictions in a row, with w unchanged, after which an explicit w pays off.
_PATIENCE = 16
# Of a squared norm, what a solve loses to rounding for each instance; generously.
_ROUNDING = 1e-14


class Dual:
    """`w = S alpha` with `alpha = B^-1 v`, `B = l2 I + S^T S`, for one or more columns of v.

    All columns (the outputs, one a node) share the stored instances S and the factor `B = L L^T`.
    n instances take O(n^2) memory; a step takes O(n^2) time. What is kept of the labels is
    `z = L^-1 v`, which only grows; alpha is worked out when it is asked for.
    """

    def __init__(self, n_outputs: int, l2: float) -> None:
        self.l2 = l2
        self.ids = np.zeros(0, dtype=np.intp)  # the numbers of the instances
        self.ones = np.zeros(0)  # 1 for an instance: S ones is their sum
        self.z = np.zeros((0, n_outputs))
        self.factor = GrowingCholesky()
        self._alpha: Floats | None = None  # as long as it is known
        self._w: Floats | None = None  # S alpha, as long as it is known
        self._predictions = 0  # since z has changed

    @property
    def n(self) -> int:
        """Instances stored."""
        return self.factor.n

    @property
    def alpha(self) -> Floats:
        """The dual variables: O(n^2) after a change."""
        if self._alpha is None:
            self._alpha = self.factor.backward(self.z[: self.n])
        return self._alpha

    def scores(self, visit: Visit) -> Floats:
        """w . x of every output: O(n) if alpha and the dot products of x are known."""
        return self._dots(visit) @ self.alpha

    def predict(self, visit: Visit) -> Floats:
        """w . x again, in O(features of x) where many predictions come between two changes."""
        if self._w is None:
            self._predictions += 1
            if self._predictions <= _PATIENCE:
                return self.scores(visit)
        w = self.weights(visit.instances)
        rows, values = visit.x.below(len(w))
        scores: Floats = values @ w[rows]
        return scores

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x, where A = l2 I + S S^T, and l = L^-1 S^T x: O(n^2)."""
        l = self.factor.forward(self._dots(visit))  # noqa: E741
        return max(0.0, (visit.x.norm2 - float(l @ l)) / self.l2), l

    def store(self, visit: Visit, v: Floats, r: float, l: Floats) -> None:  # noqa: E741
        """Take in x with its labels."""
        n = self.n
        # The new diagonal element of L; where l2 is lost in rounding, what rounding leaves of it.
        s = math.sqrt(max(self.l2 * (1.0 + r), _ROUNDING * (n + 1) * visit.x.norm2))
        self.ids = grown(self.ids, n + 1)
        self.ones = grown(self.ones, n + 1)
        self.z = grown(self.z, n + 1, self.z.shape[1])
        self.ids[n] = visit.number
        self.ones[n] = 1.0
        self.z[n] = (v - l @ self.z[:n]) / s
        self.factor.append(l, s)
        self._forget()

    def add_outputs(self, n_outputs: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        new = self.factor.forward(-self.ones[: self.n])
        self.z = np.column_stack([self.z[: self.n], *[new] * n_outputs])
        self._forget()

    def weights(self, instances: Instances) -> Floats:
        """w as a matrix (features, outputs): O(nonzeros of S) after a change."""
        if self._w is None:
            self._w = self.stored(instances).T @ self.alpha
        return self._w

    def stored(self, instances: Instances) -> sparse.csr_array:
        """S^T, the instances of this system."""
        return instances.chosen(self.ids[: self.n])

    def _dots(self, visit: Visit) -> Floats:
        """S^T x."""
        return visit.dots[self.ids[: self.n]] if self.n else np.zeros(0)

    def _forget(self) -> None:
        self._alpha = self._w = None
        self._predictions = 0

    def __getstate__(self) -> dict[str, object]:  # predicting must not change a pickle
        return self.__dict__ | {
            "ids": self.ids[: self.n].copy(),
            "ones": self.ones[: self.n].copy(),
            "z": self.z[: self.n].copy(),
            "_alpha": None,
            "_w": None,
            "_predictions": 0,
        }
