"""Regularised least squares for many nodes over one set of stored instances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .dual import Dual
from .features import Vector
from .instances import Instances
from .primal import Primal
from .visit import Visit

Floats = NDArray[np.float64]

# A few features more are no reason to leave primal variables, or to change back and forth.
_FEW_FEATURES = 64


class LeastSquares:
    """Systems `A_s = l2 I + S_s S_s^T`, each with an output (a weight vector) a node.

    A system starts in dual variables. Once it holds as many instances as there are features, the
    primal inverse is the smaller one, and it goes over to that; if then far more features appear,
    it goes back. The weights are the same.
    """

    def __init__(self, n_outputs: list[int], l2: float) -> None:
        self.l2 = l2
        self.instances = Instances()
        self.systems: list[Dual | Primal] = [Dual(n, l2) for n in n_outputs]
        self.n_stored = [0] * len(n_outputs)  # instances that each system has taken in
        self.n_features = 0

    def visit(self, x: Vector) -> Visit:
        return Visit(x, self.instances)

    def scores(self, s: int, visit: Visit) -> Floats:
        """w . x of the system's nodes, where `solve` may follow."""
        return self.systems[s].scores(visit)

    def predict(self, s: int, visit: Visit) -> Floats:
        """w . x of the system's nodes, where nothing follows."""
        return self.systems[s].predict(visit)

    def weights(self, s: int) -> Floats:
        """The explicit w of a system, a matrix (features so far, nodes)."""
        return self.systems[s].weights(self.instances)

    def solve(self, s: int, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x, and what `store` needs to go on."""
        return self.systems[s].solve(visit)

    def store(self, s: int, visit: Visit, v: Floats, r: float, u: Floats) -> None:
        """Take in x with its labels at a system, after `solve`."""
        system = self.systems[s]
        self.n_features = max(self.n_features, 1 + int(visit.x.rows.max()))
        if isinstance(system, Primal) and self.n_features > 2 * system.d + _FEW_FEATURES:
            system = self.systems[s] = system.to_dual(self.instances)
            r, u = system.solve(self.visit(visit.x))
        system.store(visit, v, r, u)
        self.n_stored[s] += 1
        if isinstance(system, Dual) and system.n >= self.n_features:
            self.systems[s] = Primal(system, self.instances)

    def add_system(self) -> None:
        """One more system of one node, nothing stored."""
        self.systems.append(Dual(1, self.l2))
        self.n_stored.append(0)

    def add_outputs(self, s: int, n_outputs: int) -> None:
        """More nodes at a system, off in all that is stored."""
        self.systems[s].add_outputs(n_outputs)
