"""The stored examples of kernel learners, used only through the kernel values K(x_i, x)."""

from __future__ import annotations

import abc
import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular

from .._core import FeatureIndex, Vector
from .._core.capacity import ensure_capacity
from .._core.features import SMALLEST_NORM2, check_mapping
from .._core.pickles import set_state
from ..base.checks import check_integer
from ..base.explanation import Contribution, Floats
from .functions import Function, Kernel, Linear


class Instances:
    """Vectors, one per row: S^T in the paper's notation.

    Their entries are stored in arrays that grow in steps. There is also a dense copy, as long as a
    quarter of its cells are filled: its products are faster, but their rounding depends on how the
    copy has grown.
    """

    n: int
    d: int

    def __init__(self) -> None:
        self._start = np.zeros(1, dtype=np.intp)
        self._rows = np.zeros(0, dtype=np.intp)
        self._values = np.zeros(0)
        self._norms2 = np.zeros(0)
        self._dense: Floats | None = np.zeros((0, 0))
        self.n = self.d = 0

    __setstate__ = set_state

    @property
    def norms2(self) -> Floats:
        return self._norms2[: self.n]

    @property
    def matrix(self) -> Any:
        """The instances as a sparse matrix, (instances, features)."""
        end = int(self._start[self.n])
        parts = self._values[:end], self._rows[:end], self._start[: self.n + 1]
        return sparse.csr_array(parts, shape=(self.n, self.d))

    def append(self, x: Vector) -> int:
        self.extend((np.array([0, len(x.rows)]), x.rows, x.values, np.array([x.norm2])))
        return self.n - 1

    def extend(self, parts: tuple[NDArray[Any], ...]) -> None:
        """Store more vectors."""
        start, rows, values, norms2 = parts
        rows = rows.astype(np.intp)
        first, before = self.n, int(self._start[self.n])
        n, after = first + len(norms2), before + len(rows)
        d = max(self.d, 1 + int(rows.max(initial=-1)))
        self._start = ensure_capacity(self._start, n + 1)
        self._start[first + 1 : n + 1] = before + start[1:].astype(np.intp)
        self._rows = ensure_capacity(self._rows, after)
        self._rows[before:after] = rows
        self._values = ensure_capacity(self._values, after)
        self._values[before:after] = values
        self._norms2 = ensure_capacity(self._norms2, n)
        self._norms2[first:n] = norms2
        if self._dense is not None and n * d > max(4096, 4 * after):
            self._dense = None
        if self._dense is not None:
            self._dense = ensure_capacity(self._dense, n, d)
            instances = np.repeat(np.arange(first, n), np.diff(start).astype(np.intp))
            self._dense[first:n] = 0.0  # there may be an example here that was not stored
            self._dense[instances, rows] = values
        self.n, self.d = n, d  # last, as memory may run out before

    def dots(self, x: Vector) -> Floats:
        S = self.matrix if self._dense is None else self._dense[: self.n, : self.d]
        dots: Floats = S @ x.dense(self.d)
        return dots

    def gram(self, which: NDArray[np.intp]) -> Floats:
        S = self.matrix[which]
        products: Floats = (S @ S.T).toarray()
        np.fill_diagonal(products, self.norms2[which])
        return products


class Row(NamedTuple):
    """An x by the values of the kernel."""

    values: Floats  # K(x_i, x) of all stored instances
    norm2: float  # K(x, x)


def check_kernel(kernel: object) -> None:
    """Raise an error if a parameter `kernel` is neither a kernel nor a function nor `None`."""
    if kernel is not None and (isinstance(kernel, type) or not callable(kernel)):
        raise TypeError(
            "`kernel` must be a kernel, e.g. kernel.RBF(sigma=1.0), or a function of two "
            f"dicts, got {kernel!r}"
        )


def instances_of(kernel: Kernel | Function | None, budget: int | None = None) -> KernelInstances:
    """A store without instances, after checking the parameters; `None` is the linear kernel."""
    check_kernel(kernel)
    if budget is not None:
        check_integer("budget", budget, 2)
    function = Linear() if kernel is None else kernel
    if isinstance(function, Kernel):
        return DotProducts(function)
    return Pairs(function)


