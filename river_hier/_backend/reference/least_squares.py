"""Regularised least squares for many nodes over one set of stored instances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batch import Vectors
from .direct import Direct
from .dual import Dual
from .feature_map import Vector
from .instances import Instances
from .iterative import Iterative
from .pickles import saved
from .primal import Primal
from .saved_systems import SavedSystem, check
from .systems import System, Systems
from .visit import SparseVisit, Visit

Floats = NDArray[np.float64]
Parts = tuple[NDArray[Any], ...]  # of instances
Change = Callable[[Parts, SavedSystem], tuple[Parts, list[SavedSystem]]]

# With fewer instances it is not worth while to look for those that nobody needs.
_FEW_INSTANCES = 1024
# A few features more are no reason to leave primal variables, or to change back and forth.
_FEW_FEATURES = 64


class LeastSquares(Systems):
    """Systems `A_s = l2 I + S_s S_s^T`, each with an output (a weight vector) a node.

    A system starts with a factor in dual variables. Once it holds as many instances as it has met
    features, the primal inverse is the smaller one, and it goes over to that; if then far more
    features appear, it goes back. A factor for which `memory` bytes do not suffice, all factors
    together, gives way to conjugate gradients. The weights are the same. With more than `budget`
    instances a system in dual variables forgets the older half. While `memory` lasts, the numbers
    of a system depend on no other system.
    """

    def __init__(self, l2: float, memory: float, budget: int | None = None) -> None:
        super().__init__(l2, budget)
        self.memory = memory
        self._many = _FEW_INSTANCES  # instances at which to look for some that nobody needs
        self.instances = Instances()

    @property
    def n_bytes(self) -> int:
        """The memory that factors and inverses take."""
        return 8 * sum(_numbers(system.solver) for system in self.systems)

    def visit(self, x: Vector) -> Visit:
        return SparseVisit(x, self.instances)

    def weights(self, s: int, n_features: int) -> Floats:
        """The explicit w of a system, a matrix (features, nodes)."""
        system = self.systems[s]
        w = np.zeros((n_features, len(system.nodes)))
        known = system.solver.weights(self.instances)[:n_features]
        w[: len(known)] = known
        return w

    def scores(self, x: Vector | Vectors, n_nodes: int) -> Floats:
        """The scores of every node; of many vectors, one a column."""
        if isinstance(x, Vectors):
            return np.array([self.scores(one, n_nodes) for one in x]).reshape(-1, n_nodes).T
        return self.visit_scores(self.visit(x), n_nodes)

    def store(self, system: System, visit: Visit, v: Floats, r: float, u: Floats) -> None:
        if self._prepare(system, visit.x):
            r, u = system.solver.solve(visit)
        system.solver.store(visit, v, r, u)
        self._settle(system)

    def append(self, system: System, visit: Visit, v: Floats) -> None:
        self._prepare(system, visit.x)
        system.solver.append(visit, v)
        self._settle(system)

    def _empty(self, n_outputs: int) -> Direct:
        return Direct(n_outputs, self.l2)

    def _prepare(self, system: System, x: Vector) -> bool:
        """Change the solver if it cannot take x; whether it has changed."""
        system.n_features = max(system.n_features, 1 + int(x.rows.max()))
        before = system.solver
        if isinstance(before, Primal) and system.n_features > 2 * before.d + _FEW_FEATURES:
            system.solver = self._to_dual(before)
        if isinstance(system.solver, Direct):
            solvers = [s.solver for s in self.systems]
            factors = sum(_triangle(s.n) for s in solvers if isinstance(s, Direct))
            if 8 * (factors + system.solver.n + 1) > self.memory:
                system.solver = Iterative(system.solver, self.instances)
        return system.solver is not before

    def _settle(self, system: System) -> None:
        system.n_stored += 1
        solver = system.solver
        d = system.n_features
        if isinstance(solver, Dual) and solver.n >= d:
            S = solver.stored(self.instances)[:, :d].toarray()
            w = solver.weights(self.instances)[:d]
            inverse = primal_inverse(S, self.l2)
            system.solver = Primal(self.l2, inverse, w, S.T @ solver.ones)
        elif isinstance(solver, Dual) and self.budget is not None and solver.n > self.budget:
            solver.forget(solver.n - self.budget // 2, self.instances, d)

    def tidy(self) -> None:
        if self.instances.n < self._many:
            return
        needed = np.zeros(self.instances.n, dtype=bool)
        duals = [s.solver for s in self.systems if isinstance(s.solver, Dual)]
        for dual in duals:
            needed[dual.ids] = True
        kept = np.flatnonzero(needed)
        n_features = self.instances.n_features
        self.instances = self.instances.some(kept)
        self.instances.n_features = n_features
        for dual in duals:
            dual.renumber(np.cumsum(needed) - 1)
        self._many = max(_FEW_INSTANCES, 2 * len(kept))

    def _to_dual(self, primal: Primal) -> Direct:
        found = equivalent_instances(primal.inverse, primal.w, primal.total, self.l2)
        dual = Direct(primal.w.shape[1], self.l2)
        rows = np.arange(primal.d)
        for x, v, one in zip(*found, strict=True):
            dual.remember(self.instances.append(Vector(rows, x, float(x @ x))), one, v)
        dual.refactor(self.instances)
        return dual

    def change(self, s: int, how: Change) -> None:
        """Put in the place of a system what `how` makes of it and of the instances."""
        self._load(*how(self.instances.parts(), _saved(self.systems[s])))
        self.systems[s] = self.systems.pop()

    def __reduce__(self) -> tuple[Any, ...]:
        systems = [_saved(system) for system in self.systems]
        parts = self.instances.parts()
        return saved("LeastSquares", self.l2, self.memory, self.budget, parts, systems)

    @classmethod
    def restore(
        cls, l2: float, memory: float, budget: int | None, parts: Any, systems: list[SavedSystem]
    ) -> LeastSquares:
        """The systems of a pickle."""
        check(l2, memory, budget, parts, systems)
        rls = cls(l2, memory, budget)
        rls._load(parts, systems)
        return rls

    def _load(self, parts: Parts, systems: list[SavedSystem]) -> None:
        """Systems as they were saved, and their instances; both come after those there are."""
        first = self.instances.n
        self.instances.extend(parts)
        for kind, nodes, n_stored, *arrays in systems:
            self.add_system(nodes)
            system = self.systems[-1]
            system.n_stored = n_stored
            if kind == "primal":
                system.solver = Primal(self.l2, *(a.copy() for a in arrays))
                system.n_features = system.solver.d
                continue
            dual = Direct(len(nodes), self.l2)
            for number, one, v in zip(*arrays[:3], strict=True):
                dual.remember(first + int(number), float(one), v)
            dual.w0 = arrays[3].copy()
            self.instances.n_features = max(self.instances.n_features, len(dual.w0))
            system.n_features = max(len(dual.w0), self.instances.features_of(dual.ids))
            if kind == "cholesky":
                dual.refactor(self.instances)
            system.solver = dual if kind == "cholesky" else Iterative(dual, self.instances)


def _saved(system: System) -> SavedSystem:
    solver = system.solver
    start = (list(system.nodes), system.n_stored)
    if isinstance(solver, Primal):
        arrays = (solver.inverse.copy(), solver.w.copy(), solver.total.copy())
        return ("primal", *start, *arrays)
    shared = (solver.ids.astype(np.uint32), solver.ones.copy(), solver.v.copy(), solver.w0.copy())
    return ("cholesky" if isinstance(solver, Direct) else "cg", *start, *shared)


def _triangle(n: int) -> int:
    return n * (n + 1) // 2


def _numbers(solver: Direct | Iterative | Primal) -> int:
    if isinstance(solver, Primal):
        return solver.d**2
    return _triangle(solver.n) if isinstance(solver, Direct) else 0


_LOST = 1e-16  # what is left of an eigenvalue that is lost beside the largest


def primal_inverse(S: Floats, l2: float) -> Floats:
    """(l2 I + S S^T)^-1; the rows given are the instances, the columns of S."""
    eigenvalues, U = np.linalg.eigh(S.T @ S)
    inverse: Floats = (U / (l2 + np.maximum(eigenvalues, 0.0))) @ U.T
    return inverse


def discounted_inverse(
    inverse: Floats, w: Floats, total: Floats, l2: float, rate: float
) -> tuple[Floats, Floats, Floats]:
    """The same three when all that they have seen counts `rate` times what it did."""
    inverted, U = np.linalg.eigh(inverse)
    inverted = np.maximum(inverted, _LOST * inverted.max())
    m = np.maximum(1.0 / inverted - l2, 0.0)
    new = 1.0 / (l2 + rate * m)
    kept = rate * (l2 + m) * new  # S v = A w fades, too
    return (U * new) @ U.T, U @ (kept[:, None] * (U.T @ w)), rate * total


def equivalent_instances(
    inverse: Floats, w: Floats, total: Floats, l2: float
) -> tuple[Floats, Floats, Floats]:
    """At most d instances, as rows, that stand for all those that the inverse has seen.

    With the eigenvectors e_j of S S^T, of eigenvalues m_j > 0, the instances sqrt(m_j) e_j have
    the same S S^T, and with alpha_j = w . e_j / sqrt(m_j) the same w. Returned are the instances,
    the labels (instances, outputs) that give this w, and the labels that correspond to a 1 on all
    that the inverse has seen.
    """
    inverted, U = np.linalg.eigh(inverse)
    m = 1.0 / inverted - l2
    kept = m > l2 * 1e-12
    size, U = np.sqrt(m[kept]), U[:, kept]
    squared = size**2 + l2
    v = (squared / size)[:, None] * (U.T @ w)
    return (size * U).T, v, (U.T @ total) / size
