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


class LeastSquares:
    """Systems `A_s = l2 I + S_s S_s^T`, each with an output (a weight vector) a node.

    A system starts in dual variables. Once it holds as many instances as there are features,
    the primal inverse is the smaller one, and it goes over to that: the weights are the same.
    """

    def __init__(self, n_outputs: list[int], l2: float) -> None:
        self.l2 = l2
        self.instances = Instances()
        self.systems: list[Dual | Primal] = [Dual(n, l2) for n in n_outputs]
        self.n_features = 0

    def n_stored(self, s: int) -> int:
        """Instances stored at a system."""
        return self.systems[s].n

    def visit(self, x: Vector) -> Visit:
        return Visit(x, self.instances)

    def scores(self, s: int, visit: Visit) -> Floats:
        """w . x of the system's nodes; best where `solve` follows, as both use the same dots."""
        return self.systems[s].scores(visit)

    def explicit_scores(self, s: int, x: Vector) -> Floats:
        """w . x of the system's nodes from an explicit w, rebuilt only if w has changed."""
        w = self.weights(s)
        rows, values = x.below(len(w))
        scores: Floats = values @ w[rows]
        return scores

    def weights(self, s: int) -> Floats:
        """The explicit w of a system, a matrix (features so far, nodes)."""
        return self.systems[s].weights(self.instances)

    def solve(self, s: int, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x, and what `store` needs to go on."""
        return self.systems[s].solve(visit)

    def store(self, s: int, visit: Visit, errors: Floats, r: float, u: Floats) -> None:
        """Take in x at a system: its labels are `errors` away from its scores."""
        system = self.systems[s]
        system.store(visit, errors, r, u)
        self.n_features = max(self.n_features, 1 + int(visit.x.rows.max()))
        if isinstance(system, Dual) and system.n >= self.n_features:
            self.systems[s] = Primal(system, self.instances)

    def add_system(self) -> None:
        """One more system of one node, nothing stored."""
        self.systems.append(Dual(1, self.l2))

    def add_output(self, s: int) -> None:
        """One more node at a system, off in all that is stored."""
        self.systems[s].add_output()
