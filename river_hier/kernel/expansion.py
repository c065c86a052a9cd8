"""Weight vectors in dual variables: sums over stored instances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.capacity import ensure_capacity

Floats = NDArray[np.float64]


class Expansion:
    """The nonzero coefficients of `w^v = sum_i c_iv phi(x_i)` for every node v.

    They are stored as triples (i, v, c_iv): an instance has coefficients at the nodes of two paths
    only, and the score of a node without coefficients is exactly zero.
    """

    def __init__(self, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        self._n = 0
        self._instances = np.zeros(0, dtype=np.intp)
        self._nodes = np.zeros(0, dtype=np.intp)
        self._values = np.zeros(0)

    def add(self, i: int, nodes: NDArray[np.intp], values: Floats) -> None:
        """Add the coefficients of a new instance."""
        end = self._n + len(nodes)
        self._instances = ensure_capacity(self._instances, end)
        self._nodes = ensure_capacity(self._nodes, end)
        self._values = ensure_capacity(self._values, end)
        self._instances[self._n : end] = i
        self._nodes[self._n : end] = nodes
        self._values[self._n : end] = values
        self._n = end

    def clear(self, nodes: NDArray[Any]) -> None:
        """Set the coefficients of some nodes to zero."""
        self._values[np.isin(self._nodes, nodes)] = 0.0

    def scores(self, k: Floats) -> Floats:
        """w . phi(x) of every node from the values of the kernel, k_i = K(x_i, x): O(triples)."""
        n = self._n
        parts = k[self._instances[:n]] * self._values[:n]
        scores = np.bincount(self._nodes[:n], weights=parts, minlength=self.n_nodes)
        return scores.astype(np.float64, copy=False)

    def coefficients(self, nodes: NDArray[np.intp], n_instances: int) -> Floats:
        """The coefficients of the instances at each of these nodes, (nodes, instances)."""
        rows = np.full(self.n_nodes, -1)
        rows[nodes] = np.arange(len(nodes))
        at = rows[self._nodes[: self._n]]
        mine = np.flatnonzero(at >= 0)
        found = np.zeros((len(nodes), n_instances))
        np.add.at(found, (at[mine], self._instances[mine]), self._values[mine])
        return found

    def parts(self, norms2: Floats) -> Floats:
        """The sum over nodes of the squared norms of each instance's terms, given `norms2`."""
        instances = self._instances[: self._n]
        squares = (self._values[: self._n] * np.sqrt(norms2)[instances]) ** 2
        parts = np.bincount(instances, weights=squares, minlength=len(norms2))
        return parts.astype(np.float64, copy=False)

    def forget(self, kept: NDArray[np.intp], P: Floats) -> None:
        """Keep these instances only; P projects the others onto them."""
        n = sum(P.shape)
        C = np.zeros((n, self.n_nodes))
        C[self._instances[: self._n], self._nodes[: self._n]] = self._values[: self._n]
        C = C[kept] + P @ np.delete(C, kept, axis=0)
        self._instances, self._nodes = np.nonzero(C)
        self._values = C[self._instances, self._nodes]
        self._n = len(self._values)
