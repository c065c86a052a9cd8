"""Orthonormal vectors, turned at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rotation(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Orthonormal rows, uniformly distributed (QR of Gaussian numbers, signs made unique)."""
    Q, R = np.linalg.qr(rng.standard_normal((n, n)))
    rows: NDArray[np.float64] = Q * np.sign(np.diag(R))
    return rows
