"""The means and the inverse of the covariance, which predictions use; exact after every example."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from ..taxonomy import Arrays
from .means import Means, add_product
from .rates import Rates
from .room import extended

Floats = NDArray[np.float64]
INACCURATE = 1e6  # growth of the scatter in one direction that costs too many digits
AGE = 64  # updates before the inverse is computed again; with more features, one per feature


class Step(NamedTuple):
    """An example of node v: x, its row of the scatter, if any, and the ridge from then on."""

    v: int
    w: float
    x: Floats
    row: Floats | None
    ridge: Floats
    free: float


class Posterior:
    """The means and `precision`, the inverse of the scatter and the ridge.

    `bends` are `mean . precision mean` of all nodes, and `free` is the number of degrees of
    freedom, by which the scatter is divided.
    """

    precision: Floats
    age: int
    free: float
    ridge: Floats
    bends: Floats

    def __init__(
        self, means: Means, rates: Rates, scatter: Floats, ridge: Floats, free: float
    ) -> None:
        self.means = means
        self.rates: Rates = rates.copied()
        self.free, self.ridge = free, ridge
        self.precision = _inverse(scatter, ridge)
        self.bends = np.einsum("ij,ij->i", means.values @ self.precision, means.values)
        self.age = 0
        self._linear: dict[str, tuple[Floats, Floats]] = {}

    def scores(self, x: Floats) -> Floats:
        """log P(node, x) of every node, up to a constant, (..., nodes): O(d^2 + n d) a row."""
        quadratic = (x @ self.precision) @ self.means.values.T - self.bends / 2
        joint: Floats = self.free * quadratic + self.rates.logs()
        return joint

    def linear(self, dtype: str) -> tuple[Floats, Floats]:
        """Weights and intercepts of the scores: O(n d^2) after an example, then O(1)."""
        if dtype not in self._linear:
            weights = self.free * (self.means.values @ self.precision)
            intercepts = self.rates.logs() - self.free * self.bends / 2
            self._linear[dtype] = weights.astype(dtype), intercepts.astype(dtype)
        return self._linear[dtype]

    def learn(self, step: Step) -> bool:
        """Update by an example, O(d^2 + n d); False, changing nothing, if it would be inexact."""
        self._linear = {}
        self.age += 1
        grown = np.flatnonzero(step.ridge != self.ridge)
        more = step.ridge[grown] - self.ridge[grown]
        if self.age > max(AGE, len(self.ridge)) or 8 * len(grown) > AGE + len(self.ridge):
            return False
        if len(grown) and more.min() < 0:  # a feature varies for the first time
            return False
        rows = np.zeros((len(grown) + (step.row is not None), len(self.ridge)))
        rows[np.arange(len(grown)), grown] = np.sqrt(more)
        if step.row is not None:
            rows[-1] = step.row
        if len(rows):  # (A + R^T R)^-1 = P - (R P)^T (I + R P R^T)^-1 R P, with P = A^-1
            spread = rows @ self.precision
            with np.errstate(over="ignore"):  # infinite is inaccurate, too
                inner = np.eye(len(rows)) + spread @ rows.T
            if inner.diagonal().max() > INACCURATE:
                return False
            inner = np.asarray(np.linalg.inv(inner), dtype=np.float64)
            crossed = self.means.values @ spread.T
            self.bends -= np.einsum("ij,ij->i", crossed @ inner, crossed)
            add_product(self.precision, -spread.T, inner @ spread)
        off = step.x - self.means.values[step.v]
        spread_off = self.precision @ off
        along = self.means.values @ spread_off
        gain = self.means.learn(step.v, step.w, off)
        self.bends += gain * (2 * along + gain * (off @ spread_off))
        self.rates.learn(step.v, step.w)
        self.ridge, self.free = step.ridge, step.free
        return True

    def add_nodes(self, tree: Arrays) -> None:
        """Add nodes without examples, the last ones of `tree`."""
        before = len(self.bends)
        self.means.add_nodes(tree)
        self.rates.add_nodes(tree)
        self._linear = {}
        self.bends = extended(self.bends, tree.n)
        for v in range(before, tree.n):
            self.bends[v] = self.bends[tree.parent_index[v - 1]]


def _inverse(scatter: Floats, ridge: Floats) -> Floats:
    """The inverse of the scatter, which is overwritten, with the ridge on its diagonal: O(d^3)."""
    if not len(ridge):
        return scatter
    np.fill_diagonal(scatter, scatter.diagonal() + ridge)
    factor, failed = lapack.dpotrf(scatter.T, lower=1, overwrite_a=1)
    if failed:
        raise ArithmeticError("the covariance is not positive definite; choose a larger `l2`")
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse = np.ascontiguousarray(np.tril(lower))
    inverse += np.tril(lower, -1).T
    return inverse
