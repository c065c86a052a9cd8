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

from .._core import FeatureIndex, Instances
from .._core.features import SMALLEST_NORM2, check_mapping
from ..base.checks import check_integer
from ..base.explanation import Contribution, Floats
from .functions import Function, Kernel, Linear


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
    def append(self, x: Mapping[Any, Any]) -> None:
        """Store x, which `row` has validated."""

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
        self._store(sparse.csr_array((0, 0)), np.zeros(0), [])

    def _store(self, S: Any, norms2: Floats, names: list[Any]) -> None:
        self._features = FeatureIndex(names)
        start, rows = S.indptr.astype(np.uint64), S.indices.astype(np.uint32)
        self._stored = Instances(start, rows, S.data, norms2)
        self._norms2 = norms2

    @property
    def n(self) -> int:
        return len(self._norms2)

    def append(self, x: Mapping[Any, Any]) -> None:
        vector = self._features.insert(x)
        self._stored.append(vector)
        self._norms2 = np.append(self._norms2, vector.norm2)

    def _rows(self, which: NDArray[np.intp]) -> Any:
        """Some instances as a sparse matrix, (instances, features)."""
        start, rows, values, _ = self._stored.saved()
        return sparse.csr_array((values, rows, start), (self.n, len(self._features)))[which]

    def gram(self, which: NDArray[np.intp]) -> Floats:
        S, norms2 = self._rows(which), self._norms2[which]
        products = (S @ S.T).toarray()
        np.fill_diagonal(products, norms2)
        rows = zip(products, norms2.tolist(), strict=True)
        return np.array([self._kernel(dots, norm2, norms2) for dots, norm2 in rows])

    def keep(self, which: NDArray[np.intp]) -> None:
        """Keep these instances only, and drop features that only the others had."""
        S, names = self._rows(which), self._features.names()
        used = np.unique(S.indices)
        self._store(S[:, used], self._norms2[which], [names[j] for j in used.tolist()])

    def examples(self, which: NDArray[np.intp]) -> list[dict[Any, Any]]:
        names, S = self._features.names(), self._rows(which)
        return [
            {names[j]: value for j, value in zip(S.indices[a:z], S.data[a:z].tolist(), strict=True)}
            for a, z in zip(S.indptr, S.indptr[1:], strict=False)
        ]

    def _values(self, x: Mapping[Any, Any]) -> tuple[Floats, float]:
        vector = self._features.find(x)
        # The last one is x itself.
        dots = np.append(self._stored.dots(vector), vector.norm2)
        norms2 = np.append(self._norms2, vector.norm2)
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

    def append(self, x: Mapping[Any, Any]) -> None:
        self._stored.append(dict(x))

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
    greedily, by a Cholesky factorisation with pivoting: next is that whose squared distance from
    the span of those chosen, times its squared coefficients, is largest. Fewer are kept if nothing
    more would be lost. The j-th of the others becomes `sum_i P_ij phi(x_i)`. Takes O(n n_kept^2).
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
