"""Regularised least squares with a kernel, and what a budget drops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._backend import ExampleContext
from .._backend.reference.least_squares import Systems
from .._backend.reference.systems import Dual, Floats, resized
from .budget import four_fifths, pivoted_cholesky_projection
from .cholesky import Cholesky
from .instances import KernelInstances


class KernelDual(Dual):
    """Dual variables with `K = S^T S`. Here w0 are coefficients of the first instances.

    In place of K, the Cholesky factor L of `l2 I + K` grows by a row in O(n^2). It is pickled, as
    computing it again would take n^2 values of the kernel.
    """

    def __init__(self, *fields: Any) -> None:
        super().__init__(*fields)
        self.factor(self.K)

    def factor(self, K: Floats) -> None:
        """Compute L."""
        self.L, self.K = Cholesky(self.l2), np.zeros((0, 0))
        for i, row in enumerate(K):
            self.grow(row[:i], float(row[i]))
        self._z: list[Floats] = []  # L^-1 v of the outputs, or its first entries
        self._alpha: Floats = self.v
        self._v: Floats | None = None  # the v that alpha solves

    def __getstate__(self) -> dict[str, Any]:
        # The same before and after a prediction.
        return {**self.__dict__, "_z": [], "_alpha": None, "_v": None}

    def grow(self, k: Floats, norm2: float) -> None:
        self.L.append(self.L.solve(k), norm2)

    def solve(self, b: Floats) -> Floats:
        return self.L.solve_transposed(self.L.solve(b))

    @property
    def alpha(self) -> Floats:
        """Computed when it is needed, in O(n^2) for each output."""
        if self._v is not self.v:
            z = self._z + [np.zeros(0)] * (self.v.shape[1] - len(self._z))
            self._z = [self.L.solve_on(y, v) for y, v in zip(z, self.v.T, strict=True)]
            columns = [self.L.solve_transposed(y) for y in self._z]
            self._alpha, self._v = np.array(columns).reshape(self.v.T.shape).T, self.v
        return self._alpha

    def prior(self, context: ExampleContext) -> Floats:
        prior: Floats = context.dots[self.ids[: len(self.w0)]] @ self.w0
        return prior

    def coefficients(self) -> Floats:
        """c in `w = S c`, w0 included."""
        return resized(self.w0, len(self.ids)) + self.alpha

    def absorb(self, n: int, K: Floats) -> None:
        """Keep at most n instances; K is the kernel matrix. w changes as little as possible."""
        c0, c = resized(self.w0, len(K)), self.coefficients()
        y = self.v + K @ c0
        sizes = ((c * np.sqrt(K.diagonal())[:, None]) ** 2).sum(axis=1)
        kept, P = pivoted_cholesky_projection(K, sizes, n)
        # The contribution of the others is projected onto the kept ones and added to w0.
        self.w0 = c0[kept] + P @ np.delete(c, kept, axis=0)
        K = K[np.ix_(kept, kept)]
        self.ids, self.ones, self.v = self.ids[kept], self.ones[kept], y[kept] - K @ self.w0
        self.factor(K)


class KernelSystems(Systems):
    """Systems `l2 I + K_s` over shared instances.

    With more than `budget` instances, a system drops those that matter least. Their part of w is
    projected onto the others, and from then on w is regularised towards the projection.
    """

    dual = KernelDual
    few = 64
    instances: KernelInstances

    def context(self, x: Mapping[Any, Any]) -> ExampleContext:
        """x in the coordinates of the stored instances."""
        row = self.instances.row(x)
        return ExampleContext(row, row.values, lambda: self.instances.append(x))

    def coefficients(self, v: int) -> Floats:
        """The coefficient of every stored instance in the weight vector of a node."""
        system = next(system for system in self.systems if v in system.nodes)
        found = np.zeros(self.instances.n)
        found[system.ids] = system.coefficients()[:, system.nodes.index(v)]
        return found

    def store(self, s: int, context: ExampleContext, y: Floats) -> None:
        super().store(s, context, y)
        system = self.systems[s]
        if self.budget is not None and len(system.ids) > self.budget:
            system.absorb(four_fifths(self.budget), self.instances.gram(system.ids))
