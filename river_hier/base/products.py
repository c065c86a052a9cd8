"""The scores of a dense batch by matrix products, where these are faster than one row at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core import Batch, Vectors
from .._core.features import SMALLEST_NORM2
from .explanation import Floats

FEW = 16  # rows: for fewer, copying the weights takes longer
SMALL = 2**20  # multiplications: for fewer, either method is fast enough
SPARSE = 4  # a dense copy this many times as large as the weights is mostly zeros
BLOCK = 2**19  # number of scores that are computed at once
MOST_FOR_FLOAT32 = 1e30  # squared norms above it are errors


def pays(model: Any, X: Batch) -> bool:
    """Whether the scores of a batch should be computed by matrix products.

    A product sums in another order, so its scores differ from those of single rows by rounding
    errors. Small batches, which would not be faster, keep the order of single rows.
    """
    cells = len(X.names) * len(model._taxonomy)
    size = np.dtype(model.dtype).itemsize
    return (
        X.columns is None
        and X.n >= FEW
        and X.n * cells >= SMALL
        and cells * size <= SPARSE * model._state.n_bytes
        and X.most_norm2 <= (math.inf if model.dtype == "float64" else MOST_FOR_FLOAT32)
    )


def score_blocks(model: Any, X: Batch, rows: int | None = None) -> Iterator[Floats]:
    """The scores of all nodes, (nodes, rows), in blocks of this many rows."""
    state, columns = model._state, Vectors(model._features, X)
    weights = state.column_weights(columns)
    if model._averaged:
        updates = state.column_weights(columns, True)
        updates /= state.rounds.astype(updates.dtype)
        weights -= updates
    constant = state.scores({}, model._averaged)  # the intercepts
    rows = rows or max(FEW, BLOCK // len(model._taxonomy))
    for first in range(0, X.n, rows):
        x = X.values[first : first + rows].astype(weights.dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = (weights.T @ x.T).astype(np.float64, copy=False)
        tiny = np.einsum("ij,ij->i", x, x) < SMALLEST_NORM2
        if tiny.any():
            scores[:, tiny] = 0.0
        scores += constant[:, None]
        yield scores


def scores_by_product(model: Any, X: Batch) -> Floats:
    """The scores of all nodes, (nodes, rows)."""
    return next(score_blocks(model, X, X.n))
