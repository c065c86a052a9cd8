"""The means and the inverse of the covariance, which predictions use; exact after every example."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from ..taxonomy import Arrays
from .means import Means, add_product, extended
from .rates import Rates

Floats = NDArray[np.float64]
INACCURATE = 1e6  # growth of the scatter in one direction that costs too many digits
FEW = 8  # nodes per row: with fewer rows, computing the weights of all nodes takes longer
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
    freedom, by which the scatter is divided. A posterior never changes, so that predictions of
    other threads can use it: further examples and nodes make a new one.
    """

    def __init__(
        self,
        means: Means,
        rates: Rates,
        scatter: Floats,
        ridge: Floats,
        free: float,
        origin: Floats | None,
    ) -> None:
        self.means = means
        self.rates: Rates = rates.copied()
        self.origin = origin
        self.free: float = free
        self.ridge: Floats = ridge
        self.precision: Floats = _inverse(scatter, ridge)
        self.bends: Floats = np.einsum("ij,ij->i", means.values @ self.precision, means.values)
        self.age: int = 0
        self._linear: dict[str, tuple[Floats, Floats]] = {}

    def scores(self, X: NDArray[Any]) -> NDArray[Any]:
        """The scores of all nodes, (rows, nodes), in the type of X."""
        if FEW * len(X) < self.means.tree.n:
            return self.scores_one(X)
        weights, intercepts = self.linear(X.dtype.name)
        if self.origin is not None:
            X = X - self.origin.astype(X.dtype)
        scores: NDArray[Any] = X @ weights.T
        scores += intercepts
        return scores

    def scores_one(self, x: Floats) -> Floats:
        """log P(node, x) of every node, up to a constant, (..., nodes): O(d^2 + n d) a row."""
        x = x if self.origin is None else x - self.origin
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

    def after(self, steps: Iterable[Step]) -> Posterior | None:
        """The posterior after more examples, O(d^2 + n d) each; None if it would be inexact."""
        new = copy.copy(self)
        new.means, new.rates, new._linear = self.means.copied(), self.rates.copied(), {}
        new.precision, new.bends = self.precision.copy(), self.bends.copy()
        return new if all(map(new._learn, steps)) else None

    def _learn(self, step: Step) -> bool:
        """Update by an example; False if it would be inexact."""
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

    def with_nodes(self, tree: Arrays) -> Posterior:
        """The posterior with new nodes without examples, the last ones of `tree`."""
        new, before = copy.copy(self), len(self.bends)
        new.means, new.rates, new._linear = copy.copy(self.means), copy.copy(self.rates), {}
        new.means.add_nodes(tree)
        new.rates.add_nodes(tree)
        new.bends = extended(self.bends, tree.n)
        for v in range(before, tree.n):
            new.bends[v] = new.bends[tree.parent_index[v - 1]]
        return new


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
