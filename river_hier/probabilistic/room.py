"""Arrays with spare rows, so that appending rows costs O(new rows) on average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def extended(rows: Floats, n: int) -> Floats:
    """The same rows and zeros, n in all, with spare rows in the memory behind them.

    Of arrays that share memory only one may be extended.
    """
    whole = rows.base
    if not isinstance(whole, np.ndarray) or len(whole) < n or whole.shape[1:] != rows.shape[1:]:
        whole = np.zeros((max(n, len(rows) * 5 // 4), *rows.shape[1:]))
        whole[: len(rows)] = rows
    found: Floats = whole[:n]
    return found
