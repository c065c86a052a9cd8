"""The Jensen-Shannon divergence, and what it says about the Bayes error; in bits.

A class c enters as the row of its joint probabilities `pi_c p_c(x)`. Of a set of classes one row
is all that is needed: the sum of theirs. With f the sum of `p log2 p` over a row, the rows a, b
and the weight w of both together,

    w J = f(a + b) - f(a) - f(b),

J being the entropy that is left of "which of the two?" once x is known.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse


class Joint(NamedTuple):
    """The joint probabilities of some classes with every x."""

    row: sparse.csr_array  # (1, d), the zeros left out
    weight: float  # their sum, the prior of these classes
    plogp: float  # the sum of p log2 p

    @classmethod
    def of(cls, row: sparse.csr_array) -> Joint:
        p = row.data
        return cls(row, float(p.sum()), float(p @ np.log2(p)))


class Split(NamedTuple):
    """What an inner node has to tell apart."""

    q: float  # the prior of its left side, given that it is one of both
    J: float  # H_b(q) - JS


def split(left: Joint, right: Joint) -> tuple[Joint, Split]:
    """Both together, and how hard they are to tell apart: O(features of both)."""
    both = Joint.of(left.row + right.row)
    J = (both.plogp - left.plogp - right.plogp) / both.weight
    return both, Split(left.weight / both.weight, max(J, 0.0))


def divergence(node: Split) -> float:
    """JS of the two sides, weighed by their priors: between 0 and 1."""
    return max(binary_entropy(node.q) - node.J, 0.0)


def binary_entropy(q: float) -> float:
    """H_b(q)."""
    return -sum(p * math.log2(p) for p in (q, 1.0 - q) if p > 0.0)


def lower_bound(J: float, k: int = 2) -> float:
    """No classifier of k classes errs less (Eq. 4 and 5)."""
    return J**2 / (4.0 * (k - 1)) if k > 1 else 0.0


def upper_bound(J: float) -> float:
    """The best classifier errs no more (Eq. 4 and 5)."""
    return J / 2.0
