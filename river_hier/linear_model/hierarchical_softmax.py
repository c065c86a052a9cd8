from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Vectors, path_sums, softmax
from ..base.explanation import Contribution, Floats, effects
from .path_softmax import MOST_VARIANCE, PathSoftmax


class HierarchicalSoftmax(PathSoftmax, compiled=("prior_variance", "forgetting")):
    """Softmax regression at each inner node: for very many labels, at the cost of one path.
    """

    _decides = True

    def _moves(self, vector: Any, y: int, own: NDArray[np.intp], w: float) -> tuple[Any, ...]:
        """The columns that move, and their steps."""
        columns, decisions = np.empty(0, dtype=np.intp), []
        if vector.norm2 == 0.0:
            return (columns,)
        scores, unseen = self._state.scores(vector), self._unseen.difference(own.tolist())
        for u, truth in zip([0, *own], [*(2 * own), 2 * y + 1], strict=True):
            alternatives = self._alternatives(u, unseen)
            score = scores[alternatives]
            t = (alternatives == truth).astype(np.float64)
            learns = np.asarray(self.learns(softmax(score), t), dtype=bool)  # Eq. (1)
            self._check_shape("learns", "a bool", learns, t, "vectors")
            moving = np.flatnonzero(learns)
            if len(moving):
                shares = np.eye(len(t), dtype=bool)[moving]
                decisions.append((alternatives[moving], score, int(t.argmax()), shares))
        if not decisions:
            return (columns,)
        columns = np.sort(np.concatenate([moving for moving, *_ in decisions]))
        variances = self._state.variances(vector, columns, float(self.forgetting))
        variances = np.minimum(self.prior_variance * variances, MOST_VARIANCE)
        moves = np.zeros((2, len(columns)))
        for moving, score, true, shares in decisions:
            at = np.searchsorted(columns, moving)
            found = self.rule(score, true, shares, variances[at], w)
            for i, (what, part) in enumerate(zip(("a move", "a curvature"), found, strict=True)):
                part = np.asarray(part, dtype=np.float64)
                self._check_shape("rule", what, part, at, "vectors")
                moves[i, at] = part
        move, h = moves
        confidence = self.prior_variance * h / (1.0 + h * variances)  # Eq. (4)
        return columns, self.prior_variance * move, confidence

    def _alternatives(self, u: int, unseen: Any = ()) -> NDArray[np.intp]:
        """The columns that compete at a node: that of its own label, and of its children."""
        children = [2 * v for v in self._taxonomy._children_of(u) if v not in unseen]
        return np.array([2 * u + 1, *children], dtype=np.intp)

    def _decisions(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """Each inner node, the columns that compete there, and all below it, top down."""
        for u in range(len(self._taxonomy)):
            if self._taxonomy._children_of(u):
                yield u, self._alternatives(u, self._unseen), self._alternatives(u)

    @property
    def _scale(self) -> float:
        return 1.0

    def _label_scores(self, columns: Floats) -> Floats:
        p = np.zeros_like(columns)
        for u, seen, below in self._decisions():
            p[below] = p[2 * u] + columns[below] - np.logaddexp.reduce(columns[seen])
            p[below[1:] + 1] = p[below[1:]]
        return p[1::2]

    def _answers(self, X: Batch) -> NDArray[np.uint32]:
        return self._state.best_paths(Vectors(self._features, X), False, self._first_label)

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        """The parts of a logarithm, beside those of the alternatives on the path as they are."""
        at = list(self._decisions())
        columns = self._state.scores(x)
        shares = [softmax(columns[seen]) for _, seen, _ in at]

        def beside(other: Mapping[Any, Any]) -> Floats:
            columns, own = self._state.scores(other), np.zeros(len(self._taxonomy))
            for (u, seen, below), p in zip(at, shares, strict=True):
                columns[below] -= p @ columns[seen]
                own[u] = columns[below[0]]
            return path_sums(columns[::2], self._taxonomy._arrays) + own

        constant, logs = beside({}), self._scores_one(x)
        undecided = logs - beside(x)
        return [
            [*terms, ("intercept", constant[v]), ("undecided", undecided[v])]
            for v, terms in zip(nodes, effects(beside, x, nodes), strict=True)
        ]
