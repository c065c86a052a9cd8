"""Least squares that forget: from some moment on, all that a system has seen counts less."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .least_squares import LeastSquares, discounted_inverse
from .saved_systems import SavedSystem

Parts = tuple[NDArray[Any], ...]

# An instance that counts less, and whose square to l2 does, is dropped.
FAINT = 1e-3
_NONE = (np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), np.zeros(0))


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
        return _NONE, [(*start, *discounted_inverse(inverse, w, total, l2, rate))]
    ids, ones, v, w0 = arrays
    first, rows, values, norms2 = instances
    kept = np.maximum(rate * ones**2, rate * norms2[ids] / l2) >= FAINT
    ids, ones, v = ids[kept], math.sqrt(rate) * ones[kept], math.sqrt(rate) * v[kept]
    shape = (len(norms2), 1 + int(rows.max(initial=0)))
    S = math.sqrt(rate) * sparse.csr_array((values, rows, first), shape=shape)[ids]
    norms2 = rate * norms2[ids]
    parts = (S.indptr.astype(np.uint64), S.indices.astype(np.uint32), S.data, norms2)
    n = len(ids)
    return parts, [(*start, np.arange(n, dtype=np.uint32), ones, v, w0)]
