"""Systems of least squares, one for the nodes that share their instances."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .direct import Direct
from .iterative import Iterative
from .primal import Primal
from .visit import Visit

Floats = NDArray[np.float64]


@dataclass
class System:
    """The nodes that share their instances, and how they are solved."""

    nodes: list[int]
    solver: Direct | Iterative | Primal
    n_stored: int = 0
    n_features: int = 0  # up to the last one that it has met


class Systems(abc.ABC):
    """What the steps of H-RLS and SH-RLS ask for."""

    def __init__(self, l2: float, budget: int | None) -> None:
        self.l2 = l2
        self.budget = budget
        self.systems: list[System] = []

    def add_system(self, nodes: Iterable[int]) -> None:
        """One more system, nothing stored."""
        nodes = list(nodes)
        self.systems.append(System(nodes, self._empty(len(nodes))))

    def add_outputs(self, s: int, nodes: Iterable[int]) -> None:
        """More nodes at a system, off in all that is stored."""
        nodes = list(nodes)
        if nodes:
            self.systems[s].nodes += nodes
            self.systems[s].solver.add_outputs(len(nodes))

    @property
    def n_stored(self) -> list[int]:
        """Instances that each system has taken in."""
        return [system.n_stored for system in self.systems]

    def visit_scores(self, visit: Visit, n_nodes: int) -> Floats:
        """w . x / (1 + r) of every node, Eq. (1): w counts x among its instances."""
        scores = np.zeros(n_nodes)
        for system in self.systems:
            r, _ = system.solver.solve(visit)
            scores[system.nodes] = system.solver.scores(visit) / (1.0 + r)
        return scores

    @abc.abstractmethod
    def _empty(self, n_outputs: int) -> Direct:
        """A solver in which nothing is stored."""

    @abc.abstractmethod
    def store(self, system: System, visit: Visit, v: Floats, r: float, u: Floats) -> None:
        """Take in x with its labels, after `solve`."""

    @abc.abstractmethod
    def append(self, system: System, visit: Visit, v: Floats) -> None:
        """Take in x with its labels, without a `solve`."""

    @abc.abstractmethod
    def tidy(self) -> None:
        """Drop the instances that nobody needs any more; between two examples."""
