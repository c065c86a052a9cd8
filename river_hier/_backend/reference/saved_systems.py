"""The saved form of least squares systems, common to both backends, and operations on it.

A saved system consists of the arrays that define it: `("cholesky" or "cg", nodes, n_stored, ids,
ones, v, w0)` in dual variables, where a factor is computed from the instances when it is needed,
and `("primal", nodes, n_stored, inverse, w, total)` in primal ones, where nothing else is left of
the instances. The functions work on the state of either backend and return it to the same one.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .instances import Instances, Parts

Floats: TypeAlias = NDArray[np.float64]
SavedSystem: TypeAlias = tuple[Any, ...]

# Below this weight, or squared norm relative to l2, a discounted instance is dropped.
FAINT = 1e-3


def nothing_stored(nodes: list[int]) -> SavedSystem:
    """An empty system."""
    none = np.zeros((0, len(nodes)))
    return ("cholesky", nodes, 0, np.zeros(0, np.uint32), np.zeros(0), none, none.copy())


def check(
    l2: float, memory: float, budget: int | None, parts: Any, systems: list[SavedSystem]
) -> None:
    """Raise an error if the parts do not fit together; the compiled backend relies on it."""
    _ensure("`budget`", budget is None or (_whole(budget) and budget >= 2))
    _ensure("`l2` or `memory`", 0.0 < l2 < math.inf, memory >= 0.0)
    start, rows, values, norms2 = parts
    n = len(norms2)
    dtypes = (np.dtype("uint64"), np.dtype("uint32"), np.dtype("float64"), np.dtype("float64"))
    shapes = ((n + 1,), (len(rows),), (len(rows),), (n,))
    _ensure("the instances", tuple(part.dtype for part in parts) == dtypes)
    _ensure("the instances", tuple(part.shape for part in parts) == shapes)
    _ensure("the instances", start[0] == 0, (start[1:] >= start[:-1]).all(), start[-1] == len(rows))
    _ensure("the instances", _floats(values), _floats(norms2), rows.max(initial=0) < 2**31)
    for kind, nodes, n_stored, *arrays in systems:
        m, what = len(nodes), f"the {kind} system"
        _ensure("the nodes of a system", *(_whole(v) and 0 < v < 2**31 for v in nodes))
        _ensure("the number of instances stored", _whole(n_stored) and n_stored >= 0)
        _ensure("the kind of a system", kind in ("cholesky", "cg", "primal"))
        if kind == "primal":
            inverse, w, total = arrays
            d = len(total)
            _ensure(what, total.shape == (d,), inverse.shape == (d, d), w.shape == (d, m))
        else:
            ids, *arrays = arrays
            ones, v, w0 = arrays
            q = len(ids)
            _ensure(what, ids.dtype == np.uint32, ids.shape == (q,), q == 0 or ids.max() < n)
            _ensure(what, ones.shape == (q,), v.shape == (q, m), w0.shape == (len(w0), m))
        _ensure(what, *map(_floats, arrays))


def _ensure(what: str, *facts: Any) -> None:
    if not all(facts):
        raise ValueError(f"{what} cannot be right")


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _floats(array: Any) -> bool:
    return bool(array.dtype == np.float64 and np.isfinite(array).all())


# Discounting


def half_life(forgetting: float) -> int:
    """The examples after which a weight has fallen to one half, or just below."""
    return max(1, math.ceil(math.log(0.5) / math.log(forgetting)))


def discount(rls: Any, s: int, l2: float, rate: float) -> None:
    """Multiply the weight of everything that a system has seen by `rate`.

    In dual variables an instance of weight c is the vector sqrt(c) x with the label sqrt(c) v, so
    other systems no longer share it.
    """
    rls.change(s, lambda instances, system: _discounted(instances, system, l2, rate))


def _discounted(
    parts: Parts, system: SavedSystem, l2: float, rate: float
) -> tuple[Parts, list[SavedSystem]]:
    kind, nodes, n_stored, *arrays = system
    start, instances = (kind, nodes, int(rate * n_stored)), Instances()
    if kind == "primal":
        inverse, w, total = arrays
        inverted, U = np.linalg.eigh(inverse)
        inverted = np.maximum(inverted, 1e-16 * inverted.max(initial=0.0))  # of rounding
        m = np.maximum(1.0 / inverted - l2, 0.0)  # the eigenvalues of S S^T
        new = 1.0 / (l2 + rate * m)
        w = U @ ((rate * (l2 + m) * new)[:, None] * (U.T @ w))  # S v = A w is discounted as well
        return instances.parts(), [(*start, (U * new) @ U.T, w, rate * total)]
    ids, ones, v, w0 = arrays
    instances.extend(parts)
    kept = np.maximum(rate * ones**2, rate * instances.norms2[ids] / l2) >= FAINT
    instances.keep(ids[kept])
    instances.scale(rate)
    numbers, scale = np.arange(instances.n, dtype=np.uint32), math.sqrt(rate)
    return instances.parts(), [(*start, numbers, scale * ones[kept], scale * v[kept], w0)]
