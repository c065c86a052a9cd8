"""A list of examples as the matrices that batch learners take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._kernels import Features, Vector
from ..base.batches import at_row
from ..taxonomy import Taxonomy

Mask = NDArray[np.bool_]
Examples = Iterable[tuple[Mapping[Any, Any], Any]]


def read_examples(examples: Examples, taxonomy: Taxonomy) -> tuple[Features, list[Vector], Mask]:
    """The features, all x as vectors, and the closed masks of all y."""
    features, vectors, on = Features(), [], []
    for i, example in enumerate(examples):
        with at_row(i):
            x, y = example
            on.append(taxonomy.multilabel(y))
            vectors.append(features.insert(x))
    if not vectors:
        raise ValueError("`examples` is empty; there is nothing to train on")
    return features, vectors, np.array(on)


def matrix(vectors: list[Vector], n_columns: int) -> Any:
    """Vectors as the rows of a sparse matrix. LIBLINEAR wants its indices to have 32 bits."""
    start = list(accumulate((len(x.rows) for x in vectors), initial=0))
    rows = np.concatenate([x.rows for x in vectors]).astype(np.int32)
    values = np.concatenate([x.values for x in vectors])
    shape = (len(vectors), n_columns)
    return sparse.csr_array((values, rows, np.array(start, dtype=np.int32)), shape)
