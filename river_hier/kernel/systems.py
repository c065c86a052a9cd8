"""Regularised least squares with a kernel, and what a budget drops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Systems
from ..base.explanation import Floats
from .budget import four_fifths, pivoted_cholesky_projection
from .cholesky import Cholesky
from .instances import KernelInstances

# Below this number of instances, none is dropped.
_FEW = 64


@dataclass
class ExampleContext:
    """An example, with the values that all systems need."""

    dots: Floats  # K(x_i, x) of all stored instances
    norm2: float  # K(x, x), times the weight of the example
    append: Callable[[], int]  # stores x
    weight: float  # of the example

    @property
    def root(self) -> float:
        """The root of the weight."""
        return math.sqrt(self.weight)

    @cached_property
    def number(self) -> int:
        """The number of x among the stored instances; x is stored on the first access."""
        return self.append()


class KernelDual:
    """`w = S c`, where `c = w0 + alpha` and `(l2 I + K) alpha = v = y - K w0` with `K = S^T S`.

    w0 has entries for the first instances only, those that a budget has kept. The Cholesky factor L
    of `l2 I + K` grows by a row in O(n^2). It is pickled, as computing it again would take n^2
    values of the kernel.
    """

    nodes: list[int]
    n_stored: float
    ones: Floats
    v: Floats
    w0: Floats

    def __init__(self, l2: float, nodes: list[int]) -> None:
        self.l2 = l2
        self.nodes = nodes
        self.n_stored = 0.0  # the weight of all instances, including dropped ones
        self.ids: NDArray[np.intp] = np.zeros(0, np.intp)  # the numbers of the instances
        self.ones = np.zeros(0)  # a label of 1: the root of the weight of each instance
        self.v, self.w0 = np.zeros((2, 0, len(nodes)))  # (instances, outputs)
        self.factor(np.zeros((0, 0)))

    def factor(self, K: Floats) -> None:
        """Compute L."""
        self.L = Cholesky(self.l2)
        for i, row in enumerate(K):
            self.L.append(self.L.solve(row[:i]), float(row[i]))
        self._z: list[Floats] = []  # L^-1 v of the outputs, or its first entries
        self._alpha: Floats = self.v
        self._v: Floats | None = None  # the v that alpha solves

    def __getstate__(self) -> dict[str, Any]:
        # The same before and after a prediction.
        return {**self.__dict__, "_z": [], "_alpha": None, "_v": None}

    @property
    def alpha(self) -> Floats:
        """Computed when it is needed, in O(n^2) for each output."""
        if self._v is not self.v:
            z = self._z + [np.zeros(0)] * (self.v.shape[1] - len(self._z))
            self._z = [self.L.solve_on(y, v) for y, v in zip(z, self.v.T, strict=True)]
            columns = [self.L.solve_transposed(y) for y in self._z]
            self._alpha, self._v = np.array(columns).reshape(self.v.T.shape).T, self.v
        return self._alpha

    def scores(self, context: ExampleContext) -> Floats:
        """w . x of every output."""
        return self.prior(context) + self._k(context) @ self.alpha

    def prior(self, context: ExampleContext) -> Floats:
        """w0 . x"""
        prior: Floats = self._k(context)[: len(self.w0)] @ self.w0
        return prior

    def r(self, context: ExampleContext) -> float:
        """x^T A^-1 x, which is (K(x, x) - |L^-1 S^T x|^2) / l2."""
        row = self.L.solve(self._k(context))
        return max(0.0, context.norm2 - float(row @ row)) / self.l2

    def store(self, context: ExampleContext, y: Floats) -> None:
        """Add x, with a label for each output."""
        self.L.append(self.L.solve(self._k(context)), context.norm2)
        self.v = np.vstack([self.v, y - self.prior(context)])
        self.ids = np.append(self.ids, context.number)
        self.ones = np.append(self.ones, context.root)
        self.n_stored += context.weight

    def add_outputs(self, nodes: list[int]) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.nodes += nodes
        self.v = np.column_stack([self.v, *[-self.ones] * len(nodes)])
        self.w0 = np.pad(self.w0, ((0, 0), (0, len(nodes))))

    def keep_outputs(self, n: int) -> None:
        """Remove all but the first n outputs."""
        self.nodes, self._z = self.nodes[:n], self._z[:n]
        self.v, self.w0 = self.v[:, :n], self.w0[:, :n]

    def coefficients(self) -> Floats:
        """c in `w = S c`, w0 included."""
        return self._prior_coefficients() + self.alpha

    def absorb(self, n: int, K: Floats) -> None:
        """Keep at most n instances; K is the kernel matrix. w changes as little as possible."""
        K = np.outer(self.ones, self.ones) * K
        c0, c = self._prior_coefficients(), self.coefficients()
        y = self.v + K @ c0
        sizes = ((c * np.sqrt(K.diagonal())[:, None]) ** 2).sum(axis=1)
        kept, P = pivoted_cholesky_projection(K, sizes, n)
        # The contribution of the others is projected onto the kept ones and added to w0.
        self.w0 = c0[kept] + P @ np.delete(c, kept, axis=0)
        K = K[np.ix_(kept, kept)]
        self.ids, self.ones, self.v = self.ids[kept], self.ones[kept], y[kept] - K @ self.w0
        self.factor(K)

    def _k(self, context: ExampleContext) -> Floats:
        """S^T x, where instances and x are multiplied by the roots of their weights."""
        return context.root * self.ones * context.dots[self.ids]

    def _prior_coefficients(self) -> Floats:
        return np.pad(self.w0, ((0, len(self.ids) - len(self.w0)), (0, 0)))


class KernelSystems(Systems):
    """Systems `l2 I + K_s` over shared instances.

    With more than `budget` instances, a system drops those that matter least. Their part of w is
    projected onto the others, and from then on w is regularised towards the projection.
    """

    def __init__(self, l2: float, budget: int | None, instances: KernelInstances) -> None:
        super().__init__(l2, budget)
        self.instances = instances
        self._many = _FEW

    def add_system(self, nodes: Iterable[int]) -> None:
        """Add a system in which nothing is stored."""
        self.systems.append(KernelDual(self.l2, list(nodes)))

    def context(self, x: Mapping[Any, Any], weight: float = 1.0) -> ExampleContext:
        """x in the coordinates of the stored instances."""
        _, k, norm2, _ = self.instances.row(x)
        append = partial(self.instances.append, x)
        return ExampleContext(k, weight * norm2, append, weight)

    def coefficients(self, nodes: Sequence[int]) -> Floats:
        """The coefficient of every instance in the weight vectors of nodes, (nodes, instances)."""
        found = np.zeros((len(nodes), self.instances.n))
        places = {v: i for i, v in enumerate(nodes)}
        for system in self.systems:
            mine = [(places[v], i) for i, v in enumerate(system.nodes) if v in places]
            if mine:
                rows, columns = map(list, zip(*mine, strict=True))
                own = system.ones * system.coefficients()[:, columns].T
                found[np.ix_(rows, system.ids)] = own
        return found

    def store(self, s: int, context: ExampleContext, y: Floats) -> None:
        """Add x to a system, with a label for each of its nodes."""
        system = self.systems[s]
        system.store(context, y)
        if self.budget is not None and len(system.ids) > self.budget:
            system.absorb(four_fifths(self.budget), self.instances.gram(system.ids))

    def end_step(self) -> None:
        """Drop the instances that no system uses, each time their number has doubled."""
        if self.instances.n >= self._many:
            used = np.unique(np.concatenate([system.ids for system in self.systems]))
            for system in self.systems:
                system.ids = np.searchsorted(used, system.ids)
            self._many = max(_FEW, 2 * len(used))
            self.instances.keep(used)  # last, as memory may run out before
