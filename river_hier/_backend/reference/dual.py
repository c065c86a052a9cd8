"""Regularised least squares in dual variables: which instances, their labels, and predictions."""

from __future__ import annotations

import abc
import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .capacity import ensure_capacity
from .feature_map import Vector
from .instances import Instances
from .visit import Visit

Floats = NDArray[np.float64]

# Predictions in a row, with w unchanged, after which an explicit w pays off.
_PATIENCE = 16
# Of the size of its terms, what a sum of so many loses to rounding; generously.
_ROUNDING = 1e-15


class Dual(abc.ABC):
    """`w = S alpha` with `alpha = B^-1 v`, `B = l2 I + S^T S`, for one or more columns of v.

    All columns (the outputs, one a node) share the stored instances S. Once some have been
    forgotten, w is regularised towards what they had contributed, w0: then `w = w0 + S alpha`,
    and v is what w0 leaves of the labels.
    """

    def __init__(self, n_outputs: int, l2: float) -> None:
        self.l2 = l2
        self.n = 0  # instances stored
        self._ids = np.zeros(0, dtype=np.intp)  # the numbers of the instances
        self._ones = np.zeros(0)  # 1 for an instance: S ones is their sum
        self._v = np.zeros((0, n_outputs))  # the labels
        self.w0 = np.zeros((0, n_outputs))  # (features, outputs)
        self._w: Floats | None = None  # S alpha, as long as it is known
        self._size = 0.0  # |w . x| / |x| is no more, not even if nothing cancelled
        self._predictions = 0  # since v has changed

    @property
    def ids(self) -> NDArray[np.intp]:
        return self._ids[: self.n]

    @property
    def ones(self) -> Floats:
        return self._ones[: self.n]

    @property
    def v(self) -> Floats:
        return self._v[: self.n]

    @abc.abstractmethod
    def alpha(self, instances: Instances) -> Floats:
        """The dual variables."""

    def scores(self, visit: Visit) -> Floats:
        """w . x of every output: O(n) if alpha and the dot products of x are known."""
        return self._prior(visit.x) + self._dots(visit) @ self.alpha(visit.instances)

    def signs(self, visit: Visit) -> Floats:
        """The same, in O(features of x) where many predictions come between two changes.

        Then it is the same but for rounding, and where that could matter to a sign, the same.
        """
        if self._w is None:
            self._predictions += 1
            if self._predictions <= _PATIENCE:
                return self.scores(visit)
        w = self.weights(visit.instances)
        rows, values = visit.x.below(len(w))
        scores: Floats = values @ w[rows]
        terms = self.n + len(visit.x.rows)
        doubt = _ROUNDING * terms * self._size * math.sqrt(visit.x.norm2)
        return scores if (abs(scores) > doubt).all() else self.scores(visit)

    def weights(self, instances: Instances) -> Floats:
        """w as a matrix (features, outputs): O(nonzeros of S) after a change."""
        if self._w is None:
            S, alpha = self.stored(instances), self.alpha(instances)
            self._w = S.T @ alpha
            self._w[: len(self.w0)] += self.w0
            norms = np.sqrt(S.multiply(S).sum(axis=1))
            self._size = float((norms @ abs(alpha)).sum()) + float(abs(self.w0).sum())
        return self._w

    def forget(self, n: int, instances: Instances, n_features: int) -> None:
        """Forget the n oldest instances, in so many features; w stays as it is."""
        S = self.stored(instances)[:, :n_features]
        w0 = S[:n].T @ self.alpha(instances)[:n]
        v = (self.v - S @ w0)[n:]
        w0[: len(self.w0)] += self.w0
        self.w0 = w0
        self.n -= n
        self._ids, self._ones, self._v = self._ids[n:], self._ones[n:], v

    def renumber(self, numbers: NDArray[np.intp]) -> None:
        """The instances have new numbers."""
        self._ids[: self.n] = numbers[self.ids]

    def _add_columns(self, n: int) -> None:
        """n more columns of labels, -1 on every instance so far."""
        new = np.tile(-self.ones[:, None], n)
        self._v = np.column_stack([self.v, new])
        self.w0 = np.column_stack([self.w0, np.zeros((len(self.w0), n))])
        self._forget()

    def _prior(self, x: Vector) -> Floats:
        """w0 . x"""
        rows, values = x.below(len(self.w0))
        prior: Floats = values @ self.w0[rows]
        return prior

    def stored(self, instances: Instances) -> sparse.csr_array:
        """S^T, the instances of this system."""
        return instances.chosen(self.ids)

    def _dots(self, visit: Visit) -> Floats:
        """S^T x."""
        return visit.dots[self.ids] if self.n else np.zeros(0)

    def remember(self, number: int, one: float, v: Floats) -> None:
        """One more instance and its labels."""
        n = self.n
        self._ids = ensure_capacity(self._ids, n + 1)
        self._ones = ensure_capacity(self._ones, n + 1)
        self._v = ensure_capacity(self._v, n + 1, self._v.shape[1])
        self._ids[n], self._ones[n], self._v[n] = number, one, v
        self.n += 1
        self._forget()

    def _forget(self) -> None:
        self._w = None
        self._predictions = 0
