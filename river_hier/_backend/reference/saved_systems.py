"""The saved form of least squares systems, common to both backends.

A saved system consists of the arrays that define it: `("cholesky" or "cg", nodes, n_stored, ids,
ones, v, w0)` in dual variables, where the solution is computed from the instances when it is
needed, and `("primal", nodes, n_stored, inverse, w, total)` in primal ones, where nothing else is
left of the instances.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
SavedSystem: TypeAlias = tuple[Any, ...]
Parts: TypeAlias = tuple[NDArray[Any], ...]  # where each instance starts, rows, values, norms2
NO_INSTANCES: Parts = (np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), np.zeros(0))


def nothing_stored(nodes: list[int]) -> SavedSystem:
    """An empty system."""
    none = np.zeros((0, len(nodes)))
    return ("cholesky", nodes, 0.0, np.zeros(0, np.uint32), np.zeros(0), none, none.copy())


def check(
    l2: float, memory: float, budget: int | None, parts: Any, systems: list[SavedSystem]
) -> None:
    """Raise an error if the parts do not fit together; the compiled backend relies on it."""
    _ensure("`budget`", budget is None or (_whole(budget) and budget >= 2))
    _ensure("`l2` or `memory`", 0.0 < l2 < math.inf, memory >= 0.0)
    start, rows, values, norms2 = parts
    n = len(norms2)
    kinds = [(part.dtype.name, part.shape) for part in parts]
    expected = [("uint64", (n + 1,)), ("uint32", (len(rows),)), ("float64", (len(rows),))]
    _ensure("the instances", kinds == [*expected, ("float64", (n,))])
    _ensure("the instances", start[0] == 0, (start[1:] >= start[:-1]).all(), start[-1] == len(rows))
    _ensure("the instances", _floats(values), _floats(norms2), rows.max(initial=0) < 2**31)
    for kind, nodes, n_stored, *arrays in systems:
        m, what = len(nodes), f"the {kind} system"
        _ensure("the nodes of a system", *(_whole(v) and 0 < v < 2**31 for v in nodes))
        fits = isinstance(n_stored, float) and 0.0 <= n_stored < math.inf
        _ensure("the weight of instances stored", fits)
        _ensure("the kind of a system", kind in ("cholesky", "cg", "primal"))
        if kind == "primal":
            d = len(arrays[2])
            shapes = [(d, d), (d, m), (d,)]
        else:
            ids, *arrays = arrays
            q = len(ids)
            _ensure(what, ids.dtype == np.uint32, ids.shape == (q,), q == 0 or ids.max() < n)
            shapes = [(q,), (q, m), (len(arrays[2]), m)]
        _ensure(what, [array.shape for array in arrays] == shapes, *map(_floats, arrays))


def _ensure(what: str, *facts: Any) -> None:
    if not all(facts):
        raise ValueError(f"{what} cannot be right")


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _floats(array: Any) -> bool:
    return bool(array.dtype == np.float64 and np.isfinite(array).all())
