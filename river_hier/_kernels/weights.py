"""Weight vectors of all nodes, one row a feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .features import Vector
from .growing import grown


class Weights:
    """A dense matrix (features, nodes) that grows on both sides.

    Feature-major: the nodes' weights of one feature lie together, so that scoring a sparse x
    reads one row a feature.
    """

    def __init__(self, n_nodes: int) -> None:
        self.matrix = np.zeros((0, n_nodes))
        self.n_nodes = n_nodes

    def add_nodes(self, n_nodes: int) -> None:
        """Make room up to `n_nodes` nodes; the new ones start at zero."""
        self.n_nodes = n_nodes
        self.matrix = grown(self.matrix, len(self.matrix), n_nodes)

    def scores(self, x: Vector) -> NDArray[np.float64]:
        """w . x of every node: O(features of x * nodes)."""
        rows, values = x.below(len(self.matrix))  # what no step has touched weighs nothing
        scores: NDArray[np.float64] = values @ self.matrix[rows]
        return scores[: self.n_nodes]

    def add(self, x: Vector, nodes: NDArray[np.intp], steps: NDArray[np.float64]) -> None:
        """w_v += step_v x for the given nodes: O(features of x * nodes touched)."""
        if len(nodes) and len(x.rows):
            self.matrix = grown(self.matrix, int(x.rows.max()) + 1, self.n_nodes)
            self.matrix[x.rows[:, None], nodes] += x.values[:, None] * steps

    def column(self, node: int, n_features: int) -> NDArray[np.float64]:
        """The weights of one node, one a feature."""
        column = np.zeros(n_features)
        seen = min(n_features, len(self.matrix))
        column[:seen] = self.matrix[:seen, node]
        return column

    def __getstate__(self) -> dict[str, object]:  # a pickle need not hold the room to grow
        used = len(self.matrix)
        while used and not self.matrix[used - 1].any():
            used -= 1
        return {"matrix": self.matrix[:used, : self.n_nodes].copy(), "n_nodes": self.n_nodes}
