"""The posterior of the means and of the covariance of a tree of Gaussian classes."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import blas, lapack

from .._core.pickles import set_state
from ..taxonomy import Arrays

Floats = NDArray[np.float64]


LEAST = 1e-290  # a weight whose reciprocal can be multiplied


class Means:
    """The posterior means of all nodes, `values`, and their `weights` N.

    The prior is that of `LinearDiscriminant`, flat at the root. The weights, how many examples a
    subtree counts for in the mean of its node, and the sums of these examples are

        N[v] = n[v] + sum over children c of N[c] shrinkage / (N[c] + shrinkage)            (1)
        S[v] = s[v] + sum over children c of S[c] shrinkage / (N[c] + shrinkage)            (2)

    and the posterior means are

        mean[root] = S[root] / N[root],
        mean[v] = (S[v] + shrinkage mean[parent(v)]) / (N[v] + shrinkage).                  (3)
    """

    def __init__(self, tree: Arrays, shrinkage: float, n: Floats, sums: Floats) -> None:
        self.tree: Arrays = tree
        self.shrinkage = shrinkage
        self.weights: Floats = n.copy()
        self.values: Floats = sums.copy()
        for nodes, parents, _ in reversed(tree.levels):
            kept = shrinkage / (self.weights[nodes] + shrinkage)
            above, place = np.unique(parents, return_inverse=True)
            places = place, np.arange(len(parents))
            upwards = sparse.csr_array((kept, places), (len(above), len(parents)))
            self.weights[above] += np.asarray(upwards @ self.weights[nodes])  # (1)
            self.values[above] += np.asarray(upwards @ self.values[nodes])  # (2)
        self._downwards(self.values)

    def copied(self) -> Means:
        new = copy.copy(self)
        new.weights, new.values = self.weights.copy(), self.values.copy()
        return new

    def learn(self, v: int, w: float, off: Floats) -> Floats:
        """Update by an example of node v, which is `off` its mean: O(nodes * features).

        All means move by multiples of `off`, which are returned: the gain of a Kalman filter.
        """
        share, u = np.zeros((self.tree.n, 1)), v
        share[v] = 1.0
        while u:  # (2), for a sum of 1 in node v alone
            above = self.tree.parent_index[u - 1]
            share[above] = share[u] * self.shrinkage / (self.weights[u] + self.shrinkage)
            u = above
        gain: Floats = self._downwards(share)[:, 0]
        gain *= w / (1 + w * gain[v])
        add_product(self.values, gain[:, None], off[None, :])
        kappa, weights = self.shrinkage, self.weights
        while v:  # (1)
            before = weights[v] * kappa / (weights[v] + kappa)
            weights[v] += w
            w = weights[v] * kappa / (weights[v] + kappa) - before
            v = self.tree.parent_index[v - 1]
        weights[0] += w
        return gain

    def add_nodes(self, tree: Arrays) -> None:
        """Add nodes without examples, the last ones of `tree`: the mean is that of the parent."""
        before = self.tree.n
        self.tree, self.weights = tree, extended(self.weights, tree.n)
        self.values = extended(self.values, tree.n)
        for v in range(before, tree.n):
            self.values[v] = self.values[tree.parent_index[v - 1]]

    def _downwards(self, values: Floats) -> Floats:
        """Equation (3), in place."""
        if self.weights[0]:
            values[0] /= max(self.weights[0], LEAST)
        for nodes, parents, _ in self.tree.levels:
            values[nodes] += self.shrinkage * values[parents]
            values[nodes] /= (self.weights[nodes] + self.shrinkage)[:, None]
        return values


def add_product(a: Floats, u: Floats, v: Floats) -> None:
    """a += u v, in place."""
    if a.size:
        blas.dgemm(1.0, v.T, u.T, 1.0, a.T, overwrite_c=1)


def extended(rows: Floats, n: int) -> Floats:
    """The same rows and zeros, n in all: O(new rows) on average, as it leaves spare rows behind.

    Of arrays that share memory only one may be extended.
    """
    whole = rows.base
    if not isinstance(whole, np.ndarray) or len(whole) < n or whole.shape[1:] != rows.shape[1:]:
        whole = np.zeros((max(n, len(rows) * 5 // 4), *rows.shape[1:]))
        whole[: len(rows)] = rows
    return whole[:n]


UNSEEN = 0.01  # added to the number of examples of each node


class Rates:
    """The total weights `n` of the examples of each node, and `m` of all examples.

    The frequency of a label is counted from its first example on, and again from that of a label
    below it. `since` has the values of m, and `earlier` those of n, at the start of the counts.
    """

    def __init__(self, tree: Arrays) -> None:
        self.tree: Arrays = tree
        self.n: Floats = np.zeros(tree.n)
        self.since: Floats = np.zeros(tree.n)
        self.earlier: Floats = np.zeros(tree.n)
        self.m: float = 0.0
        self.k: float = 1.0  # 1 + the number of labels with examples

    __setstate__ = set_state

    def learn(self, v: int, w: float) -> None:
        if not self.n[v]:
            self._begin(v, self.m, self.n)
        m = self.m + w  # before anything changes, as it takes memory
        self.n[v] += w
        self.m = m

    def learn_many(self, y: NDArray[np.intp], w: Floats) -> None:
        """Count examples, as `learn` does one after the other."""
        before = np.cumsum([self.m, *w])
        labels, first = np.unique(y, return_index=True)
        for i, v in sorted(zip(first.tolist(), labels.tolist(), strict=True)):
            if not self.n[v]:
                counted = np.bincount(y[:i], weights=w[:i], minlength=self.tree.n)
                self._begin(v, before[i], self.n + counted)
        self.n = self.n + np.bincount(y, weights=w, minlength=self.tree.n)
        self.m = float(before[-1])

    def _begin(self, v: int, m: float, n: Floats) -> None:
        """Start to count a node, and start again to count its ancestors with examples."""
        self.since[v] = m
        self.k += 1.0
        while v:
            v = int(self.tree.parent_index[v - 1])
            if n[v]:
                self.since[v], self.earlier[v] = m, n[v]

    def forget(self, nodes: NDArray[np.uint32]) -> None:
        self.n[nodes] = self.since[nodes] = self.earlier[nodes] = 0.0

    def copied(self) -> Rates:
        new = copy.copy(self)
        new.n, new.since, new.earlier = self.n.copy(), self.since.copy(), self.earlier.copy()
        return new

    def add_nodes(self, tree: Arrays) -> None:
        n, since, earlier = (extended(a, tree.n) for a in (self.n, self.since, self.earlier))
        self.n, self.since, self.earlier, self.tree = n, since, earlier, tree

    def logs(self) -> Floats:
        """log P(node): its share of the examples, which starts at that of an average label."""
        counted = self.n - self.earlier + UNSEEN
        return np.log(counted / (self.m - self.since + self.k))


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
    """The means, `precision`, the inverse of scatter and ridge, and `bends`, mean . precision mean.

    `free` are the degrees of freedom, by which the scatter is divided. It does not change.
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

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_linear": {}}  # made again when it is needed

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
        return self.free * quadratic + self.rates.logs()

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
