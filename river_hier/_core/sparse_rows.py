"""The saved form of weights: the entries that are not zero, row by row.

It consists of where each row starts, the node of each entry, and its weight. Weights with variances
have a fourth array: variances minus 1. Of type float16, both are codes (`reference/rounding.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .reference.rounding import VARIANCES, WEIGHTS, decode, encode

Rows = tuple[NDArray[Any], ...]


def check(n_nodes: int, dtype: str, *rows: NDArray[Any]) -> None:
    """Raise an error unless the parts fit together; compiled code relies on it."""
    start, nodes, *numbers = rows
    if not 1 <= n_nodes < 2**31 or dtype not in ("float64", "float32", "float16"):
        raise ValueError(f"{n_nodes} nodes of {dtype!r}")
    compact = dtype == "float16"  # always with variances
    expected = ["int64", "uint32", *([WEIGHTS, VARIANCES] if compact else [dtype, dtype])]
    if [part.dtype for part in rows] != expected[: 4 if compact else len(rows)]:
        raise ValueError(f"arrays of {', '.join(str(part.dtype) for part in rows)}")
    if any(part.ndim != 1 for part in rows):
        raise ValueError("arrays of several dimensions")
    if len(start) == 0 or start[0] != 0 or start[-1] != len(nodes):
        raise ValueError("the rows do not cover the entries")
    if (start[1:] < start[:-1]).any():
        raise ValueError("the rows do not follow one another")
    if any(len(nodes) != len(part) for part in numbers) or (len(nodes) and nodes.max() >= n_nodes):
        raise ValueError("an entry is outside the matrix")
    if compact and ((abs(numbers[0] + 0.5) > 2**13).any() or (numbers[1] >> 10).any()):
        raise ValueError("a code is out of range")
    falls = nodes[1:] <= nodes[:-1]
    falls[start[(start > 0) & (start < len(nodes))] - 1] = False  # where another row starts
    if falls.any():
        raise ValueError("a row is out of order")


def to_scipy(rows: Rows, n_rows: int, n_nodes: int) -> sparse.csr_array:
    """A complex matrix: weights, and variances minus 1 as imaginary parts."""
    start, nodes, weights, *variances = rows
    cells = decode(weights).astype(np.complex128)
    for s in variances:
        cells.imag = decode(s)
    start = np.pad(start, (0, n_rows + 1 - len(start)), mode="edge")
    return sparse.csr_array((cells, nodes, start), shape=(n_rows, n_nodes))


def from_scipy(matrix: sparse.csr_array, dtypes: list[np.dtype[Any]]) -> Rows:
    """The rows of such a matrix, with numbers of these types."""
    matrix.sort_indices()
    matrix.eliminate_zeros()
    parts = matrix.data.real, matrix.data.imag
    numbers = [encode(part, dtype) for part, dtype in zip(parts, dtypes, strict=False)]
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), *numbers
