"""Regularised least squares in dual variables: for fewer instances than features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .growing import grown
from .instances import Instances
from .inverse import GrowingInverse
from .visit import Visit

Floats = NDArray[np.float64]


class Dual:
    """`w = S alpha` with `alpha = B^-1 v`, `B = l2 I + S^T S`, for one or more columns of v.

    All columns (the outputs, one a node) share the stored instances S and so the inverse.
    n instances take O(n^2) memory; a solve takes O(n^2) and appending one on average as much.
    """

    def __init__(self, n_outputs: int, l2: float) -> None:
        self.l2 = l2
        self.ids = np.zeros(0, dtype=np.intp)  # the numbers of the instances
        self.alpha = np.zeros((0, n_outputs))
        self.inverse = GrowingInverse()
        self._w: Floats | None = None  # S alpha, as long as alpha stays as it is

    @property
    def n(self) -> int:
        """Instances stored."""
        return self.inverse.n

    def scores(self, visit: Visit) -> Floats:
        """w . x of every output: O(n) once the dot products with all instances are known."""
        return self._dots(visit) @ self.alpha[: self.n]

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x, where A = l2 I + S S^T, and g = B^-1 S^T x: O(n^2)."""
        k = self._dots(visit)
        g = self.inverse.solve(k)
        return max(0.0, (visit.x.norm2 - float(k @ g)) / self.l2), g

    def store(self, visit: Visit, errors: Floats, r: float, g: Floats) -> None:
        """Take in x, whose labels are `errors` away from its scores."""
        n = self.n
        s = self.l2 * (1.0 + r)
        self.ids = grown(self.ids, n + 1)
        self.alpha = grown(self.alpha, n + 1, self.alpha.shape[1])
        self.ids[n] = visit.number
        self.alpha[n] = errors / s
        self.alpha[:n] -= np.outer(g, errors / s)
        self.inverse.append(g, s)
        self._w = None

    def add_output(self) -> None:
        """One more output, whose label was -1 on every instance so far."""
        alpha = np.zeros((len(self.alpha), self.alpha.shape[1] + 1))
        alpha[:, :-1] = self.alpha
        alpha[: self.n, -1] = self.inverse.solve(-np.ones(self.n))
        self.alpha = alpha
        self._w = None

    def weights(self, instances: Instances) -> Floats:
        """w as a matrix (features, outputs): O(nonzeros of S), or nothing if still known."""
        if self._w is None:
            self._w = self.stored(instances).T @ self.alpha[: self.n]
        return self._w

    def stored(self, instances: Instances) -> sparse.csr_array:
        """S^T, the instances of this system."""
        return instances.chosen(self.ids[: self.n])

    def _dots(self, visit: Visit) -> Floats:
        """S^T x."""
        return visit.dots[self.ids[: self.n]] if self.n else np.zeros(0)

    def __getstate__(self) -> dict[str, object]:  # predicting must not change a pickle
        return self.__dict__ | {
            "ids": self.ids[: self.n].copy(),
            "alpha": self.alpha[: self.n].copy(),
            "_w": None,
        }