def contributions(
    instances: KernelInstances, coefficients: Floats, x: Mapping[Any, Any]
) -> list[list[Contribution]]:
    """What each stored example adds to the scores of nodes, from its coefficients there."""
    each = instances.row(x).values * coefficients
    which = np.flatnonzero(each.any(axis=0))
    examples = instances.examples(which)
    return [list(zip(examples, terms, strict=True)) for terms in each[:, which].tolist()]


class KernelInstances(abc.ABC):
    """Instances numbered in the order in which they were stored."""

    @property
    @abc.abstractmethod
    def n(self) -> int:
        """The number of instances."""

    def row(self, x: Mapping[Any, Any]) -> Row:
        """The values of the kernel for x. Errors are raised here."""
        k, own = self._values(x)
        wrong = k[~np.isfinite(k)].tolist() + ([] if 0.0 <= own < np.inf else [own])
        if wrong:
            raise ValueError(
                f"the kernel is {wrong[0]} for this x; it must be a finite number, and K(x, x) not "
                "negative; scale x, e.g. with river's preprocessing.StandardScaler"
            )
        if own < SMALLEST_NORM2:
            k, own = np.zeros(self.n), 0.0  # by the inequality of Cauchy and Schwarz
        return Row(k, own)

    @abc.abstractmethod
    def append(self, x: Mapping[Any, Any]) -> int:
        """Store x, which `row` has validated, and return its number."""

    @abc.abstractmethod
    def gram(self, which: NDArray[np.intp]) -> Floats:
        """The kernel matrix of some instances."""

    @abc.abstractmethod
    def keep(self, which: NDArray[np.intp]) -> None:
        """Keep these instances only, renumbered 0, 1, ..."""

    @abc.abstractmethod
    def examples(self, which: NDArray[np.intp]) -> list[dict[Any, Any]]:
        """Some instances as the original dicts."""

    @abc.abstractmethod
    def _values(self, x: Mapping[Any, Any]) -> tuple[Floats, float]:
        """K(x_i, x) for all i, and K(x, x)."""


