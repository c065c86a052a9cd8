"""The saved form of weights: the nonzero entries, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SparseRows = tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[Any]]


def check(n_nodes: int, dtype: str, plane: int, rows: SparseRows) -> None:
    """Raise an error unless the parts fit together; compiled code relies on it."""
    start, nodes, weights = rows
    if not 1 <= n_nodes < 2**31 or dtype not in ("float64", "float32", "float16"):
        raise ValueError(f"{n_nodes} nodes of {dtype!r}")
    saved = "float32" if plane and dtype == "float16" else dtype  # variances of 8 bits
    if [part.dtype.name for part in rows] != ["int64", "uint32", saved]:
        raise ValueError(f"arrays of {start.dtype}, {nodes.dtype} and {weights.dtype}")
    if not start.ndim == nodes.ndim == weights.ndim == 1:
        raise ValueError("arrays of several dimensions")
    if len(start) == 0 or start[0] != 0 or start[-1] != len(nodes):
        raise ValueError("the rows do not cover the entries")
    if (start[1:] < start[:-1]).any():
        raise ValueError("the rows do not follow one another")
    if len(nodes) != len(weights) or (len(nodes) and nodes.max() >= n_nodes):
        raise ValueError("an entry is outside the matrix")
    inner = np.ones(len(nodes), dtype=bool)
    inner[start[:-1][start[:-1] < len(nodes)]] = False
    if (np.diff(nodes.astype(np.int64)) <= 0)[inner[1:]].any():
        raise ValueError("a row is out of order")
