"""From dual variables to primal ones and back, the same w on either side.

Both ways go through eigenvalues, which is safe however badly the matrices are conditioned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDING = 1e-16  # what is left of an eigenvalue that is lost beside the largest


def inverse(S: Floats, l2: float) -> Floats:
    """(l2 I + S S^T)^-1; the rows given are the instances, the columns of S."""
    eigenvalues, U = np.linalg.eigh(S.T @ S)
    inverse: Floats = (U / (l2 + np.maximum(eigenvalues, 0.0))) @ U.T
    return inverse


def faded(
    inverse: Floats, w: Floats, total: Floats, l2: float, rate: float
) -> tuple[Floats, Floats, Floats]:
    """The same three when all that they have seen counts `rate` times what it did."""
    inverted, U = np.linalg.eigh(inverse)
    inverted = np.maximum(inverted, _ROUNDING * inverted.max())
    m = np.maximum(1.0 / inverted - l2, 0.0)
    new = 1.0 / (l2 + rate * m)
    kept = rate * (l2 + m) * new  # S v = A w fades, too
    return (U * new) @ U.T, U @ (kept[:, None] * (U.T @ w)), rate * total


def instances(
    inverse: Floats, w: Floats, total: Floats, l2: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """At most d instances, as rows, that stand for all those that the inverse has seen.

    With the eigenvectors e_j of S S^T, of eigenvalues m_j > 0, the instances sqrt(m_j) e_j have
    the same S S^T, and with alpha_j = w . e_j / sqrt(m_j) the same w. They are orthogonal, so
    their factor is diagonal. Returned are the instances, that diagonal, the labels (instances,
    outputs) that give this w, and those labels that stand for a 1 on all that was seen.
    """
    inverted, U = np.linalg.eigh(inverse)
    m = 1.0 / inverted - l2
    kept = m > l2 * 1e-12
    size, U = np.sqrt(m[kept]), U[:, kept]
    squared = size**2 + l2
    v = (squared / size)[:, None] * (U.T @ w)
    return (size * U).T, np.sqrt(squared), v, (U.T @ total) / size
