"""Weight vectors of all nodes as combinations of the training instances, w_v = sum_i b_iv x_i.

Two ways of keeping them: as weights, where the kernel is linear, or by their coefficients.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._backend import FeatureMap, KernelInstances
from .machines import KernelMachines, LinearMachines, Machines

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Expansion(Protocol):
    """What training asks of either."""

    norms2: Floats

    def scores(self, i: int) -> Floats: ...

    def all_scores(self) -> Floats: ...

    def add(self, i: int, nodes: Ints, steps: Floats) -> None: ...

    def column(self, i: int) -> Floats: ...

    def norm2(self) -> float: ...

    def machines(self) -> Machines: ...


class LinearExpansion:
    """The weights themselves: O(features of x_i * nodes) to score, as much memory as they take."""

    def __init__(self, features: FeatureMap, X: Any, n_nodes: int) -> None:
        self.features = features
        self.X = X  # sparse rows (instances, features)
        self.w = np.zeros((X.shape[1], n_nodes))
        self.norms2 = np.asarray(X.multiply(X).sum(axis=1)).ravel()

    def scores(self, i: int) -> Floats:
        """<w_v, x_i> of every node."""
        rows, values = self._row(i)
        scores: Floats = values @ self.w[rows]
        return scores

    def all_scores(self) -> Floats:
        """<w_v, x_i>, (instances, nodes)."""
        scores: Floats = self.X @ self.w
        return scores

    def add(self, i: int, nodes: Ints, steps: Floats) -> None:
        """w_v += step_v x_i for the given nodes."""
        rows, values = self._row(i)
        self.w[rows[:, None], nodes] += values[:, None] * steps

    def column(self, i: int) -> Floats:
        """<x_j, x_i> of every instance j."""
        x = np.zeros(self.X.shape[1])
        rows, values = self._row(i)
        x[rows] = values
        column: Floats = self.X @ x
        return column

    def norm2(self) -> float:
        """sum_v ||w_v||^2."""
        return float(np.einsum("jv,jv->", self.w, self.w))

    def machines(self) -> LinearMachines:
        """What scores new instances."""
        return LinearMachines(self.features, self.w, np.zeros(self.w.shape[1]))

    def _row(self, i: int) -> tuple[Any, Floats]:
        here = slice(self.X.indptr[i], self.X.indptr[i + 1])
        return self.X.indices[here], self.X.data[here]


class KernelExpansion:
    """The coefficients, and the scores that they give: O(instances * nodes moved) to move.

    The kernel matrix takes O(instances^2) memory.
    """

    def __init__(self, instances: KernelInstances, gram: Floats, n_nodes: int) -> None:
        self.instances = instances
        self.gram = gram
        self.b = np.zeros((len(gram), n_nodes))
        self._scores = np.zeros((len(gram), n_nodes))
        self.norms2 = gram.diagonal()

    def scores(self, i: int) -> Floats:
        """<w_v, x_i> of every node."""
        scores: Floats = self._scores[i]
        return scores

    def all_scores(self) -> Floats:
        """<w_v, x_i>, (instances, nodes)."""
        return self._scores

    def add(self, i: int, nodes: Ints, steps: Floats) -> None:
        """w_v += step_v x_i for the given nodes."""
        self.b[i, nodes] += steps
        self._scores[:, nodes] += self.column(i)[:, None] * steps

    def column(self, i: int) -> Floats:
        """K(x_j, x_i) of every instance j."""
        column: Floats = self.gram[:, i]
        return column

    def norm2(self) -> float:
        """sum_v ||w_v||^2."""
        return float(np.einsum("iv,iv->", self.b, self._scores))

    def machines(self) -> KernelMachines:
        """What scores new instances."""
        return KernelMachines(self.instances, self.b, np.zeros(self.b.shape[1]))
