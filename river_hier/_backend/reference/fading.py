"""Least squares that forget: from some moment on, all that a system has seen counts less."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import change_of_variables
from .least_squares import LeastSquares
from .saved_systems import SavedSystem

Parts = tuple[NDArray[Any], ...]

# An instance that counts less, and whose square to l2 does, is dropped.
FAINT = 1e-3
_NONE = (np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), np.zeros(0))
# Of a squared norm, what a factor loses to rounding for each instance; generously.
_ROUNDING = 1e-14


def period(forgetting: float) -> int:
    """After how many examples a weight has fallen to one half, or just below."""
    return max(1, math.ceil(math.log(0.5) / math.log(forgetting)))


def fade(rls: LeastSquares, s: int, l2: float, rate: float) -> None:
    """Let all that a system has seen count `rate` times what it did, in either core.

    In dual variables an instance that counts c is the vector sqrt(c) x with the label sqrt(c) v;
    systems that shared it do so no longer. O(n^3) for n instances, or O(d^3) for d features.
    """
    rls.change(s, lambda instances, system: _faded(instances, system, l2, rate))


def _faded(
    instances: Parts, system: SavedSystem, l2: float, rate: float
) -> tuple[Parts, list[SavedSystem]]:
    kind, nodes, n_stored, *arrays = system
    start = (kind, nodes, int(rate * n_stored))
    if kind == "primal":
        inverse, w, total = arrays
        return _NONE, [(*start, *change_of_variables.faded(inverse, w, total, l2, rate))]
    ids, ones, v, w0, *_ = arrays
    first, rows, values, norms2 = instances
    kept = np.maximum(rate * ones**2, rate * norms2[ids] / l2) >= FAINT
    ids, ones, v = ids[kept], math.sqrt(rate) * ones[kept], math.sqrt(rate) * v[kept]
    shape = (len(norms2), 1 + int(rows.max(initial=0)))
    S = math.sqrt(rate) * sparse.csr_array((values, rows, first), shape=shape)[ids]
    norms2 = rate * norms2[ids]
    parts = (S.indptr.astype(np.uint64), S.indices.astype(np.uint32), S.data, norms2)
    n = len(ids)
    shared = (np.arange(n, dtype=np.uint32), ones, v, w0)
    if kind == "iterative":
        return parts, [(*start, *shared)]
    B = (S @ S.T).toarray() + np.diag(np.maximum(l2, _ROUNDING * n * norms2))
    L = np.linalg.cholesky(B)
    return parts, [(*start, *shared, L[np.tril_indices(n)])]
