"""Regularised least squares for many nodes over shared instances (H-RLS, SH-RLS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .batch import Vectors
from .feature_map import Vector
from .instances import Instances, Parts
from .pickles import saved
from .saved_systems import SavedSystem, check, nothing_stored
from .systems import Dual, ExampleContext, Primal, resized

Floats: TypeAlias = NDArray[np.float64]


class Systems:
    """The systems of all nodes over one set of instances, with explicit features or a kernel."""

    dual: type[Any] = Dual
    few = 1024  # below this number of instances, none is dropped

    def __init__(self, l2: float, budget: int | None, instances: Any) -> None:
        self.l2 = l2
        self.budget = budget
        self.instances = instances
        self.systems: list[Any] = []  # each a Dual or a Primal
        self._many = self.few

    @property
    def n_stored(self) -> list[int]:
        return [system.n_stored for system in self.systems]

    def add_system(self, nodes: Iterable[int]) -> None:
        """Add a system in which nothing is stored."""
        _, *empty = nothing_stored(list(nodes))
        self.systems.append(self.dual(self.l2, *empty, np.zeros((0, 0))))

    def add_outputs(self, s: int, nodes: Iterable[int]) -> None:
        """Add nodes to a system; they count as off in all stored instances."""
        self.systems[s].add_outputs(list(nodes))

    def margins(self, context: ExampleContext, n_nodes: int) -> Floats:
        """`w_t . x_t = w . x / (1 + r)` of every node: Eq. (1), where A includes x."""
        margins = np.zeros(n_nodes)
        for system in self.systems:
            margins[system.nodes] = system.scores(context) / (1.0 + system.r(context))
        return margins

    def store(self, s: int, context: ExampleContext, y: Floats) -> None:
        """Add x to a system, with a label for each of its nodes."""
        self.systems[s].store(context, y)

    def tidy(self) -> None:
        """Drop the instances that no system uses, each time their number has doubled."""
        if self.instances.n >= self._many:
            duals = [system for system in self.systems if isinstance(system, Dual)]
            used = np.unique(np.concatenate([np.zeros(0, np.intp), *(d.ids for d in duals)]))
            self.instances.keep(used)
            for dual in duals:
                dual.ids = np.searchsorted(used, dual.ids)
            self._many = max(self.few, 2 * len(used))


class LeastSquares(Systems):
    """Systems with explicit features.

    A system is in dual variables until it holds as many instances as it has met features, d; then
    in primal ones, until it meets more than 2 d + 64 features. The weights are the same, but
    instances can only be dropped in dual variables: with more than `budget` instances, the older
    half is. `memory` is used by the compiled backend, where systems beyond it are solved by
    conjugate gradients.
    """

    def __init__(self, l2: float, memory: float, budget: int | None = None) -> None:
        super().__init__(l2, budget, Instances())
        self.memory = memory

    def context(self, x: Vector) -> ExampleContext:
        """An example, its features in ascending order."""
        order = np.argsort(x.rows)
        x = Vector(x.rows[order], x.values[order], x.norm2)
        return ExampleContext(x, self.instances.dots(x), lambda: self.instances.append(x))

    def scores(self, x: Vector | Vectors, n_nodes: int) -> Floats:
        """Eq. (1) for every node; of many vectors, one a column."""
        if isinstance(x, Vectors):
            return np.array([self.scores(one, n_nodes) for one in x]).reshape(-1, n_nodes).T
        return self.margins(self.context(x), n_nodes)

    def weights(self, s: int, n_features: int) -> Floats:
        """The w of a system, (features, nodes)."""
        system = self.systems[s]
        if isinstance(system, Primal):
            return resized(system.w, n_features)
        S = self.instances.matrix[system.ids]
        return resized(system.w0, n_features) + resized(S.T @ system.alpha, n_features)

    def store(self, s: int, context: ExampleContext, y: Floats) -> None:
        system = self.systems[s]
        if isinstance(system, Primal) and context.x.n_features > 2 * len(system.w) + 64:
            self.systems[s] = self._dual(system)
            context.dots = self.instances.dots(context.x)
        super().store(s, context, y)
        if isinstance(dual := self.systems[s], Dual):
            S, n = self.instances.matrix[dual.ids], len(dual.ids)
            d = max(len(dual.w0), 1 + int(S.indices.max(initial=-1)))  # features met
            if n >= d:
                S, w = resized(S.T.toarray(), d), self.weights(s, d)
                parts = primal_inverse(S.T, self.l2), w, S @ dual.ones
                self.systems[s] = Primal(self.l2, dual.nodes, dual.n_stored, *parts)
            elif self.budget is not None and n > self.budget:
                self._forget(dual, n - self.budget // 2, S, d)

    def _forget(self, dual: Dual, n: int, S: Any, d: int) -> None:
        """Drop the n oldest instances. w does not change; their part of it is added to w0."""
        part = S[:n].T @ dual.alpha[:n]
        dual.w0 = resized(dual.w0, d) + resized(part, d)
        dual.ids, dual.ones, dual.v = dual.ids[n:], dual.ones[n:], dual.v[n:] - S[n:] @ part
        dual.K = dual.K[n:, n:]

    def _dual(self, primal: Primal) -> Dual:
        """The same system in dual variables; its instances are stored as new ones."""
        S, v, ones = equivalent_instances(primal.inverse, primal.w, primal.total, self.l2)
        rows = np.arange(len(primal.w))
        ids = np.array([self.instances.append(Vector(rows, x, float(x @ x))) for x in S], np.intp)
        parts = ids, ones, v, np.zeros((0, v.shape[1])), self.instances.gram(ids)
        return Dual(self.l2, primal.nodes, primal.n_stored, *parts)

    # Pickles; see saved_systems.py

    def change(self, s: int, how: Callable[[Parts, SavedSystem], Any]) -> None:
        """Replace a system by the result of `how`, applied to the saved instances and system."""
        self._load(*how(self.instances.parts(), _saved(self.systems[s])))
        self.systems[s] = self.systems.pop()

    def __reduce__(self) -> tuple[Any, ...]:
        systems = [_saved(system) for system in self.systems]
        parts = self.instances.parts()
        return saved("LeastSquares", self.l2, self.memory, self.budget, parts, systems)

    @classmethod
    def restore(
        cls, l2: float, memory: float, budget: int | None, parts: Parts, systems: list[SavedSystem]
    ) -> LeastSquares:
        """The systems of a pickle."""
        check(l2, memory, budget, parts, systems)
        rls = cls(l2, memory, budget)
        rls._load(parts, systems)
        return rls

    def _load(self, parts: Parts, systems: list[SavedSystem]) -> None:
        first = self.instances.n
        self.instances.extend(parts)
        for kind, nodes, n_stored, *arrays in systems:
            a, *rest = [array.copy() for array in arrays]
            if kind == "primal":
                self.systems.append(Primal(self.l2, list(nodes), n_stored, a, *rest))
            else:
                ids = first + a.astype(np.intp)
                rest.append(self.instances.gram(ids))
                self.systems.append(Dual(self.l2, list(nodes), n_stored, ids, *rest))


def _saved(system: Any) -> SavedSystem:
    if isinstance(system, Primal):  # sums of instances that are no longer there
        kind, *arrays = "primal", system.inverse, system.w, system.total
    else:
        ids = system.ids.astype(np.uint32)
        kind, *arrays = "cholesky", ids, system.ones, system.v, system.w0
    return (kind, list(system.nodes), system.n_stored, *(array.copy() for array in arrays))


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
    m = 1.0 / np.maximum(inverted, 1e-16 / l2) - l2  # rounding may have made them negative
    m, U = m[m > l2 * 1e-12], U[:, m > l2 * 1e-12]
    size = np.sqrt(m)
    return (size * U).T, ((size**2 + l2) / size)[:, None] * (U.T @ w), (U.T @ total) / size
