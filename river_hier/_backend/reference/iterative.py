"""Regularised least squares in dual variables, by conjugate gradients: no matrix at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .dual import Dual
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]

_LOOSE = 1e-3  # of a residual to its right-hand side, in a step
# After 1 + n / _SOME such steps alpha is solved for tightly, so that their errors do not add up.
_SOME = 64
_TIGHT = 1e-10  # where scores are asked for


class Iterative(Dual):
    """A solve walks over the stored instances some ten times; memory is O(n)."""

    def __init__(self, dual: Dual, instances: Instances) -> None:
        """Carry on from a factor that has become too large."""
        super().__init__(dual.v.shape[1], dual.l2)
        self.n = dual.n
        self._ids, self._ones, self._v, self.w0 = dual.ids, dual.ones, dual.v, dual.w0
        self._start = np.zeros((0, self._v.shape[1]))  # where the next search for alpha starts
        self._settled = False

    def alpha(self, instances: Instances) -> Floats:
        if not self._settled:
            start = np.zeros((self.n, self._v.shape[1]))
            start[: len(self._start)] = self._start
            self._start = self._solve(instances, self.v, start, _TIGHT)
            self._settled = True
        return self._start

    def solve(self, visit: Visit) -> tuple[float, Floats]:
        """r = x^T A^-1 x and g = B^-1 S^T x."""
        k = self._dots(visit)
        start = np.zeros((self.n, 1))
        g = self._solve(visit.instances, k[:, None], start, _LOOSE)[:, 0]
        return max(0.0, (visit.x.norm2 - float(k @ g)) / self.l2), g

    def store(self, visit: Visit, v: Floats, r: float, g: Floats) -> None:
        """Take in x with its labels, after `solve`."""
        last = (v - self.scores(visit)) / (self.l2 * (1.0 + r))
        self._start = np.vstack([self._start - np.outer(g, last), last])
        self.remember(visit.number, 1.0, v - self._prior(visit.x))
        self._settled = self.n % (1 + self.n // _SOME) != 0

    def forget(self, n: int, instances: Instances, n_features: int) -> None:
        super().forget(n, instances, n_features)
        self._start = self._start[n:]

    def append(self, visit: Visit, v: Floats) -> None:
        """Take in x with its labels; the solving waits until somebody asks for scores."""
        self.remember(visit.number, 1.0, v - self._prior(visit.x))
        self._settled = False

    def add_outputs(self, n_outputs: int) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self._add_columns(n_outputs)
        self._start = np.column_stack([self._start, np.zeros((len(self._start), n_outputs))])
        self._settled = False

    def _solve(self, instances: Instances, b: Floats, a: Floats, tolerance: float) -> Floats:
        """The columns a with B a = b, from a first guess on."""
        S = self.stored(instances)

        def times_b(a: Floats) -> Floats:
            image: Floats = self.l2 * a + S @ (S.T @ a)
            return image

        residual = b - times_b(a)
        direction = residual.copy()
        rr = (residual**2).sum(axis=0)
        enough = tolerance**2 * (b**2).sum(axis=0)
        for _ in range(2 * self.n + 10):  # in exact arithmetic n steps suffice
            going = rr > enough
            if not going.any():
                break
            image = times_b(direction)
            length = np.where(going, rr / np.where(going, (direction * image).sum(axis=0), 1.0), 0)
            a = a + length * direction
            residual -= length * image
            before, rr = rr, np.where(going, (residual**2).sum(axis=0), rr)
            direction = residual + rr / np.where(going, before, 1.0) * direction
        return a
