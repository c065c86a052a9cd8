"""What H-RLS and SH-RLS share: their predictions. They differ in what they store."""

from __future__ import annotations

import abc
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import (
    LARGEST_RATIO,
    LeastSquares,
    Vector,
    Vectors,
    least_squares_answer,
    least_squares_answers,
)
from ..base import MiniBatchMultiLabelModel, check_positive
from ..base.model import Floats
from ..base.reasons import Part, shares
from ..taxonomy import Label, Start


class LeastSquaresModel(MiniBatchMultiLabelModel):
    """Regularised least squares at the nodes of a taxonomy.

    With `A = l2 I + S S^T` over the instances S stored at a node and `w = A^-1 S v`, the paper's
    weight vector for an instance x, Eq. (1), which counts x among the instances, satisfies
    `w_t . x = w . x / (1 + r)` with `r = x^T A^-1 x`.
    """

    def __init__(
        self,
        taxonomy: Start,
        l2: float,
        budget: int | None,
        memory: float,
        n_features: int | None,
    ) -> None:
        super().__init__(taxonomy, n_features)
        check_positive("l2", l2)
        if not isinstance(memory, numbers.Real) or not float(memory) >= 0.0:
            raise ValueError(f"`memory` must be a number of bytes, at least 0, got {memory!r}")
        self.l2: float = l2
        self.memory = memory
        self._rls: LeastSquares = LeastSquares(float(l2), float(memory), budget and int(budget))
        self._add_nodes(1, len(self._taxonomy))

    def _answer(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        return least_squares_answer(self._rls, self._features, self._labels, x)

    def _answers(self, X: Vectors) -> NDArray[np.bool_]:
        return least_squares_answers(self._rls, self._labels, X)

    def _scores(self, x: Vector | Vectors) -> Floats:
        return self._rls.scores(x, len(self._taxonomy))  # Eq. (1)

    def _conditionals(self, scores: Floats) -> Floats:
        return np.clip((1.0 + scores) / 2.0, 0.0, 1.0)  # Eq. (3)

    def _weights(self, v: int, n_features: int) -> Floats:
        s, column = self._place(v)
        w: Floats = self._rls.weights(s, n_features)[:, column]
        return w

    def _parts(self, x: Mapping[Any, Any], nodes: Sequence[int]) -> list[list[Part]]:
        scores = self._scores_one(x)
        rows = {name: self._features.row(name) for name in x}
        known = [(name, row, float(x[name])) for name, row in rows.items() if row is not None]
        found = []
        for v in nodes:
            w = self._weights(v, len(self._features))
            found.append(shares(float(scores[v]), [(n, w[row] * value) for n, row, value in known]))
        return found

    @abc.abstractmethod
    def _place(self, v: int) -> tuple[int, int]:
        """The system of a node, and its place in it."""

    def _check(self, x: Mapping[Any, Any]) -> None:
        if self._features.find(x).norm2 > LARGEST_RATIO * self.l2:
            raise self._lost_in_rounding(x)

    def _lost_in_rounding(self, x: Mapping[Any, Any]) -> ValueError:
        norm2 = self._features.find(x).norm2
        return ValueError(
            f"`l2` = {self.l2} is lost in rounding beside the squared norm of x, {norm2:.3g}; "
            "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
        )
