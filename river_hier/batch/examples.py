"""A list of examples as the matrices that batch learners take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._backend import FeatureIndex, FeatureMap, KernelInstances, Vector
from ..base.batches import at_row
from ..kernel.functions import Function, Kernel
from ..kernel.instances import instances_of
from ..taxonomy import Taxonomy

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Examples = Iterable[tuple[Mapping[Any, Any], Any]]
Taken = TypeVar("Taken")


def read_matrix(examples: Examples, taxonomy: Taxonomy) -> tuple[FeatureMap, Any, Mask]:
    """The features, all x as the rows of a sparse matrix, and the closed masks of all y."""
    features = FeatureIndex()
    vectors, on = _read(examples, taxonomy, features.insert)
    return features, _matrix(vectors, max(len(features), 1)), on  # LIBLINEAR wants a column


def read_gram(
    examples: Examples, taxonomy: Taxonomy, kernel: Kernel | Function | None
) -> tuple[KernelInstances, Floats, Mask]:
    """All x as instances, the matrix K of each with each, and the closed masks of all y."""
    instances = instances_of(kernel)

    def take(x: Mapping[Any, Any]) -> Floats:
        row = instances.row(x)  # with those before
        instances.append(x)
        return np.append(row.values, row.norm2)

    rows, on = _read(examples, taxonomy, take)
    gram = np.empty((len(rows), len(rows)))
    for i, row in enumerate(rows):
        gram[i, : i + 1] = gram[: i + 1, i] = row
    return instances, gram, on


def _read(
    examples: Examples, taxonomy: Taxonomy, take: Callable[[Mapping[Any, Any]], Taken]
) -> tuple[list[Taken], Mask]:
    """What is taken of all x, and the closed masks of all y."""
    taken, on = [], []
    for i, example in enumerate(examples):
        with at_row(i):
            x, y = example
            on.append(taxonomy.multilabel(y))
            taken.append(take(x))
    if not taken:
        raise ValueError("`examples` is empty; there is nothing to train on")
    return taken, np.array(on)


def _matrix(vectors: list[Vector], n_columns: int) -> Any:
    """Vectors as the rows of a sparse matrix. LIBLINEAR wants its indices to have 32 bits."""
    start = list(accumulate((len(x.rows) for x in vectors), initial=0))
    rows = np.concatenate([x.rows for x in vectors]).astype(np.int32)
    values = np.concatenate([x.values for x in vectors])
    shape = (len(vectors), n_columns)
    return sparse.csr_array((values, rows, np.array(start, dtype=np.int32)), shape)
