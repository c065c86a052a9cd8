"""Weight vectors of all nodes, one row per feature."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..capacity import ensure_capacity
from ..pickles import saved
from ..sparse_rows import Rows, check
from .clocks import Clocks, rounds
from .feature_map import Vector
from .rounding import NEAREST, WEIGHTS, Bits, decode, encode
from .vectors import Vectors

# A larger squared norm might overflow a float32.
_MOST_FOR_FLOAT32 = 1e30
# The largest change of a weight vector. Within this limit, scores cannot overflow.
_LARGEST_CHANGE = {"float64": 1e140, "float32": 1e20, "float16": 1e20}


class Weights:
    """A dense matrix (features, nodes) that grows on both sides.

    Feature-major: the weights of one feature are contiguous, so scoring a sparse x reads one row
    per feature. (The native backend stores sparse rows if there are many nodes.)
    """

    seed: int  # of weights that are rounded at random
    draws: NDArray[np.uint32]

    def __init__(self, n_nodes: int, dtype: str = "float64") -> None:
        self.dtype = dtype
        stored = WEIGHTS if dtype == "float16" else dtype
        self.matrix: NDArray[Any] = np.zeros((0, n_nodes), stored)
        self.n_nodes = n_nodes
        self._lag: Weights | None = None
        self._clocks = Clocks(0)

    def record(self, lag: Weights | None, clocks: Clocks | None) -> None:
        """From now on, add every change of the weights times the round to `lag`; `None` stops."""
        self._lag, self._clocks = lag, clocks or Clocks(0)

    def add_nodes(self, n_nodes: int) -> None:
        """Make room up to `n_nodes` nodes; the new ones start at zero."""
        self.n_nodes = n_nodes
        self.matrix = ensure_capacity(self.matrix, len(self.matrix), n_nodes)

    def check_range(self, norm2: float) -> None:
        """Raise an error if this squared norm of an x is too large for the weights."""
        if norm2 > _MOST_FOR_FLOAT32 and self.dtype != "float64":
            raise ValueError(
                f"the squared norm of x is {norm2:.3g}, too large for weights of dtype "
                f'"{self.dtype}"; scale x, or take dtype="float64"'
            )

    def scores(self, x: Vector | Vectors) -> NDArray[np.float64]:
        """w . x of every node: O(features of x * nodes). For many vectors, one column each."""
        if isinstance(x, Vectors):
            return np.array([self.scores(one) for one in x]).reshape(-1, self.n_nodes).T
        self.check_range(x.norm2)
        # Rounding in BLAS depends on the shape, which must not depend on the capacity of the
        # matrix.
        scores: NDArray[np.float64] = x.values @ self.cells(x, np.arange(self.n_nodes))
        return scores

    def largest_step(self, norm2: float) -> float:
        """The largest step along an x of this squared norm, so that scores do not overflow."""
        return _LARGEST_CHANGE[self.dtype] / max(math.sqrt(norm2), 1e-150)

    def add(self, x: Vector, nodes: NDArray[np.intp], steps: NDArray[np.float64]) -> None:
        """w_v += step_v x, with steps cut off at the largest: O(features of x * nodes touched)."""
        most = self.largest_step(x.norm2)
        self.add_cells(x, nodes, x.values[:, None] * np.clip(steps, -most, most))

    def add_cells(
        self,
        x: Vector,
        nodes: NDArray[np.intp],
        cells: NDArray[np.float64],
        random: Bits | np.uint64 = NEAREST,
    ) -> None:
        """Add a cell to w_vj for each feature j of x and each of the given nodes v."""
        if len(nodes) and len(x.rows):
            before = self.cells(x, nodes)
            self.matrix = ensure_capacity(self.matrix, int(x.rows.max()) + 1, self.n_nodes)
            self.matrix[x.rows[:, None], nodes] = encode(before + cells, self.matrix.dtype, random)
            if self._lag is not None:
                changes = self.cells(x, nodes) - before
                self._lag.add_cells(x, nodes, rounds(self._clocks)[nodes] * changes)

    def clear(self, node: int) -> None:
        """Set the weights of a node to zero."""
        self.matrix[:, node] = 0.0

    def cells(self, x: Vector, nodes: NDArray[np.intp]) -> NDArray[np.float64]:
        """The weights of the given nodes for the features of x, (features of x, nodes)."""
        cells = np.zeros((len(x.rows), len(nodes)))
        known = x.rows < len(self.matrix)
        cells[known] = decode(self.matrix[x.rows[known][:, None], nodes])
        return cells

    def column(self, node: int, n_features: int) -> NDArray[np.float64]:
        """The weights of one node, one per feature."""
        column = np.zeros(n_features)
        seen = min(n_features, len(self.matrix))
        column[:seen] = decode(self.matrix[:seen, node])
        return column

    @property
    def n_bytes(self) -> int:
        """The memory of the weights, in bytes."""
        return self.matrix.nbytes

    @property
    def rows(self) -> Rows:
        """All entries that are not zero."""
        used = [plane[:, : self.n_nodes] for plane in self._planes()]
        rows, nodes = np.nonzero(np.any([plane != 0 for plane in used], axis=0))
        n = rows[-1] + 1 if len(rows) else 0
        start = np.searchsorted(rows, np.arange(n + 1)).astype(np.int64)
        return start, nodes.astype(np.uint32), *(plane[rows, nodes] for plane in used)

    @rows.setter
    def rows(self, rows: Rows) -> None:
        start, nodes, *numbers = rows
        at = np.repeat(np.arange(len(start) - 1), np.diff(start)), nodes
        for plane, entries in zip(self._planes(len(start) - 1), numbers, strict=True):
            plane[:] = 0
            plane[at] = entries

    def _planes(self, n_rows: int = 0) -> list[NDArray[Any]]:
        """The matrices of all planes, with at least so many rows."""
        self.matrix = ensure_capacity(self.matrix, n_rows, self.n_nodes)
        return [self.matrix]

    def __reduce__(self) -> tuple[Any, ...]:
        random = [(self.seed, self.draws)] if self.dtype == "float16" else []
        return saved(type(self).__name__, self.n_nodes, self.dtype, *self.rows, *random)

    @classmethod
    def restore(cls, n_nodes: int, dtype: str, *rows: Any) -> Self:
        """The weights of a pickle."""
        weights = cls(n_nodes, dtype)
        if dtype == "float16":
            (seed, draws), rows = rows[-1], rows[:-1]
            if (draws.dtype.name, draws.shape) != ("uint32", (n_nodes,)) or not 0 <= seed < 2**64:
                raise ValueError(f"random numbers of {draws.dtype}, {draws.shape}, and {seed!r}")
            weights.seed, weights.draws = seed, draws.copy()
        check(n_nodes, dtype, *rows)
        weights.rows = rows
        return weights
