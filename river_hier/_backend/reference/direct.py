"""Regularised least squares in dual variables, by a Cholesky factor."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .capacity import ensure_capacity
from .cholesky import GrowingCholesky
from .dual import Dual
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]

# Of a squared norm, what a solve loses to rounding for each instance; generously.
_ROUNDING = 1e-14


class Direct(Dual):
    """`B = L L^T`. n instances take O(n^2) memory, and a step takes O(n^2) time.

    Of the labels `z = L^-1 v` is kept, which only grows; alpha is worked out when it is asked for.
    """

    def __init__(self, n_outputs: int, l2: float) -> None:
        super().__init__(n_outputs, l2)
        self.z = np.zeros((0, n_outputs))
        self.factor = GrowingCholesky()
        self._alpha: Floats | None = None  # as long as it is known

    def alpha(self, instances: Instances) -> Floats:
        if self._alpha is None:
            self._alpha = self.factor.backward(self.z[: self.n])
        return self._alpha

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x, where A = l2 I + S S^T, and l = L^-1 S^T x: O(n^2)."""
        l = self.factor.forward(self._dots(visit))  # noqa: E741
        return max(0.0, (visit.x.norm2 - float(l @ l)) / self.l2), l

    def store(self, visit: Visit, v: Floats, r: float, l: Floats) -> None:  # noqa: E741
        """Take in x with its labels, after `solve`."""
        self.remember(visit.number, 1.0, v - self._prior(visit.x))
        self.append_row(l, self.diagonal(r, visit.x.norm2))

    def diagonal(self, r: float, norm2: float) -> float:
        """The next diagonal element of L; where l2 is lost in rounding, what rounding leaves."""
        return math.sqrt(max(self.l2 * (1.0 + r), _ROUNDING * (self.factor.n + 1) * norm2))

    def append_row(self, l: Floats, s: float) -> None:  # noqa: E741
        """The next row of the factor; its instance has been remembered."""
        self._advance(self.factor.n, l, s)
        self.factor.append(l, s)
        self._alpha = None

    def append(self, visit: Visit, v: Floats) -> None:
        """Take in x with its labels."""
        self.store(visit, v, *self.solve(visit))

    def add_outputs(self, n_outputs: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self._add_columns(n_outputs)
        self.z = np.zeros((0, self.z.shape[1] + n_outputs))
        for i, row in enumerate(self.factor.rows()):
            self._advance(i, *row)
        self._alpha = None

    def forget(self, n: int, instances: Instances, n_features: int) -> None:
        super().forget(n, instances, n_features)
        self.refactor(instances)

    def refactor(self, instances: Instances) -> None:
        """Compute the factor of the instances that are stored: O(n^3)."""
        self.factor = GrowingCholesky()
        self.z = np.zeros((0, self._v.shape[1]))
        S = self.stored(instances)
        for i in range(self.n):
            norm2 = instances.norms2[self.ids[i]]
            l = self.factor.forward(S[:i] @ S[[i]].toarray()[0])  # noqa: E741
            r = max(0.0, (norm2 - float(l @ l)) / self.l2)
            self.append_row(l, self.diagonal(r, norm2))

    def _advance(self, i: int, l: Floats, s: float) -> None:  # noqa: E741
        """Row i of `L z = v`; always so, that a pickle, which has no z, gives the same bits."""
        self.z = ensure_capacity(self.z, i + 1, self.z.shape[1])
        self.z[i] = (self.v[i] - l @ self.z[:i]) / s
