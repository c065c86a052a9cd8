"""The means of a tree of Gaussian classes, given the sums of their examples.

The mean of a node has a Gaussian prior around the mean of its parent, with the covariance of an
example divided by the shrinkage; the prior of the root's mean is flat. The *weight* of a node is
the number of examples that its subtree counts for when the mean of the node is estimated. The
weights and the sums of these examples are

    N[v] = n[v] + sum over children c of N[c] shrinkage / (N[c] + shrinkage)                  (1)
    S[v] = s[v] + sum over children c of S[c] shrinkage / (N[c] + shrinkage)                  (2)

and the posterior means are

    mean[root] = S[root] / N[root],
    mean[v] = (S[v] + shrinkage mean[parent(v)]) / (N[v] + shrinkage).                        (3)
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import blas

from ..taxonomy import Arrays

Floats = NDArray[np.float64]


class Means:
    """The posterior means of all nodes, `values`, and their `weights` N."""

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
        """A copy that learns further examples by itself."""
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
        self._add_weight(v, w)
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
            values[0] /= self.weights[0]
        for nodes, parents, _ in self.tree.levels:
            values[nodes] += self.shrinkage * values[parents]
            values[nodes] /= (self.weights[nodes] + self.shrinkage)[:, None]
        return values

    def _add_weight(self, v: int, w: float) -> None:
        """Update (1): O(depth)."""
        kappa, weights = self.shrinkage, self.weights
        while v:
            before = weights[v] * kappa / (weights[v] + kappa)
            weights[v] += w
            w = weights[v] * kappa / (weights[v] + kappa) - before
            v = self.tree.parent_index[v - 1]
        weights[0] += w


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
    found: Floats = whole[:n]
    return found
