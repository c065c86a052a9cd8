"""Which instances a budget keeps, and the projection of the others onto them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

Floats = NDArray[np.float64]

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
    greedily: next is the one whose removal would lose the most, i.e. whose squared distance from
    the span of those already chosen, times its squared coefficients, is the largest. (This is a
    Cholesky factorisation with pivoting.) Fewer are kept if nothing more would be lost.

    The projection of the j-th of the others is `sum_i P_ij phi(x_i)` over the kept i. Takes O(n
    n_kept^2).
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
