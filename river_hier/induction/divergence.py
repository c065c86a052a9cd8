"""Class distributions, their Jensen-Shannon divergence, and the R of a tree, in bits.

A class c is the row of its joint probabilities `pi_c p_c(x)`, a set of classes the sum of their
rows. With f the sum of `p log2 p` over a row, for the rows a, b and their total weight w,

    w J = f(a + b) - f(a) - f(b),

where J is the entropy of "a or b?" that remains when x is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import read
from .binary_tree import Children

# Mapping[Label, float] would refuse a dict[str, float]: the type of the keys is invariant.
Priors = Mapping[Any, float]
Conditionals = Mapping[Any, Mapping[Any, float]]
Floats = NDArray[np.float64]


class Joint(NamedTuple):
    """The joint probabilities of one or more classes with each x."""

    row: sparse.csr_array  # (1, d), without the zeros
    weight: float  # their sum, the prior of these classes
    terms: Floats  # p log2 p of each x in the row
    plogp: float  # their sum

    @classmethod
    def of(cls, row: sparse.csr_array) -> Joint:
        p = row.data
        terms = p * np.log2(p)
        return cls(row, float(p.sum()), terms, float(terms.sum()))


class Split(NamedTuple):
    """How hard the two sides of an inner node are to tell apart."""

    q: float  # the prior of the left side, given that it is one of the two
    J: float  # H_b(q) - JS


def merge(left: Joint, right: Joint) -> tuple[Joint, Split]:
    """The union of two sets of classes, and the split between them: O(features of both)."""
    both = Joint.of(left.row + right.row)
    J = (both.plogp - left.plogp - right.plogp) / both.weight
    return both, Split(left.weight / both.weight, max(J, 0.0))


def divergences(one: Joint, others: Sequence[Joint]) -> tuple[Floats, Floats]:
    """JS of one set of classes and each of the others, and the prior of both: O(features of all).

    Where only one of the rows a, b is above 0, f(a + b) = f(a) + f(b).
    """
    if not others:
        return np.empty(0), np.empty(0)
    a, a_terms = np.zeros((2, one.row.shape[1]))
    a[one.row.indices], a_terms[one.row.indices] = one.row.data, one.terms
    indices = np.concatenate([other.row.indices for other in others])
    owners = np.repeat(np.arange(len(others)), [len(other.terms) for other in others])
    shared = np.flatnonzero(a[indices])
    indices, owners = indices[shared], owners[shared]
    b = np.concatenate([other.row.data for other in others])[shared]
    b_terms = np.concatenate([other.terms for other in others])[shared]
    both = a[indices] + b
    terms = both * np.log2(both) - a_terms[indices] - b_terms
    left, right = one.weight, np.array([other.weight for other in others])
    weights = left + right
    q, J = left / weights, np.bincount(owners, terms, len(others)) / weights
    JS = -q * np.log2(q) - (1.0 - q) * np.log2(1.0 - q) - J.clip(0.0)
    return JS.clip(0.0), weights


def upper_bound(J: float) -> float:
    """Lin's upper bound on the Bayes error of any number of classes (Eq. 4 and 5)."""
    return J / 2.0


def joints(priors: Priors, conditionals: Conditionals) -> list[Joint]:
    """`pi_c p_c` of each class, from counts or probabilities, in the order of the priors."""
    total = float(sum(priors.values()))
    columns: dict[Any, int] = {}
    rows: list[tuple[list[int], Floats]] = []
    for label, prior in priors.items():
        values, _ = read(conditionals[label])
        indices = [columns.setdefault(name, len(columns)) for name in conditionals[label]]
        rows.append((indices, values * (prior / total / values.sum())))
    return [Joint.of(_row(indices, values, len(columns))) for indices, values in rows]


def read_counts(x: Mapping[Any, Any]) -> Floats:
    """The values of x, which must be numbers of at least 0."""
    values, _ = read(x)
    if len(values) and values.min() < 0.0:
        name = list(x)[int(values.argmin())]
        raise ValueError(
            f"feature {name!r} is {x[name]!r}; a count must be at least 0, as those of river's "
            "feature_extraction.BagOfWords and preprocessing.MinMaxScaler are"
        )
    return values


def _row(indices: list[int], values: Floats, d: int) -> sparse.csr_array:
    nonzero = values > 0.0
    arrays = (values[nonzero], np.array(indices)[nonzero], [0, int(nonzero.sum())])
    row = sparse.csr_array(arrays, shape=(1, d))
    row.sort_indices()  # makes sums faster
    return row


def recursion(
    children: Sequence[Children], splits: Sequence[Split], error: Callable[[float], float]
) -> float:
    """R(root), with R(leaf) = 1 and R(v) = (1 - error(J_v)) (q_L R(L) + q_R R(R)) (Eq. 6)."""
    R: list[float] = []
    for (left, right), (q, J) in zip(children, splits, strict=True):
        R_L, R_R = (R[v] if v >= 0 else 1.0 for v in (left, right))
        R.append((1.0 - error(J)) * (q * R_L + (1.0 - q) * R_R))
    return R[-1] if R else 1.0
