"""Least-squares systems on their way into and out of a pickle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A system by what defines it: ("cholesky" or "cg", nodes, n_stored, ids, ones, v, w0), where a
# factor is computed when it is needed, or ("primal", nodes, n_stored, inverse, w, total), where the
# instances are gone, all but their sums.
SavedSystem = tuple[Any, ...]
Floats = NDArray[np.float64]


def nothing_stored(nodes: list[int]) -> SavedSystem:
    """A system at its beginning."""
    none, numbers = np.zeros((0, len(nodes))), np.zeros(0)
    return ("cholesky", nodes, 0, np.zeros(0, np.uint32), numbers, none, none.copy())


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
        _ensure(kind in ("cholesky", "cg"), "the kind of a system")
        ids, ones, v, w0 = arrays
        q = len(ids)
        _ensure(ids.dtype == np.uint32 and (q == 0 or ids.max() < n), what)
        _ensure(ids.shape == ones.shape == (q,) and v.shape == (q, m) and w0.ndim == 2, what)
        _ensure(w0.shape[1] == m and _floats(ones) and _floats(v) and _floats(w0), what)


def _ensure(fine: Any, what: str) -> None:
    if not fine:
        raise ValueError(f"{what} cannot be right")


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _floats(array: Any) -> bool:
    return bool(array.dtype == np.float64 and np.isfinite(array).all())
