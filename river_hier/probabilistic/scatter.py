"""The scatter of a batch, added by matrix products."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

Floats = NDArray[np.float64]
Nodes = NDArray[np.intp]


def turns(y: Nodes) -> tuple[Nodes, list[tuple[int, int]]]:
    """The order: the first row of each node, then the second ones, ...; and the slices of these."""
    order = np.argsort(y, kind="stable")
    starts = np.flatnonzero(np.diff(y[order], prepend=-1))
    rank = np.arange(len(y)) - np.repeat(starts, np.diff(starts, append=len(y)))
    by_rank = np.argsort(rank, kind="stable")
    ends = [0, *(np.flatnonzero(np.diff(rank[by_rank])) + 1).tolist(), len(y)]
    return order[by_rank], list(pairwise(ends))


def add_scatter(scatter: Floats, rows: Floats) -> None:
    """Add the upper triangle of rows^T rows, in place."""
    if scatter.size:
        blas.dsyrk(1.0, rows.T, 1.0, scatter.T, lower=1, overwrite_c=1)
