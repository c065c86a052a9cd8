"""Regularised least squares with a kernel: the factors of dual variables, and what they forget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cholesky import GrowingCholesky
from .direct import Direct
from .feature_map import Vector
from .forgetting import four_fifths, stand_ins
from .instances import Instances
from .kernel_instances import KernelInstances
from .systems import System, Systems
from .visit import Visit

Floats = NDArray[np.float64]

# With fewer instances it is not worth while to look for those that nobody needs.
_FEW_INSTANCES = 64


class KernelVisit(Visit):
    """An example in the coordinates of the stored instances: there w0 is a sum over them, too."""

    def __init__(self, x: Mapping[Any, Any], stored: KernelInstances) -> None:
        super().__init__(stored.row(x), Instances())  # a factor asks for no sparse instances
        self._example = x
        self._stored = stored
        self._before = stored.n

    @property
    def dots(self) -> Floats:
        return self.x.values

    @property
    def number(self) -> int:
        if self._stored.n == self._before:
            self._stored.append(self._example)
        return self._before


class KernelDirect(Direct):
    """A factor of `l2 I + K`. w0 are coefficients of its first instances, those that were kept."""

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_alpha": None}  # a prediction may have worked it out

    def signs(self, visit: Visit) -> Floats:
        """w . x of every output; there is no explicit w."""
        return self.scores(visit)

    def coefficients(self, output: int, n_instances: int) -> Floats:
        """Of every stored instance the coefficient in w, w0 included."""
        found = np.zeros(n_instances)
        found[self.ids] = self.factor.backward(self.z[: self.n])[:, output]
        found[self.ids[: len(self.w0)]] += self.w0[:, output]
        return found

    def absorb(self, n: int, K: Floats) -> None:
        """Keep n instances or fewer; K is the kernel among all. w stays as near as can be."""
        c0 = np.zeros_like(self.v)
        c0[: len(self.w0)] = self.w0
        labels = self.v + K @ c0
        c = c0 + self.factor.backward(self.z[: self.n])  # w = S c
        parts = (c * np.sqrt(K.diagonal())[:, None]) ** 2
        kept, P = stand_ins(K, parts.sum(axis=1), n)
        # What the others contributed goes to w0, as far as those that are kept can stand in.
        c0 = c0[kept] + P @ np.delete(c, kept, axis=0)
        K = K[np.ix_(kept, kept)]
        self._ids, self._ones, self._v = self.ids[kept], self.ones[kept], labels[kept] - K @ c0
        self.n = len(kept)
        self.w0 = c0
        self.factor = GrowingCholesky()
        for i, k in enumerate(K):  # a row after the other: what rounding leaves is safe so
            l = self.factor.forward(k[:i])  # noqa: E741
            r = max(0.0, (k[i] - float(l @ l)) / self.l2)
            self.append_row(l, self.diagonal(r, float(k[i])))

    def _prior(self, x: Vector) -> Floats:
        """w0 . phi(x): O(instances of this system), not of all."""
        prior: Floats = x.values[self.ids[: len(self.w0)]] @ self.w0
        return prior


class KernelSystems(Systems):
    """Systems `l2 I + K_s` over shared instances.

    With more than `budget` instances a system forgets those that it can best do without. Their part
    of w is projected onto the others, and w is from then on regularised towards that.
    """

    def __init__(self, l2: float, budget: int | None, stored: KernelInstances) -> None:
        super().__init__(l2, budget)
        self.stored = stored
        self._many = _FEW_INSTANCES

    def visit(self, x: Mapping[Any, Any]) -> KernelVisit:
        return KernelVisit(x, self.stored)

    def coefficients(self, v: int) -> Floats:
        """Of every stored instance the coefficient in the weight vector of a node: O(Q^2)."""
        system = next(system for system in self.systems if v in system.nodes)
        assert isinstance(system.solver, KernelDirect)
        return system.solver.coefficients(system.nodes.index(v), self.stored.n)

    def store(self, system: System, visit: Visit, v: Floats, r: float, u: Floats) -> None:
        system.solver.store(visit, v, r, u)
        system.n_stored += 1
        solver = system.solver
        assert isinstance(solver, KernelDirect)
        if self.budget is not None and solver.n > self.budget:
            solver.absorb(four_fifths(self.budget), self.stored.gram(solver.ids))

    def append(self, system: System, visit: Visit, v: Floats) -> None:
        self.store(system, visit, v, *system.solver.solve(visit))

    def tidy(self) -> None:
        if self.budget is None or self.stored.n < self._many:
            return
        needed = np.zeros(self.stored.n, dtype=bool)
        duals = [s.solver for s in self.systems if isinstance(s.solver, KernelDirect)]
        for dual in duals:
            needed[dual.ids] = True
        kept = np.flatnonzero(needed)
        self.stored.keep(kept)
        for dual in duals:
            dual.renumber(np.cumsum(needed) - 1)
        self._many = max(_FEW_INSTANCES, 2 * len(kept))

    def _empty(self, n_outputs: int) -> KernelDirect:
        return KernelDirect(n_outputs, self.l2)
