"""A list of examples as matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import FeatureIndex, Vector
from ..base.dataframes import at_row
from ..kernel.functions import Function, Kernel
from ..kernel.instances import KernelInstances, instances_of
from ..taxonomy import Taxonomy

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
Examples = Iterable[tuple[Mapping[Any, Any], Any]]
Row = TypeVar("Row")


def read_matrix(examples: Examples, taxonomy: Taxonomy) -> tuple[FeatureIndex, Any, Mask]:
    """The feature index, the examples as rows of a sparse matrix, and their closed label masks."""
    features = FeatureIndex()
    vectors, on = _read(examples, taxonomy, features.insert)
    return features, _matrix(vectors, max(len(features), 1)), on  # LIBLINEAR needs a column


def read_gram(
    examples: Examples, taxonomy: Taxonomy, kernel: Kernel | Function | None
) -> tuple[KernelInstances, Floats, Mask]:
    """The examples as instances, their kernel matrix, and their closed label masks."""
    instances = instances_of(kernel)

    def kernel_row(x: Mapping[Any, Any]) -> Floats:
        row = instances.row(x)  # with all instances before it
        instances.append(x)
        return np.append(row.values, row.norm2)

    rows, on = _read(examples, taxonomy, kernel_row)
    gram = np.empty((len(rows), len(rows)))
    for i, row in enumerate(rows):
        gram[i, : i + 1] = gram[: i + 1, i] = row
    return instances, gram, on


def _read(
    examples: Examples, taxonomy: Taxonomy, read_x: Callable[[Mapping[Any, Any]], Row]
) -> tuple[list[Row], Mask]:
    """`read_x(x)` of each example, and the closed label masks."""
    rows, on = [], []
    for i, example in enumerate(examples):
        with at_row(i):
            x, y = example
            on.append(taxonomy._closure_mask(y))
            rows.append(read_x(x))
    if not rows:
        raise ValueError("`examples` is empty; there is nothing to train on")
    return rows, np.array(on)


def _matrix(vectors: list[Vector], n_columns: int) -> Any:
    """Vectors as the rows of a sparse matrix, with the 32-bit indices that LIBLINEAR needs."""
    start = list(accumulate((len(x.rows) for x in vectors), initial=0))
    rows = np.concatenate([x.rows for x in vectors]).astype(np.int32)
    values = np.concatenate([x.values for x in vectors])
    shape = (len(vectors), n_columns)
    return sparse.csr_array((values, rows, np.array(start, dtype=np.int32)), shape)
