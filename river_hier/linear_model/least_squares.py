"""The base class of H-RLS and SH-RLS, which differ only in which examples nodes store."""

from __future__ import annotations

import abc
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import (
    LARGEST_RATIO,
    Batch,
    Example,
    FeatureIndex,
    LeastSquares,
    Multilabels,
    Nodes,
    Vectors,
)
from .._core.least_squares import nothing_stored
from ..base import weight_vectors
from ..base.batches import SECONDS
from ..base.checks import check_forgetting, check_integer, check_intercept, check_positive
from ..base.explanation import Contribution, Floats, rescaled
from ..base.multi_label import MultiLabelModel
from ..taxonomy import TaxonomyLike


class LeastSquaresModel(MultiLabelModel):
    """Regularised least squares at the nodes of a taxonomy.

    With `A = l2 I + S S^T` over the instances S stored at a node and `w = A^-1 S v`, `_margin` is
    the paper's Eq. (1), and the learner's `_limit` decides which examples nodes store.

    Forgetting works in periods. After each period, everything that a system has seen is weighted by
    one half, or slightly less; within a period nothing is forgotten.
    """

    _shared: bool  # whether siblings share a system

    weights: property = weight_vectors.weights
    intercepts: property = weight_vectors.intercepts

    def __init__(
        self,
        taxonomy: TaxonomyLike,
        l2: float,
        budget: int | None,
        forgetting: float,
        intercept: float,
    ) -> None:
        super().__init__(taxonomy)
        check_intercept(intercept)
        self._features = FeatureIndex(intercept=float(intercept))
        self.intercept = intercept
        check_positive("l2", l2)
        check_forgetting(forgetting)
        if budget is not None:
            check_integer("budget", budget, 2)
            if forgetting != 1.0:
                raise ValueError(
                    f"`budget` is {budget} and `forgetting` {forgetting}, but either bounds what a "
                    "node holds; choose one"
                )
        self.l2: float = l2
        self.budget = budget
        self.forgetting: float = forgetting
        self._t: float = 0.0  # the weight of all examples
        rate, period = float(forgetting), 0
        if rate < 1.0:  # until a weight has fallen to one half, or just below
            period = max(1, math.ceil(math.log(0.5) / math.log(rate)))
            rate **= period
        self._rls: Any = LeastSquares(float(l2), budget and int(budget), rate, period)
        self._add_nodes(1, self._taxonomy)

    @staticmethod
    def _margin(score: Floats, r: Floats) -> Floats:
        """The paper's score of an x that is counted in, from w . x and r = x^T A^-1 x (Eq. 1)."""
        return score / (1.0 + r)  # by Sherman and Morrison's formula

    @abc.abstractmethod
    def _limit(self, t: float) -> float:
        """What N_i times the squared margin may be where node i stores x_t."""

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        t = self._t + w
        if not self._rls.learn(self._features, self._labels, x, y, w, self._limit(t)):
            raise self._lost_in_rounding(x, w)
        self._t = t

    def _learns_together(self, X: Batch) -> bool:
        return True

    def _learn_slice(self, X: Batch, y: Multilabels) -> None:
        vectors = Vectors(self._features, X)
        ts = np.cumsum([self._t, *X.all_weights])[1:].tolist()
        limits = np.array([self._limit(t) for t in ts])
        try:
            while (n := vectors.n_learned) < X.n:
                if not self._rls.learn_rows(self._labels, vectors, y[n:], limits[n:], SECONDS):
                    n = vectors.n_learned
                    raise self._lost_in_rounding(X.row(n), X.weight(n))
        finally:
            if n := vectors.n_learned:
                self._t = ts[n - 1]
            X.n_learned = n

    def _forget(self, nodes: Nodes) -> None:
        """The branch leaves the systems of its siblings, which contain the examples to forget."""
        *parameters, systems = self._rls.saved()
        forgotten, fresh = nodes.tolist(), dict[Any, list[int]]()
        for v in forgotten:
            siblings = self._taxonomy._parent_rows[v] if self._shared else v
            fresh.setdefault(siblings, []).append(v)
        found = list(map(nothing_stored, fresh.values()))
        gone = set(forgotten)
        for kind, of_system, n_stored, n_visits, *arrays in systems:
            outputs = [output for output, v in enumerate(of_system) if v not in gone]
            for i in (1,) if kind == "primal" else (2, 3, 4):  # w; y, c and w0
                arrays[i] = np.ascontiguousarray(arrays[i][:, outputs])
            if outputs:
                kept = [of_system[output] for output in outputs]
                found.append((kind, kept, n_stored, n_visits, *arrays))
        # Top-down, the order in which the steps visit them.
        found.sort(key=lambda system: min(system[1]))
        self._rls = type(self._rls)(*parameters, found)

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        nodes: list[int] = self._rls.nodes_on(self._labels, Example(self._features.find(x)))
        return nodes

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        masks: NDArray[np.bool_] = self._rls.masks(self._labels, Vectors(self._features, X))
        return masks

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        example = Example(self._features.find(x))
        return self._margin(*self._rls.solve(example, len(self._taxonomy)))

    def _conditionals(self: Any, scores: Floats) -> Floats:
        return np.clip((1.0 + scores) / 2.0, 0.0, 1.0)  # Eq. (3)

    def _weights(self, nodes: Iterable[int]) -> Iterator[Floats]:
        systems = enumerate(self._rls.nodes)
        places = {v: (s, i) for s, nodes in systems for i, v in enumerate(nodes)}
        known, matrix = -1, np.empty((0, 0))
        for v in nodes:
            s, column = places[v]
            if s != known:  # nodes of one system often follow each other
                known, matrix = s, self._rls.weights(s, len(self._features))
            yield matrix[:, column]

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        scores = self._scores_one(x)
        rows = {name: self._features.row(name) for name in x}
        known = [(name, row, float(x[name])) for name, row in rows.items() if row is not None]
        found = []
        for v, w in zip(nodes, self._weights(nodes), strict=True):
            terms = [(name, w[row] * value) for name, row, value in known]
            if self._features.first_row:
                terms.append(("intercept", w[0] * self._features.intercept))
            found.append(rescaled(float(scores[v]), terms))
        return found

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        if w * self._features.find(x).norm2 > LARGEST_RATIO * float(self.l2):
            raise self._lost_in_rounding(x, w)

    def _lost_in_rounding(self, x: Mapping[Any, Any], w: float) -> ValueError:
        norm2 = self._features.find(x).norm2
        of_x = "x" if w == 1.0 else f"x times its weight {w:.3g}"
        return ValueError(
            f"`l2` = {self.l2} is lost in rounding beside the squared norm of {of_x}, {norm2:.3g}; "
            "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
        )
