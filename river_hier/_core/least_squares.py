"""The saved state of `LeastSquares`, as plain arrays.

The instances are the rows of a sparse matrix: where each starts, its features, their values, and
its squared norm. A system is `("dual", nodes, n_stored, n_visits, ids, ones, y, c, w0, factor)` or
`("primal", nodes, n_stored, n_visits, inverse, w, total)`; `algorithms/dual.hpp` and `primal.hpp`
say what these are. y, c, w0 and w have a column for each node. With a kernel, the caller holds the
instances, and the rows of the Cholesky factor are saved too, as only the caller could compute them.
"""

import math
from typing import Any, TypeAlias

import numpy as np

SavedSystem: TypeAlias = tuple[Any, ...]


def nothing_stored(nodes: list[int]) -> SavedSystem:
    """An empty system."""
    none, numbers = np.zeros((0, len(nodes))), np.zeros(0)
    return ("dual", nodes, 0.0, 0, np.zeros(0, np.uint32), numbers, none, none, none, numbers)


def check(
    l2: float,
    budget: int | None,
    rate: float,
    period: int,
    kernel: bool,
    parts: Any,
    systems: list[SavedSystem],
) -> None:
    """Raise an error if the parts do not fit together; the compiled code relies on it."""
    _ensure("`budget`", budget is None or (_whole(budget) and budget >= 2))
    _ensure("`l2`", 0.0 < l2 < math.inf)
    _ensure("the forgetting", 0.0 < rate <= 1.0, _whole(period) and period >= 0)
    check_instances(*parts)
    n = len(parts[3])
    for kind, nodes, n_stored, n_visits, *arrays in systems:
        m, what = len(nodes), f"the {kind} system"
        _ensure("the nodes of a system", *(_whole(v) and 0 < v < 2**31 for v in nodes))
        fits = isinstance(n_stored, float) and 0.0 <= n_stored < math.inf
        _ensure("the weight of instances stored", fits, _whole(n_visits) and n_visits >= 0)
        _ensure("the kind of a system", kind == "dual" or (kind == "primal" and not kernel))
        if kind == "primal":
            d = len(arrays[2])
            shapes = [(d, d), (d, m), (d,)]
        else:
            ids, *arrays = arrays
            q = len(ids)
            _ensure(what, ids.dtype == np.uint32, ids.shape == (q,))
            _ensure(what, kernel or ids.max(initial=0) < max(n, 1), kernel or len(arrays[4]) == 0)
            n_factor = q * (q + 1) // 2 if kernel else 0
            shapes = [(q,), (q, m), (q, m), (len(arrays[3]), m), (n_factor,)]
        _ensure(what, [array.shape for array in arrays] == shapes, *map(_floats, arrays))


def check_instances(start: Any, rows: Any, values: Any, norms2: Any) -> None:
    """Raise an error if these are no rows of a sparse matrix."""
    n = len(norms2)
    kinds = [(part.dtype.name, part.shape) for part in (start, rows, values, norms2)]
    expected = [("uint64", (n + 1,)), ("uint32", (len(rows),)), ("float64", (len(rows),))]
    _ensure("the instances", kinds == [*expected, ("float64", (n,))])
    _ensure("the instances", start[0] == 0, (start[1:] >= start[:-1]).all(), start[-1] == len(rows))
    _ensure("the instances", _floats(values), _floats(norms2), rows.max(initial=0) < 2**31)
    ends = np.isin(np.arange(1, len(rows)), start)
    _ensure("the instances", (ends | (rows[1:] > rows[:-1])).all())


def _ensure(what: str, *facts: Any) -> None:
    if not all(facts):
        raise ValueError(f"{what} cannot be right")


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _floats(array: Any) -> bool:
    return bool(array.dtype == np.float64 and np.isfinite(array).all())
