"""Least-squares systems on their way into and out of a pickle."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cholesky import GrowingCholesky

# ("direct", nodes, n_stored, ids, ones, v, w0, the factor's rows), ("iterative", ... without a
# factor) or ("primal", nodes, n_stored, inverse, w, total).
SavedSystem = tuple[Any, ...]
Floats = NDArray[np.float64]


def nothing_stored(nodes: list[int]) -> SavedSystem:
    """A system at its beginning."""
    none, numbers = np.zeros((0, len(nodes))), np.zeros(0)
    return ("direct", nodes, 0, np.zeros(0, np.uint32), numbers, none, none.copy(), numbers.copy())


def packed(factor: GrowingCholesky) -> Floats:
    """The rows of a factor, one after the other."""
    rows = [np.append(*row) for row in factor.rows()]
    return np.concatenate(rows) if rows else np.zeros(0)


def unpacked(numbers: Floats, n: int) -> Iterator[tuple[Floats, float]]:
    """The rows (l, s) of a factor again."""
    start = 0
    for i in range(n):
        yield numbers[start : start + i], float(numbers[start + i])
        start += i + 1


def check(
    l2: float, memory: float, budget: int | None, parts: Any, systems: list[SavedSystem]
) -> None:
    """The parts must fit together; compiled code relies on it."""
    _ensure(budget is None or (_whole(budget) and budget >= 2), "`budget`")
    _ensure(0.0 < l2 < math.inf and memory >= 0.0, "`l2` or `memory`")
    start, rows, values, norms2 = parts
    kinds = (start.dtype, rows.dtype, values.dtype, norms2.dtype)
    _ensure(kinds == (np.uint64, np.uint32, np.float64, np.float64), "the instances")
    _ensure(all(part.ndim == 1 for part in parts) and len(start) > 0, "the instances")
    _ensure(start[0] == 0 and (start[1:] >= start[:-1]).all(), "the instances")
    n = len(start) - 1
    _ensure(start[-1] == len(rows) == len(values) and len(norms2) == n, "the instances")
    _ensure(_floats(values) and _floats(norms2), "the instances")
    _ensure(len(rows) == 0 or rows.max() < 2**31, "the instances")
    for kind, nodes, n_stored, *arrays in systems:
        m = len(nodes)
        _ensure(all(_whole(v) and 0 < v < 2**31 for v in nodes), "the nodes of a system")
        _ensure(_whole(n_stored) and n_stored >= 0, "the number of instances stored")
        what = f"the {kind} system"
        if kind == "primal":
            inverse, w, total = arrays
            d = len(total)
            _ensure(total.shape == (d,) and inverse.shape == (d, d) and w.shape == (d, m), what)
            _ensure(all(map(_floats, arrays)), what)
            continue
        _ensure(kind in ("direct", "iterative"), "the kind of a system")
        ids, ones, v, w0, *rest = arrays
        q = len(ids)
        _ensure(ids.dtype == np.uint32 and (q == 0 or ids.max() < n), what)
        _ensure(ids.shape == ones.shape == (q,) and v.shape == (q, m) and w0.ndim == 2, what)
        _ensure(w0.shape[1] == m and _floats(ones) and _floats(v) and _floats(w0), what)
        _ensure(len(rest) == (kind == "direct"), what)
        if rest:
            factor = rest[0]
            _ensure(_floats(factor) and factor.shape == (q * (q + 1) // 2,), "a factor")
            diagonal = factor[np.cumsum(np.arange(1, q + 1)) - 1]
            _ensure((diagonal > 0.0).all(), "a factor")


def _ensure(fine: Any, what: str) -> None:
    if not fine:
        raise ValueError(f"{what} cannot be right")


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _floats(array: Any) -> bool:
    return bool(array.dtype == np.float64 and np.isfinite(array).all())
