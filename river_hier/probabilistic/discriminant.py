"""Gaussian classes with a shared covariance and means shrunken towards those of the parents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._backend import Vector

Floats = NDArray[np.float64]
ROOM = 1.5  # growth factor of the arrays


class Discriminant:
    """Sums, shrunken means and the inverse of the scatter inside the classes.

    The first example, `origin`, is subtracted from all examples, so that shifting the features
    changes nothing. `n` are the numbers of examples of the nodes, `sums` their sums, `means` the
    shrunken means; `precision` is the inverse of `l2 I + sum (x - mean)(x - mean)^T`, each x with
    the mean of its class; `bends` are the `mean . precision mean` of all nodes.
    """

    def __init__(self, parents: Sequence[int], shrinkage: float, l2: float) -> None:
        n = len(parents)
        self.parents = parents
        self.shrinkage = shrinkage
        self.l2 = l2
        self.n = np.zeros(n)
        self.origin = np.zeros(0)
        self.sums, self.means = np.zeros((n, 0)), np.zeros((n, 0))
        self.precision = np.zeros((0, 0))
        self.bends = np.zeros(n)
        self.free = 1.0  # degrees of freedom of the scatter, and one for l2

    def scores(self, x: Vector) -> Floats:
        """The logarithm of P(node, x) of every node, up to a constant: O(d^2 + n d)."""
        dense = self._dense(x)
        spread: Floats = self.precision @ dense
        return self.free * (self.means @ spread - self.bends / 2) + np.log1p(self.n)

    def squared_distance(self, x: Vector, v: int) -> float:
        """The squared distance of x, new features included, from the mean of v; 0 without one."""
        if not self.n[v]:
            return 0.0
        off = self._dense(x) - self.sums[v] / self.n[v]
        return float(off @ off + x.norm2 - x.values @ x.values)

    def learn(self, x: Vector, v: int, subtree: Sequence[int]) -> None:
        """Learn from an example of node v; `subtree` is that of v. O(d^2) per node of it.

        There must be room for the features of x.
        """
        if not self.n.any():
            self.origin = self._dense(x)
        dense = self._dense(x)
        if self.n[v]:
            n = self.n[v]  # Welford: with n examples before, the scatter grows by n / (n + 1)
            self._scatter(dense - self.sums[v] / n, n / (n + 1))
        self.n[v] += 1
        self.sums[v] += dense
        self._shrink(subtree)

    def remapped(self, sources: Sequence[tuple[int, ...]], parents: Sequence[int]) -> Discriminant:
        """The discriminant of other nodes, each with the examples of its sources."""
        new = Discriminant(parents, self.shrinkage, self.l2)
        new.make_room(len(self.precision))
        new.precision, new.free = self.precision.copy(), self.free
        new.origin = self.origin.copy()
        for v, old in enumerate(sources):
            for u in old:
                if new.n[v] and self.n[u]:  # merging adds the scatter between both classes
                    off = new.sums[v] / new.n[v] - self.sums[u] / self.n[u]
                    new._scatter(off, new.n[v] * self.n[u] / (new.n[v] + self.n[u]))
                new.n[v] += self.n[u]
                new.sums[v] += self.sums[u]
        new._shrink(range(len(parents)))
        return new

    def _shrink(self, nodes: Sequence[int]) -> None:
        """Recompute the means of these nodes, parents first."""
        for v in nodes:
            prior = self.shrinkage * self.means[self.parents[v]] if v else 0.0
            self.means[v] = (self.sums[v] + prior) / (self.n[v] + self.shrinkage)
        moved = self.means[nodes]
        self.bends[nodes] = np.einsum("ij,ij->i", moved @ self.precision, moved)

    def _scatter(self, off: Floats, weight: float) -> None:
        """Add weight * off off^T to the scatter."""
        u = self.precision @ off
        pivot = 1 / weight + off @ u
        self.precision -= np.outer(u / pivot, u)
        self.bends -= (self.means @ u) ** 2 / pivot
        self.free += 1

    def make_room(self, d: int) -> None:
        """Make room for d features; nothing changes if memory does not suffice."""
        old = len(self.precision)
        if d > old:
            new = max(d, int(ROOM * old))
            precision = np.eye(new) / self.l2  # new features were 0 in all examples
            precision[:old, :old] = self.precision
            wider = ((0, 0), (0, new - old))
            sums, means = np.pad(self.sums, wider), np.pad(self.means, wider)
            self.origin = np.pad(self.origin, (0, new - old))
            self.precision, self.sums, self.means = precision, sums, means

    def add_nodes(self, parents: Sequence[int]) -> None:
        """Make room for nodes, the old ones first."""
        more = len(parents) - len(self.parents)
        self.parents = parents
        self.n, self.bends = np.pad(self.n, (0, more)), np.pad(self.bends, (0, more))
        self.sums = np.pad(self.sums, ((0, more), (0, 0)))
        self.means = np.pad(self.means, ((0, more), (0, 0)))

    def _dense(self, x: Vector) -> Floats:
        dense = -self.origin
        dense[x.rows] += x.values
        return dense
