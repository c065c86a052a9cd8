"""Regularised least squares for many nodes over shared instances (H-RLS, SH-RLS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .batch import Vectors
from .feature_map import Vector
from .instances import Instances, Parts
from .pickles import saved
from .saved_systems import SavedSystem, check, nothing_stored
from .solvers import Dual, ExampleContext, Primal, equivalent_instances, primal_inverse

__all__ = ["LeastSquares", "System", "Systems", "equivalent_instances", "primal_inverse"]

Floats: TypeAlias = NDArray[np.float64]


@dataclass
class System:
    """Nodes that share their instances, and their solver."""

    nodes: list[int]
    solver: Dual | Primal
    n_stored: int = 0  # including dropped instances


class Systems:
    """The systems of all nodes over one set of instances, with explicit features or a kernel."""

    dual = Dual
    few = 1024  # below this number of instances, none is dropped

    def __init__(self, l2: float, budget: int | None, instances: Any) -> None:
        self.l2 = l2
        self.budget = budget
        self.instances = instances
        self.systems: list[System] = []
        self._many = self.few

    @property
    def n_stored(self) -> list[int]:
        return [system.n_stored for system in self.systems]

    def add_system(self, nodes: Iterable[int]) -> None:
        """Add a system in which nothing is stored."""
        empty = nothing_stored(list(nodes))
        self.systems.append(System(empty[1], self.dual(self.l2, np.zeros((0, 0)), *empty[3:])))

    def add_outputs(self, s: int, nodes: Iterable[int]) -> None:
        """Add nodes to a system; they count as off in all stored instances."""
        nodes = list(nodes)
        self.systems[s].nodes += nodes
        self.systems[s].solver.add_outputs(len(nodes))

    def margins(self, context: ExampleContext, n_nodes: int) -> Floats:
        """`w_t . x_t = w . x / (1 + r)` of every node: Eq. (1), where A includes x."""
        margins = np.zeros(n_nodes)
        for system in self.systems:
            solver = system.solver
            margins[system.nodes] = solver.scores(context) / (1.0 + solver.r(context))
        return margins

    def store(self, system: System, context: ExampleContext, y: Floats) -> None:
        """Add x to a system, with a label for each of its nodes."""
        system.solver.store(context, y)
        system.n_stored += 1

    def tidy(self) -> None:
        """Drop the instances that no system uses, each time their number has doubled."""
        if self.instances.n < self._many:
            return
        duals = [s.solver for s in self.systems if isinstance(s.solver, Dual)]
        used = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *(d.ids for d in duals)]))
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
        return self.systems[s].solver.weights(self.instances, n_features)

    def store(self, system: System, context: ExampleContext, y: Floats) -> None:
        d = 1 + int(context.x.rows.max())
        if isinstance(system.solver, Primal) and d > 2 * len(system.solver.w) + 64:
            system.solver = system.solver.dual(self.instances)
            context.dots = self.instances.dots(context.x)
        super().store(system, context, y)
        if isinstance(dual := system.solver, Dual):
            n = len(dual.ids)
            if n >= dual.n_features(self.instances):
                system.solver = dual.primal(self.instances)
            elif self.budget is not None and n > self.budget:
                dual.forget(n - self.budget // 2, self.instances)

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
                solver: Dual | Primal = Primal(self.l2, a, *rest)
            else:
                ids = first + a.astype(np.intp)
                solver = Dual(self.l2, self.instances.gram(ids), ids, *rest)
            self.systems.append(System(list(nodes), solver, n_stored))


def _saved(system: System) -> SavedSystem:
    arrays = [array.copy() for array in system.solver.arrays()]
    return (system.solver.kind, list(system.nodes), system.n_stored, *arrays)