class DotProducts(KernelInstances):
    """For kernels that are functions of dot products and norms, by `Kernel.from_dots`."""

    def __init__(self, kernel: Kernel) -> None:
        self._from_dots = kernel.from_dots
        self._features = FeatureIndex()
        self._stored = Instances()

    @property
    def n(self) -> int:
        return self._stored.n

    def append(self, x: Mapping[Any, Any]) -> int:
        return self._stored.append(self._features.insert(x))

    def gram(self, which: NDArray[np.intp]) -> Floats:
        products = self._stored.gram(which)
        norms2 = self._stored.norms2[which]
        rows = zip(products, norms2.tolist(), strict=True)
        return np.array([self._kernel(dots, norm2, norms2) for dots, norm2 in rows])

    def keep(self, which: NDArray[np.intp]) -> None:
        """Keep these instances only, and drop features that only the others had."""
        S = self._stored.matrix[which]
        used = np.unique(S.indices)
        S, names = S[:, used], self._features.names()
        stored, features = Instances(), FeatureIndex()
        stored.extend((S.indptr, S.indices, S.data, self._stored.norms2[which]))
        features.insert(dict.fromkeys([names[j] for j in used.tolist()], 1.0))
        self._stored, self._features = stored, features

    def examples(self, which: NDArray[np.intp]) -> list[dict[Any, Any]]:
        names, S = self._features.names(), self._stored.matrix[which]
        return [
            {names[j]: value for j, value in zip(S.indices[a:z], S.data[a:z].tolist(), strict=True)}
            for a, z in zip(S.indptr, S.indptr[1:], strict=False)
        ]

    def _values(self, x: Mapping[Any, Any]) -> tuple[Floats, float]:
        vector = self._features.find(x)
        # The last one is x itself.
        dots = np.append(self._stored.dots(vector), vector.norm2)
        norms2 = np.append(self._stored.norms2, vector.norm2)
        k = self._kernel(dots, vector.norm2, norms2)
        return k[:-1], float(k[-1])

    def _kernel(self, dots: Floats, norm2: float, norms2: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            k = self._from_dots(dots, norm2, norms2)
        if not isinstance(k, np.ndarray) or k.dtype.kind not in "biuf" or k.shape != dots.shape:
            raise TypeError(
                f"`from_dots` must answer with an array of {len(dots)} numbers, as many as dot "
                f"products, got {k!r}"
            )
        return k.astype(np.float64, copy=False)


class Pairs(KernelInstances):
    """For any function of two dicts, with one call per instance."""

    def __init__(self, function: Callable[[Any, Any], float]) -> None:
        self._function = function
        self._stored: list[dict[Any, Any]] = []

    @property
    def n(self) -> int:
        return len(self._stored)

    def append(self, x: Mapping[Any, Any]) -> int:
        self._stored.append(dict(x))
        return self.n - 1

    def gram(self, which: NDArray[np.intp]) -> Floats:
        # The older one first, as in `row`: the function has already accepted this order.
        chosen = [self._stored[i] for i in which.tolist()]
        K = np.zeros((len(chosen), len(chosen)))
        for j, x in enumerate(chosen):
            K[: j + 1, j] = [self._of(z, x) for z in chosen[: j + 1]]
        return K + np.triu(K, 1).T

    def keep(self, which: NDArray[np.intp]) -> None:
        self._stored = [self._stored[i] for i in which.tolist()]

    def examples(self, which: NDArray[np.intp]) -> list[dict[Any, Any]]:
        return [dict(self._stored[i]) for i in which.tolist()]

    def _values(self, x: Mapping[Any, Any]) -> tuple[Floats, float]:
        check_mapping(x)
        return np.array([self._of(z, x) for z in self._stored]), self._of(x, x)

    def _of(self, x: Mapping[Any, Any], z: Mapping[Any, Any]) -> float:
        value = self._function(x, z)
        if not isinstance(value, numbers.Real):
            kind = type(value).__name__
            raise TypeError(f"the kernel of two dicts must be a number, got {value!r} ({kind})")
        return float(value)


# Remainders of a squared length below this fraction of it count as rounding errors.
_ROUNDING = 1e-9


def four_fifths(budget: int) -> int:
    """How many instances to keep if there are more than `budget`, at least 1."""
    return max(1, 4 * budget // 5)


def pivoted_cholesky_projection(
    K: Floats, parts: Floats, n_kept: int
) -> tuple[NDArray[np.intp], Floats]:
    """Choose at most `n_kept` instances, in order, and project the others onto their span.

    K are the values of the kernel, (n, n), and `parts` the squared coefficients times the squared
    norms; the coefficients alone may be too large or too small to be squared. Instances are chosen
    greedily, by a Cholesky factorisation with pivoting: next is the one whose squared distance from
    the span of those already chosen, times its squared coefficients, is the largest. Fewer are kept
    if nothing more would be lost. The projection of the j-th of the others is `sum_i P_ij phi(x_i)`
    over the kept i. Takes O(n n_kept^2).
    """
    lengths2 = K.diagonal()
    left = lengths2.copy()  # squared distances
    L = np.zeros((len(K), n_kept))
    chosen: list[int] = []
    while len(chosen) < n_kept:
        lost = left / lengths2 * parts
        i = int(lost.argmax())
        if chosen and lost[i] == 0.0:
            break
        j, s = len(chosen), math.sqrt(left[i])
        L[:, j] = (K[:, i] - L[:, :j] @ L[i, :j]) / s
        chosen.append(i)
        left -= L[:, j] ** 2
        left[left <= _ROUNDING * lengths2] = 0.0
        left[i] = 0.0
    others = np.setdiff1d(np.arange(len(K)), chosen)
    n = len(chosen)
    corner, rest = L[chosen, :n], L[others, :n].T
    P = solve_triangular(corner, rest, lower=True, trans="T", check_finite=False)
    order = np.argsort(chosen)
    return np.array(chosen)[order], P[order]
