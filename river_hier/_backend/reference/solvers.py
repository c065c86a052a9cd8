"""Solvers of one system in dual or primal variables, and conversions between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from .feature_map import Vector
from .instances import Instances

Floats: TypeAlias = NDArray[np.float64]

# The rounding error of a Cholesky factor per instance, relative to a squared norm.
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


class Dual:
    """`min_w l2 |w - w0|^2 + sum_i (y_i - w . x_i)^2` in dual variables.

    With the instances S and the labels `v = y - S^T w0` it is `w = w0 + S alpha`, where
    `(l2 I + S^T S) alpha = v`. w0 is 0 until a budget drops instances. The nodes that share the
    instances are the columns of v, w0 and alpha. The Cholesky factor `L L^T = l2 I + S^T S` only
    saves time: it grows by a row in O(n^2), and is never saved.
    """

    kind = "cholesky"

    def __init__(
        self, l2: float, K: Floats, ids: NDArray[Any], ones: Floats, v: Floats, w0: Floats
    ) -> None:
        self.l2 = l2
        self.ids: NDArray[np.intp] = ids.astype(np.intp)  # the numbers of the instances
        self.ones = ones  # 1 for each instance: S ones is their sum
        self.v = v
        self.w0 = w0  # (features, outputs)
        self.refactor(K)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What defines the system, besides its instances."""
        return self.ids.astype(np.uint32), self.ones, self.v, self.w0

    def scores(self, context: ExampleContext) -> Floats:
        """w . x of every output."""
        scores: Floats = self.prior(context) + context.dots[self.ids] @ self.alpha
        return scores

    def r(self, context: ExampleContext) -> float:
        """x^T A^-1 x with A = l2 I + S S^T, which is (|x|^2 - |L^-1 S^T x|^2) / l2."""
        row = self._row(context.dots[self.ids])
        return max(0.0, context.x.norm2 - float(row @ row)) / self.l2

    def store(self, context: ExampleContext, y: Floats) -> None:
        """Add x, with a label for each output."""
        self._grow(context.dots[self.ids], context.x.norm2)
        self.ids = np.append(self.ids, context.number)
        self.ones = np.append(self.ones, 1.0)
        self.v = np.vstack([self.v, y - self.prior(context)])
        self._solve()

    def add_outputs(self, n: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.v = np.column_stack([self.v, *[-self.ones] * n])
        self.w0 = np.pad(self.w0, ((0, 0), (0, n)))
        self._solve()

    def prior(self, context: ExampleContext) -> Floats:
        """w0 . x"""
        rows, values = context.x.below(len(self.w0))
        prior: Floats = values @ self.w0[rows]
        return prior

    def refactor(self, K: Floats) -> None:
        """Compute the factor and alpha; K = S^T S."""
        self.L: Floats = np.zeros((0, 0))
        for i, row in enumerate(K):  # row by row, for the same bits as in `store`
            self._grow(row[:i], float(row[i]))
        self._solve()

    def _grow(self, dots: Floats, norm2: float) -> None:
        """Append a row to L. If l2 is lost in rounding, the rounding error replaces it."""
        row = self._row(dots)
        rest = self.l2 + max(0.0, norm2 - float(row @ row))
        rest = max(rest, _ROUNDING * (len(row) + 1) * norm2)
        n = len(row)
        L = np.zeros((n + 1, n + 1), order="F")
        L[:n, :n], L[n, :n], L[n, n] = self.L, row, math.sqrt(rest)
        self.L = L

    def _row(self, dots: Floats) -> Floats:
        """L^-1 S^T x"""
        row: Floats = lapack.dtrtrs(self.L, dots, lower=1)[0] if len(dots) else dots
        return row

    def _solve(self) -> None:
        self.alpha: Floats = lapack.dpotrs(self.L, self.v, lower=1)[0] if len(self.v) else self.v

    # With explicit features

    def n_features(self, instances: Instances) -> int:
        """The number of features up to the last one seen."""
        return max(len(self.w0), 1 + int(instances.matrix[self.ids].indices.max(initial=-1)))

    def weights(self, instances: Instances, d: int) -> Floats:
        """w in the first d features, (d, outputs)."""
        return resized(self.w0, d) + resized(instances.matrix[self.ids].T @ self.alpha, d)

    def forget(self, n: int, instances: Instances) -> None:
        """Drop the n oldest instances. w does not change; their part of it is added to w0."""
        S, d = instances.matrix[self.ids], self.n_features(instances)
        part = S[:n].T @ self.alpha[:n]
        self.w0 = resized(self.w0, d) + resized(part, d)
        self.ids, self.ones, self.v = self.ids[n:], self.ones[n:], self.v[n:] - S[n:] @ part
        self.refactor(instances.gram(self.ids))

    def primal(self, instances: Instances) -> Primal:
        """The same system in primal variables."""
        d = self.n_features(instances)
        S, w = resized(instances.matrix[self.ids].T.toarray(), d), self.weights(instances, d)
        return Primal(self.l2, primal_inverse(S.T, self.l2), w, S @ self.ones)


class Primal:
    """`w = A^-1 S y` with the inverse of `A = l2 I + S S^T`, once there are d instances or more.

    The instances themselves are dropped; A, w and `total = S 1` remain.
    """

    kind = "primal"

    def __init__(self, l2: float, inverse: Floats, w: Floats, total: Floats) -> None:
        self.l2 = l2
        self.inverse = inverse  # (d, d)
        self.w = w  # (d, outputs)
        self.total = total  # (d,)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What defines the system."""
        return self.inverse, self.w, self.total

    def scores(self, context: ExampleContext) -> Floats:
        """w . x of every output."""
        scores: Floats = self._dense(context.x) @ self.w
        return scores

    def r(self, context: ExampleContext) -> float:
        """x^T A^-1 x; on features that A has not seen, A is l2 I."""
        x = self._dense(context.x)
        unmet = context.x.norm2 - float(x @ x)
        return max(0.0, float(x @ self.inverse @ x)) + max(0.0, unmet) / self.l2

    def store(self, context: ExampleContext, y: Floats) -> None:
        """Add x, with a label for each output: Sherman and Morrison's formula."""
        before = len(self.w)
        d = max(before, 1 + int(context.x.rows.max()))
        new = np.diag(np.arange(d) >= before) / self.l2
        self.inverse = np.pad(self.inverse, (0, d - before)) + new
        self.w, self.total = resized(self.w, d), np.pad(self.total, (0, d - before))
        x = self._dense(context.x)
        u = self.inverse @ x
        r = max(0.0, float(x @ u))
        self.inverse -= np.outer(u, u) / (1.0 + r)
        self.w += np.outer(u, y - x @ self.w) / (1.0 + r)
        self.total += x

    def add_outputs(self, n: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.w = np.column_stack([self.w, *[-(self.inverse @ self.total)] * n])

    def weights(self, _: Instances, d: int) -> Floats:
        """w in the first d features, (d, outputs)."""
        return resized(self.w, d)

    def dual(self, instances: Instances) -> Dual:
        """The same system in dual variables; its instances are stored as new ones."""
        S, v, ones = equivalent_instances(self.inverse, self.w, self.total, self.l2)
        rows = np.arange(len(self.w))
        ids = np.array([instances.append(Vector(rows, x, float(x @ x))) for x in S], dtype=np.intp)
        return Dual(self.l2, instances.gram(ids), ids, ones, v, np.zeros((0, v.shape[1])))

    def _dense(self, x: Vector) -> Floats:
        rows, values = x.below(len(self.w))
        dense = np.zeros(len(self.w))
        dense[rows] = values
        return dense


def resized(a: Floats, n: int) -> Floats:
    """The first n rows, padded with zeros."""
    return np.pad(a[:n], ((0, max(0, n - len(a))), (0, 0)))


# For both backends. Eigendecompositions are safe even for badly conditioned matrices.


def primal_inverse(S: Floats, l2: float) -> Floats:
    """(l2 I + S S^T)^-1; the rows given are the instances, the columns of S."""
    eigenvalues, U = np.linalg.eigh(S.T @ S)
    inverse: Floats = (U / (l2 + np.maximum(eigenvalues, 0.0))) @ U.T
    return inverse


def equivalent_instances(
    inverse: Floats, w: Floats, total: Floats, l2: float
) -> tuple[Floats, Floats, Floats]:
    """At most d instances with the same S S^T and w as those in the inverse.

    With the eigenvectors e_j of S S^T, of eigenvalues m_j > 0, these are sqrt(m_j) e_j, and w is `S
    alpha` with alpha_j = w . e_j / sqrt(m_j). Returned are the instances, as rows, the labels `(l2
    + m_j) alpha_j`, and the labels that correspond to 1 for all instances in the inverse.
    """
    inverted, U = np.linalg.eigh(inverse)
    m = 1.0 / inverted - l2
    m, U = m[m > l2 * 1e-12], U[:, m > l2 * 1e-12]
    size = np.sqrt(m)
    return (size * U).T, ((size**2 + l2) / size)[:, None] * (U.T @ w), (U.T @ total) / size
