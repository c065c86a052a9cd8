"""Weight vectors of all nodes, each weight with a variance."""

from __future__ import annotations

from typing import Any

from .pickles import saved
from .weights import Weights


class GaussianWeights(Weights):
    """Weights that are uncertain: means and variances of as many normal distributions.

    (The compiled twin keeps both in one row a feature.)
    """

    def __init__(self, n_nodes: int, dtype: str = "float64") -> None:
        super().__init__(n_nodes, dtype)
        self.s = Weights(n_nodes, dtype)  # variances less 1: of a feature never met it is 1

    def add_nodes(self, n_nodes: int) -> None:
        """Make room up to `n_nodes` nodes; the new ones start at zero, with variance 1."""
        super().add_nodes(n_nodes)
        self.s.add_nodes(n_nodes)

    @property
    def n_bytes(self) -> int:
        """The memory that weights and variances take."""
        return super().n_bytes + self.s.n_bytes

    def __reduce__(self) -> tuple[Any, ...]:
        planes = (self.rows(), self.s.rows())
        return saved("GaussianWeights", self.n_nodes, self.matrix.dtype.name, *planes)

    @classmethod
    def restore(cls, n_nodes: int, dtype: str, *planes: Any) -> GaussianWeights:
        """The weights of a pickle."""
        weights = cls(n_nodes, dtype)
        weights.matrix, weights.s.matrix = (
            Weights.restore(n_nodes, dtype, rows).matrix for rows in planes
        )
        return weights
