"""Weight vectors of all nodes in the span of the training instances, w_v = sum_i b_iv x_i.

A `LinearExpansion` stores the weights, a `KernelExpansion` the coefficients. Both read the examples
and hold the closed mask of the labels of each, `on`. Scorers, which are trained, score an x.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import FeatureIndex
from ..base.dataframes import at_row
from ..kernel.functions import Function, Kernel
from ..kernel.instances import KernelInstances, instances_of
from ..taxonomy import Taxonomy, closure_mask

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
Examples = Iterable[tuple[Mapping[Any, Any], Any]]
Row = TypeVar("Row")


def _read(
    examples: Examples, taxonomy: Taxonomy, read_x: Callable[[Mapping[Any, Any]], Row]
) -> tuple[list[Row], Mask]:
    """`read_x(x)` of each example, and the closed label masks."""
    rows, on = [], []
    for i, example in enumerate(examples):
        with at_row(i):
            x, y = example
            on.append(closure_mask(taxonomy, y))
            rows.append(read_x(x))
    if not rows:
        raise ValueError("`examples` is empty; there is nothing to train on")
    return rows, np.array(on)


class LinearScorers(NamedTuple):
    """Weights, (features, nodes): O(features of x * nodes) for all scores."""

    features: FeatureIndex
    w: Floats

    def scores(self, x: Mapping[Any, Any]) -> Floats:
        entries = self.features.find(x)
        return entries.values @ self.w[entries.rows]


class KernelScorers(NamedTuple):
    """Dual coefficients, (instances, nodes): one row of the kernel for all scores."""

    instances: KernelInstances
    b: Floats

    def scores(self, x: Mapping[Any, Any]) -> Floats:
        return self.instances.row(x).values @ self.b


Scorers = LinearScorers | KernelScorers


class LinearExpansion:
    """Weights of features: O(features of x_i * nodes) to score or to update."""

    def __init__(self, examples: Examples, taxonomy: Taxonomy) -> None:
        self.features: FeatureIndex = FeatureIndex()
        self.on: Mask
        xs, self.on = _read(examples, taxonomy, self.features.insert)
        # LIBLINEAR needs a column, and indices of 32 bits.
        start = np.array(list(accumulate((len(x.rows) for x in xs), initial=0)), dtype=np.int32)
        columns = np.concatenate([x.rows for x in xs]).astype(np.int32)
        values = np.concatenate([x.values for x in xs])
        shape = len(xs), max(len(self.features), 1)
        X: Any = sparse.csr_array((values, columns, start), shape)
        self.X = X  # sparse rows (instances, features)
        self.w: Floats = np.zeros((shape[1], len(taxonomy)))
        self.norms2: Floats = np.asarray(X.multiply(X).sum(axis=1)).ravel()

    def scores(self, i: int) -> Floats:
        """<w_v, x_i> of every node."""
        rows, values = self._row(i)
        return values @ self.w[rows]

    def all_scores(self) -> Floats:
        """<w_v, x_i>, (instances, nodes)."""
        return self.X @ self.w

    def add(self, i: int, nodes: Ints, steps: Floats) -> None:
        """w_v += step_v x_i for the given nodes."""
        rows, values = self._row(i)
        self.w[rows[:, None], nodes] += values[:, None] * steps

    def column(self, i: int) -> Floats:
        """<x_j, x_i> of every instance j."""
        x = np.zeros(self.X.shape[1])
        rows, values = self._row(i)
        x[rows] = values
        return self.X @ x

    def norm2(self) -> float:
        """sum_v ||w_v||^2."""
        return float(np.einsum("jv,jv->", self.w, self.w))

    def scorers(self) -> LinearScorers:
        """The trained model, which scores new instances."""
        return LinearScorers(self.features, self.w)

    def _row(self, i: int) -> tuple[Any, Floats]:
        row = slice(self.X.indptr[i], self.X.indptr[i + 1])
        return self.X.indices[row], self.X.data[row]


class KernelExpansion:
    """Coefficients of instances, and the current scores: O(instances * nodes changed) to update."""

    def __init__(
        self, examples: Examples, taxonomy: Taxonomy, kernel: Kernel | Function | None
    ) -> None:
        self.instances: KernelInstances = instances_of(kernel)
        self.on: Mask

        def kernel_row(x: Mapping[Any, Any]) -> Floats:
            row = self.instances.row(x)  # with all instances before it
            self.instances.append(x)
            return np.append(row.values, row.norm2)

        rows, self.on = _read(examples, taxonomy, kernel_row)
        self.gram: Floats = np.empty((len(rows), len(rows)))
        for i, row in enumerate(rows):
            self.gram[i, : i + 1] = self.gram[: i + 1, i] = row
        self.b: Floats = np.zeros((len(rows), len(taxonomy)))
        self._scores = np.zeros((len(rows), len(taxonomy)))
        self.norms2: Floats = self.gram.diagonal()

    def scores(self, i: int) -> Floats:
        return self._scores[i]

    def all_scores(self) -> Floats:
        return self._scores

    def add(self, i: int, nodes: Ints, steps: Floats) -> None:
        self.b[i, nodes] += steps
        self._scores[:, nodes] += self.column(i)[:, None] * steps

    def column(self, i: int) -> Floats:
        """K(x_j, x_i) of every instance j."""
        return self.gram[:, i]

    def norm2(self) -> float:
        return float(np.einsum("iv,iv->", self.b, self._scores))

    def scorers(self) -> KernelScorers:
        support = np.flatnonzero(self.b.any(axis=1))
        self.instances.keep(support)
        return KernelScorers(self.instances, self.b[support])


Expansion = LinearExpansion | KernelExpansion
