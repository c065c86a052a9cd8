"""Systems of regularised least squares, in dual and in primal variables.

Nodes that store the same instances S, with labels y, share a system; they are its outputs. With
`A = l2 I + S S^T` their weights are `w = A^-1 S y`; further, `r = x^T A^-1 x`.

A pickle has the arrays that define a system, the same in both backends: `("cholesky" or "cg",
nodes, n_stored, ids, ones, v, w0)` in dual variables, where the solution is computed from the
instances when it is needed, and `("primal", nodes, n_stored, inverse, w, total)` in primal ones,
where nothing else is left of the instances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .feature_map import Vector

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
SavedSystem: TypeAlias = tuple[Any, ...]
Parts: TypeAlias = tuple[NDArray[Any], ...]  # where each instance starts, rows, values, norms2

NO_INSTANCES: Parts = (np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), np.zeros(0))

# The rounding error of a solution per instance, relative to a squared norm.
_ROUNDING = 1e-14


@dataclass
class Dual:
    """`w = w0 + S alpha`, where `(l2 I + S^T S) alpha = v = y - S^T w0`.

    This minimises `l2 |w - w0|^2 + |y - S^T w|^2`; w0 is 0 until a budget drops instances.
    """

    l2: float
    nodes: list[int]
    n_stored: float  # the weight of all instances, including dropped ones
    ids: Ints  # the numbers of the instances; those of other systems have the same
    ones: Floats  # a label of 1: the root of the weight of each instance
    v: Floats  # (instances, outputs)
    w0: Floats  # (features, outputs)
    S: Any  # a sparse matrix (instances, features): S^T

    @property
    def d(self) -> int:
        """The number of features met."""
        return max(len(self.w0), int(self.S.shape[1]))

    @property
    def w(self) -> Floats:
        return resized(self.w0, self.d) + resized(self.S.T @ self.solve(self.v), self.d)

    def solve(self, b: Floats) -> Floats:
        """(l2 I + S^T S)^-1 b. If l2 is lost in rounding, the rounding error replaces it."""
        K = (self.S @ self.S.T).toarray()
        return np.linalg.solve(
            K + np.diag(np.maximum(self.l2, _ROUNDING * len(K) * K.diagonal())), b
        )

    def scores(self, x: Vector) -> Floats:
        """w . x of every output."""
        return x.dense(self.d) @ self.w

    def r(self, x: Vector) -> float:
        """x^T A^-1 x, which is (|x|^2 - k^T (l2 I + S^T S)^-1 k) / l2 with k = S^T x."""
        k = self.S @ x.dense(self.S.shape[1])
        return max(0.0, x.norm2 - float(k @ self.solve(k))) / self.l2

    def store(self, x: Vector, y: Floats, number: int) -> None:
        """Add x, with a label for each output."""
        self.v = np.vstack([self.v, y - x.dense(len(self.w0)) @ self.w0])
        self.S = stacked([self.S, sparse.csr_array((x.values, x.rows, [0, len(x.rows)]), (1, x.d))])
        self.ids, self.ones = np.append(self.ids, number), np.append(self.ones, x.root)
        self.n_stored += x.weight

    def add_outputs(self, nodes: list[int]) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.nodes += nodes
        self.v = np.column_stack([self.v, *[-self.ones] * len(nodes)])
        self.w0 = np.pad(self.w0, ((0, 0), (0, len(nodes))))

    def keep_outputs(self, n: int) -> None:
        """Remove all outputs but the first n."""
        self.nodes, self.v, self.w0 = self.nodes[:n], self.v[:, :n], self.w0[:, :n]

    def forget(self, n: int) -> None:
        """Drop the n oldest instances. w does not change; their part of it is added to w0."""
        part = resized(self.S[:n].T @ self.solve(self.v)[:n], self.d)
        self.w0 = resized(self.w0, self.d) + part
        self.v = self.v[n:] - self.S[n:] @ part[: self.S.shape[1]]
        self.S, self.ids, self.ones = self.S[n:], self.ids[n:], self.ones[n:]


@dataclass
class Primal:
    """`w = A^-1 S y`, with the inverse of A; the instances themselves are dropped."""

    l2: float
    nodes: list[int]
    n_stored: float
    inverse: Floats  # (features, features)
    w: Floats  # (features, outputs)
    total: Floats  # S 1, the sum of the instances

    def __post_init__(self) -> None:
        self.first_d = len(self.w)  # the number of features at first

    def scores(self, x: Vector) -> Floats:
        """w . x of every output."""
        return x.dense(len(self.w)) @ self.w

    def r(self, x: Vector) -> float:
        """x^T A^-1 x; on features that A has not seen, A is l2 I."""
        known = x.dense(len(self.w))
        unmet = x.norm2 - float(known @ known)
        return max(0.0, float(known @ self.inverse @ known)) + max(0.0, unmet) / self.l2

    def store(self, x: Vector, y: Floats, _: int) -> None:
        """Add x, with a label for each output: Sherman and Morrison's formula."""
        before, d = len(self.w), max(len(self.w), x.d)
        new = np.diag(np.arange(d) >= before) / self.l2
        self.inverse = np.pad(self.inverse, (0, d - before)) + new
        self.w, self.total = resized(self.w, d), np.pad(self.total, (0, d - before))
        u = self.inverse @ x.dense(d)
        r = max(0.0, float(x.dense(d) @ u))
        self.inverse -= np.outer(u, u) / (1.0 + r)
        self.w += np.outer(u, y - self.scores(x)) / (1.0 + r)
        self.total += x.root * x.dense(d)
        self.n_stored += x.weight

    def add_outputs(self, nodes: list[int]) -> None:
        """More outputs, whose labels were -1 on every instance so far."""
        self.nodes += nodes
        self.w = np.column_stack([self.w, *[-(self.inverse @ self.total)] * len(nodes)])

    def keep_outputs(self, n: int) -> None:
        """Remove all outputs but the first n."""
        self.nodes, self.w = self.nodes[:n], self.w[:, :n]


def loaded(l2: float, parts: Parts, saved: SavedSystem, number: int = 0) -> Any:
    """A system from its saved form; `number` is the number of its first instance."""
    kind, nodes, n_stored, *arrays = saved
    arrays = [array.copy() for array in arrays]
    if kind == "primal":
        return Primal(l2, list(nodes), n_stored, *arrays)
    start, rows = (part.astype(np.intp) for part in parts[:2])
    S = sparse.csr_array((parts[2], rows, start), (len(parts[3]), 1 + int(rows.max(initial=-1))))
    ids, ones, v, w0 = arrays
    mine = S[ids]
    mine.resize((len(ids), 1 + int(mine.indices.max(initial=-1))))
    return Dual(l2, list(nodes), n_stored, number + ids.astype(np.intp), ones, v, w0, mine)


def resized(a: Floats, n: int) -> Floats:
    """The first n rows, padded with zeros."""
    return np.pad(a[:n], ((0, max(0, n - len(a))), (0, 0)))


def stacked(parts: list[Any]) -> Any:
    """Sparse matrices with different numbers of features, one below the other."""
    d = max(part.shape[1] for part in parts)
    wide = [sparse.csr_array((p.data, p.indices, p.indptr), (p.shape[0], d)) for p in parts]
    return sparse.vstack(wide, format="csr")


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
