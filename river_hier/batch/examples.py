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


def read_examples(
    examples: Iterable[tuple[Mapping[Any, Any], Any]], taxonomy: Taxonomy
) -> tuple[Features, Any, Mask]:
    """The features, the rows of all x as a sparse matrix, and the closed masks of all y."""
    features, vectors, on = Features(), [], []
    for i, example in enumerate(examples):
        with at_row(i):
            x, y = example
            on.append(taxonomy.multilabel(y))
            vectors.append(features.insert(x))
    if not vectors:
        raise ValueError("`examples` is empty; there is nothing to train on")
    return features, matrix(vectors, len(features)), np.array(on)


def matrix(vectors: list[Vector], n_features: int) -> Any:
    """Vectors as the rows of a sparse matrix, which has a column even if there are no features."""
    start = list(accumulate((len(x.rows) for x in vectors), initial=0))
    rows = np.concatenate([x.rows for x in vectors])
    values = np.concatenate([x.values for x in vectors])
    return sparse.csr_matrix((values, rows, start), shape=(len(vectors), max(n_features, 1)))
