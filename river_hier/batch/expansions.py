"""Weight vectors of all nodes as combinations of the training instances, w_v = sum_i b_iv x_i.

Two ways of keeping them: as weights, where the kernel is linear, or by their coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._kernels import FreeWeights, Vector

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Kernel = Callable[[Floats, Floats], Any]


class Expansion(Protocol):
    """What training asks of either."""

    norms2: Floats

    def scores(self, i: int) -> Floats: ...

    def all_scores(self) -> Floats: ...

    def add(self, i: int, nodes: Ints, steps: Floats) -> None: ...

    def column(self, i: int) -> Floats: ...

    def norm2(self) -> float: ...

    def frozen(self) -> FreeWeights | KernelWeights: ...


class LinearExpansion:
    """The weights themselves: O(features of x_i * nodes) to score, as much memory as they take."""

    def __init__(self, X: Any, n_nodes: int) -> None:
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

    def frozen(self) -> FreeWeights:
        """What scores new instances."""
        weights = FreeWeights(self.w.shape[1])
        weights.matrix = self.w
        return weights

    def _row(self, i: int) -> tuple[Any, Floats]:
        here = slice(self.X.indptr[i], self.X.indptr[i + 1])
        return self.X.indices[here], self.X.data[here]


class KernelExpansion:
    """The coefficients, and the scores that they give: O(instances * nodes moved) to move.

    The kernel matrix takes O(instances^2) memory.
    """

    def __init__(self, X: Floats, kernel: Kernel, n_nodes: int) -> None:
        self.X = X
        self.kernel = kernel
        self.gram = gram(kernel, X, X)
        self.b = np.zeros((len(X), n_nodes))
        self._scores = np.zeros((len(X), n_nodes))
        self.norms2 = self.gram.diagonal()

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

    def frozen(self) -> KernelWeights:
        """What scores new instances: those with a coefficient are kept."""
        used = self.b.any(axis=1)
        return KernelWeights(self.X[used], self.b[used], self.kernel)


class KernelWeights:
    """Weight vectors in the space of a kernel."""

    def __init__(self, X: Floats, b: Floats, kernel: Kernel) -> None:
        self.X = X
        self.b = b
        self.kernel = kernel

    def scores(self, x: Vector) -> Floats:
        """<w_v, x> of every node: O(instances kept * (features + nodes))."""
        row = np.zeros((1, self.X.shape[1]))
        row[0, x.rows] = x.values
        # Of features never trained on only the norm matters, to any kernel of dot products.
        row[0, -1] = math.sqrt(max(x.norm2 - float(x.values @ x.values), 0.0))
        if not len(self.X):
            return np.zeros(self.b.shape[1])
        scores: Floats = gram(self.kernel, self.X, row)[:, 0] @ self.b
        return scores


def gram(kernel: Kernel, X: Floats, Z: Floats) -> Floats:
    """K(X, Z), which must be a matrix of finite numbers."""
    k = np.asarray(kernel(X, Z), dtype=np.float64)
    if k.shape != (len(X), len(Z)) or not np.isfinite(k).all():
        raise ValueError(
            f"`kernel` must give a finite matrix of shape {(len(X), len(Z))}, got shape {k.shape}"
            f"{'' if np.isfinite(k).all() else ' with nan or inf'}"
        )
    return k
