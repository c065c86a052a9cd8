"""Systems of regularised least squares, in dual and in primal variables.

A system are the nodes that store the same instances S, with labels y: its outputs. With
`A = l2 I + S S^T` their weights are `w = A^-1 S y`, and `r = x^T A^-1 x`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .feature_map import Vector

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]

# The rounding error of a solution per instance, relative to a squared norm.
_ROUNDING = 1e-14


@dataclass
class ExampleContext:
    """Per-example cache shared by all systems."""

    x: Vector
    dots: Floats  # with every stored instance
    append: Callable[[], int]  # stores x

    @cached_property
    def number(self) -> int:
        """The number of x among the stored instances; x is stored on the first access."""
        return self.append()


@dataclass(eq=False)
class System:
    """What both kinds of systems have."""

    l2: float
    nodes: list[int]
    n_stored: int  # including dropped instances


@dataclass(eq=False)
class Dual(System):
    """`w = w0 + S alpha`, where `(l2 I + S^T S) alpha = v = y - S^T w0`.

    This minimises `l2 |w - w0|^2 + |y - S^T w|^2`; w0 is 0 until a budget drops instances.
    """

    ids: Ints  # the numbers of the instances
    ones: Floats  # 1 for each instance: S ones is their sum
    v: Floats  # (instances, outputs)
    w0: Floats  # (features, outputs)
    K: Floats  # S^T S

    def solve(self, b: Floats) -> Floats:
        """(l2 I + S^T S)^-1 b. If l2 is lost in rounding, the rounding error replaces it."""
        l2 = np.maximum(self.l2, _ROUNDING * len(self.K) * self.K.diagonal())
        return np.linalg.solve(self.K + np.diag(l2), b)

    @property
    def alpha(self) -> Floats:
        return self.solve(self.v)

    def scores(self, context: ExampleContext) -> Floats:
        """w . x of every output."""
        scores: Floats = self.prior(context) + context.dots[self.ids] @ self.alpha
        return scores

    def prior(self, context: ExampleContext) -> Floats:
        """w0 . x"""
        return context.x.dense(len(self.w0)) @ self.w0

    def r(self, context: ExampleContext) -> float:
        """x^T A^-1 x, which is (|x|^2 - k^T (l2 I + S^T S)^-1 k) / l2 with k = S^T x."""
        k = context.dots[self.ids]
        return max(0.0, context.x.norm2 - float(k @ self.solve(k))) / self.l2

    def store(self, context: ExampleContext, y: Floats) -> None:
        """Add x, with a label for each output."""
        self.grow(context.dots[self.ids], context.x.norm2)
        self.ids = np.append(self.ids, context.number)
        self.ones = np.append(self.ones, 1.0)
        self.v = np.vstack([self.v, y - self.prior(context)])
        self.n_stored += 1

    def grow(self, k: Floats, norm2: float) -> None:
        """Add a row and a column to K."""
        self.K = np.block([[self.K, k[:, None]], [k, norm2]])

    def add_outputs(self, nodes: list[int]) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.nodes += nodes
        self.v = np.column_stack([self.v, *[-self.ones] * len(nodes)])
        self.w0 = np.pad(self.w0, ((0, 0), (0, len(nodes))))


@dataclass(eq=False)
class Primal(System):
    """`w = A^-1 S y`, with the inverse of A; the instances themselves are dropped."""

    inverse: Floats  # (features, features)
    w: Floats  # (features, outputs)
    total: Floats  # S 1, the sum of the instances

    def scores(self, context: ExampleContext) -> Floats:
        """w . x of every output."""
        return context.x.dense(len(self.w)) @ self.w

    def r(self, context: ExampleContext) -> float:
        """x^T A^-1 x; on features that A has not seen, A is l2 I."""
        x = context.x.dense(len(self.w))
        unmet = context.x.norm2 - float(x @ x)
        return max(0.0, float(x @ self.inverse @ x)) + max(0.0, unmet) / self.l2

    def store(self, context: ExampleContext, y: Floats) -> None:
        """Add x, with a label for each output: Sherman and Morrison's formula."""
        before = len(self.w)
        d = max(before, context.x.n_features)
        new = np.diag(np.arange(d) >= before) / self.l2
        self.inverse = np.pad(self.inverse, (0, d - before)) + new
        self.w, self.total = resized(self.w, d), np.pad(self.total, (0, d - before))
        x = context.x.dense(d)
        u = self.inverse @ x
        r = max(0.0, float(x @ u))
        self.inverse -= np.outer(u, u) / (1.0 + r)
        self.w += np.outer(u, y - x @ self.w) / (1.0 + r)
        self.total += x
        self.n_stored += 1

    def add_outputs(self, nodes: list[int]) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.nodes += nodes
        self.w = np.column_stack([self.w, *[-(self.inverse @ self.total)] * len(nodes)])


def resized(a: Floats, n: int) -> Floats:
    """The first n rows, padded with zeros."""
    return np.pad(a[:n], ((0, max(0, n - len(a))), (0, 0)))
