"""Weight vectors of all nodes, with a variance for each weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .feature_map import Vector
from .rounding import NEAREST, VARIANCES, Bits, dither
from .weights import Weights

Floats = NDArray[np.float64]


class GaussianWeights(Weights):
    """Weights with a mean and a variance each, as of independent normal distributions.

    Of type float16, weights have 14 bits and variances 10. They are rounded at random (`rounding`),
    by numbers from a seed and, for each node, from how often its weights have changed.
    """

    def __init__(self, n_nodes: int, dtype: str = "float64") -> None:
        super().__init__(n_nodes, dtype)
        # Variances minus 1, so that 0 means an unseen feature.
        self.s = Weights(n_nodes, VARIANCES.name if dtype == "float16" else dtype)
        self.seed = 0
        self.draws = np.zeros(n_nodes, dtype=np.uint32)

    def add_nodes(self, n_nodes: int) -> None:
        """Make room up to `n_nodes` nodes; the new ones start at zero, with variance 1."""
        super().add_nodes(n_nodes)
        self.s.add_nodes(n_nodes)
        self.draws = np.pad(self.draws, (0, max(0, n_nodes - len(self.draws))))[:n_nodes]

    def variances(self, x: Vector, nodes: NDArray[np.intp]) -> Floats:
        """x^T S x, the variance of the score, of the given nodes."""
        values = x.values[:, None]
        # Unlike `sum`, the order of additions does not depend on the number of nodes.
        found: Floats = np.add.accumulate((1.0 + self.s.cells(x, nodes)) * values * values)[-1]
        return found

    def learn(self, x: Vector, nodes: NDArray[np.intp], steps: Floats, confidence: Floats) -> None:
        """w += step S x, up to the largest step, and S -= confidence (S x)^2, at these nodes."""
        most = self.largest_step(x.norm2)
        steps = np.clip(steps, -most, most)
        moves = (1.0 + self.s.cells(x, nodes)) * x.values[:, None]  # S x
        random = self._dither(x, nodes)
        self.add_cells(x, nodes, steps * moves, random)
        self.s.add_cells(x, nodes, -confidence * moves**2, random)

    def discount(self, x: Vector, nodes: NDArray[np.intp], forgetting: float) -> None:
        """Multiply 1 / S - 1 by `forgetting`, where x is not zero."""
        if forgetting < 1.0:
            s = self.s.cells(x, nodes)
            faded = forgetting * s / (1.0 + (1.0 - forgetting) * s)
            change = np.where(x.values[:, None] != 0.0, faded - s, 0.0)
            self.s.add_cells(x, nodes, change, self._dither(x, nodes))

    def _dither(self, x: Vector, nodes: NDArray[np.intp]) -> Bits | np.uint64:
        """Random numbers for rounding, others at each call."""
        if self.dtype != "float16":
            return NEAREST
        random = dither(self.seed, self.draws[nodes], len(x.rows))
        self.draws[nodes] += np.uint32(1)
        return random

    @property
    def n_bytes(self) -> int:
        """The memory of weights and variances, in bytes."""
        return super().n_bytes + self.s.n_bytes

    def _planes(self, n_rows: int = 0) -> list[NDArray[Any]]:
        """The matrices of the weights and of the variances minus 1, of one size."""
        n_rows = max(n_rows, len(self.matrix), len(self.s.matrix))
        return [*super()._planes(n_rows), *self.s._planes(n_rows)]
