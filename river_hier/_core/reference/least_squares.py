"""Regularised least squares for many nodes (H-RLS, SH-RLS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..pickles import saved
from .feature_map import Vector
from .systems import (
    NO_INSTANCES,
    Dual,
    Parts,
    Primal,
    SavedSystem,
    check,
    loaded,
    nothing_stored,
    resized,
    stacked,
)
from .vectors import Vectors

Floats: TypeAlias = NDArray[np.float64]
# From l2, instances and a system, as in pickles, to those that replace them.
Change: TypeAlias = Callable[[float, Parts, SavedSystem], tuple[Parts, SavedSystem]]


class Systems:
    """The systems of all nodes, with explicit features or a kernel."""

    def __init__(self, l2: float, budget: int | None) -> None:
        self.l2 = l2
        self.budget = budget
        self.systems: list[Any] = []

    @property
    def n_stored(self) -> list[float]:
        return [system.n_stored for system in self.systems]

    def add_outputs(self, s: int, nodes: Iterable[int]) -> None:
        """Add nodes to a system; they count as off in all stored instances."""
        self.systems[s].add_outputs(list(nodes))

    def margins(self, x: Any, n_nodes: int) -> Floats:
        """`w_t . x_t = w . x / (1 + r)` of every node: Eq. (1), where A includes x."""
        margins = np.zeros(n_nodes)
        for system in self.systems:
            margins[system.nodes] = system.scores(x) / (1.0 + system.r(x))
        return margins


class LeastSquares(Systems):
    """Systems with explicit features.

    A system is in dual variables until it holds as many instances as it has met features, d; then
    in primal ones, until it has met more than 2 d + 64 features. The weights are the same, but
    instances can only be dropped in dual variables: with more than `budget` instances, the older
    half is. `memory` is used by the compiled backend, where systems beyond it are solved by
    conjugate gradients.
    """

    def __init__(self, l2: float, memory: float, budget: int | None = None) -> None:
        super().__init__(l2, budget)
        self.memory = memory
        self._number = 0  # of the next instance

    def add_system(self, nodes: Iterable[int]) -> None:
        """Add a system in which nothing is stored."""
        self.add_saved(NO_INSTANCES, [nothing_stored(list(nodes))])

    def remove_nodes(self, n_systems: int, n_nodes: int) -> None:
        """Remove the nodes and systems that were added after these, which have learned nothing."""
        del self.systems[n_systems:]
        for system in self.systems:
            system.keep_outputs(sum(v < n_nodes for v in system.nodes))

    def scores(self, x: Vector | Vectors, n_nodes: int) -> Floats:
        """Eq. (1) for every node; of many vectors, one a column."""
        if isinstance(x, Vectors):
            return np.array([self.scores(one, n_nodes) for one in x]).reshape(-1, n_nodes).T
        return self.margins(x.ordered(), n_nodes)

    def weights(self, s: int, n_features: int) -> Floats:
        """The w of a system, (features, nodes)."""
        return resized(self.systems[s].w, n_features)

    def store(self, s: int, x: Vector, y: Floats) -> None:
        """Add x to a system, with a label for each of its nodes."""
        system = self.systems[s]
        if isinstance(system, Primal) and x.d > 2 * system.first_d + 64:
            self.change(s, in_dual_variables)
        system = self.systems[s]
        system.store(x, y, self._number)
        if isinstance(system, Dual):
            n = len(system.ids)
            if n >= system.d:
                self.change(s, in_primal_variables)
            elif self.budget is not None and n > self.budget:
                system.forget(n - self.budget // 2)

    def end_step(self) -> None:
        """Called after an example has been stored wherever it is."""
        self._number += 1

    # Pickles

    def save(self) -> tuple[Parts, list[SavedSystem]]:
        """The instances, each of them once, and the systems."""
        duals = [system for system in self.systems if isinstance(system, Dual)]
        none = sparse.csr_array((0, 0))
        S = stacked([none, *(dual.S for dual in duals)])
        ids = np.concatenate([np.zeros(0, np.intp), *(dual.ids for dual in duals)])
        used, first = np.unique(ids, return_index=True)
        S, systems = S[first], []
        for system in self.systems:
            if isinstance(system, Primal):  # sums of instances that are no longer there
                kind, *arrays = "primal", system.inverse, system.w, system.total
            else:
                numbers = np.searchsorted(used, system.ids).astype(np.uint32)
                kind, *arrays = "cholesky", numbers, system.ones, system.v, system.w0
            arrays = [array.copy() for array in arrays]
            systems.append((kind, list(system.nodes), system.n_stored, *arrays))
        start, rows = S.indptr.astype(np.uint64), S.indices.astype(np.uint32)
        return (start, rows, S.data, S.multiply(S).sum(axis=1)), systems

    def add_saved(self, parts: Parts, systems: list[SavedSystem]) -> None:
        """Add saved systems, with their instances."""
        self.systems += [loaded(self.l2, parts, system, self._number) for system in systems]
        self._number += len(parts[-1])

    def change(self, s: int, how: Change | None) -> None:
        """Replace a system by the result of `how`: of l2, the saved instances and the system."""
        assert how is not None
        parts, systems = self.save()
        parts, system = how(self.l2, parts, systems[s])
        self.add_saved(parts, [system])
        self.systems[s] = self.systems.pop()

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("LeastSquares", self.l2, self.memory, self.budget, *self.save())

    @classmethod
    def restore(
        cls, l2: float, memory: float, budget: int | None, parts: Parts, systems: list[SavedSystem]
    ) -> Self:
        """The systems of a pickle."""
        check(l2, memory, budget, parts, systems)
        rls = cls(l2, memory, budget)
        rls.add_saved(parts, systems)
        return rls


# For both backends: the change between primal and dual variables. Eigendecompositions are safe even
# for badly conditioned matrices.


def in_primal_variables(l2: float, parts: Parts, system: SavedSystem) -> tuple[Parts, SavedSystem]:
    """The same system with the inverse of A, which replaces the instances."""
    dual = loaded(l2, parts, system)
    S = resized(dual.S.toarray().T, dual.d)
    eigenvalues, U = np.linalg.eigh(S @ S.T)
    inverse = (U / (l2 + np.maximum(eigenvalues, 0.0))) @ U.T
    return NO_INSTANCES, ("primal", *system[1:3], inverse, dual.w, S @ dual.ones)


def in_dual_variables(l2: float, parts: Parts, system: SavedSystem) -> tuple[Parts, SavedSystem]:
    """The same system with at most d instances that have the same S S^T and w as those dropped.

    With the eigenvectors e_j of S S^T, of eigenvalues m_j > 0, these are sqrt(m_j) e_j, and w is `S
    alpha` with alpha_j = w . e_j / sqrt(m_j). Their labels are `(l2 + m_j) alpha_j`; `ones` are
    those that correspond to 1 for all instances in the inverse.
    """
    _, nodes, n_stored, inverse, w, total = system
    inverted, U = np.linalg.eigh(inverse)
    m = 1.0 / np.maximum(inverted, 1e-16 / l2) - l2  # rounding may have made them negative
    m, U = m[m > l2 * 1e-12], U[:, m > l2 * 1e-12]
    size = np.sqrt(m)
    v, ones = ((m + l2) / size)[:, None] * (U.T @ w), (U.T @ total) / size
    d, n = U.shape
    start, rows = np.arange(n + 1, dtype=np.uint64) * d, np.tile(np.arange(d, dtype=np.uint32), n)
    ids = np.arange(n, dtype=np.uint32)
    dual = ("cholesky", nodes, n_stored, ids, ones, v, np.zeros((0, len(nodes))))
    return (start, rows, (size * U).T.ravel(), m), dual
