"""What H-RLS and SH-RLS share: their predictions. They differ in what they store."""

from __future__ import annotations

import abc
import heapq
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import LeastSquares, Vector
from ..base import MultiLabelModel, check_positive
from ..base.model import Floats
from ..base.multilabel import Mask
from ..taxonomy import Taxonomy

# Of ||x||^2 to l2. Beyond it, the digits of a float do not hold both.
_LARGEST_RATIO = 1e12


class LeastSquaresModel(MultiLabelModel):
    """Regularised least squares at the nodes of a taxonomy.

    With `A = l2 I + S S^T` over the instances S stored at a node and `w = A^-1 S v`, the paper's
    weight vector for an instance x, Eq. (1), which counts x among the instances, satisfies
    `w_t . x = w . x / (1 + r)` with `r = x^T A^-1 x`.
    """

    def __init__(self, taxonomy: Taxonomy | None, l2: float) -> None:
        super().__init__(taxonomy)
        check_positive("l2", l2)
        self.l2 = l2
        self._arrange()
        self._rls = LeastSquares([len(nodes) for nodes in self._nodes], l2)

    @abc.abstractmethod
    def _systems(self, taxonomy: Taxonomy) -> list[NDArray[np.intp]]:
        """The nodes of each system, which share its instances; parents come in earlier ones."""

    def _arrange(self) -> None:
        """Note where each node's weights are, and which systems are below each node."""
        parents = self._taxonomy.parent_indices
        self._nodes = self._systems(self._taxonomy)
        self._above = [parents[nodes[0]] if len(nodes) else (0,) for nodes in self._nodes]
        self._below: dict[int, list[int]] = {}  # by the last parent, when all are decided
        self._place: dict[int, tuple[int, int]] = {}
        for s, nodes in enumerate(self._nodes):
            self._below.setdefault(self._above[s][-1], []).append(s)
            self._place.update((v, (s, i)) for i, v in enumerate(nodes.tolist()))

    def _active(self, on: list[bool]) -> Iterator[int]:
        """The systems whose nodes' parents are all on, from the top down.

        The nodes of a system may be switched on as soon as it has been given.
        """
        waiting = [0]  # a heap: parents come before their children
        while waiting:
            for s in self._below.get(heapq.heappop(waiting), ()):
                if all(on[p] for p in self._above[s]):
                    yield s
                    for v in self._nodes[s].tolist():
                        if on[v]:
                            heapq.heappush(waiting, v)

    def _check(self, x: Mapping[Any, Any]) -> None:
        norm2 = self._features.find(x).norm2
        if norm2 > _LARGEST_RATIO * self.l2:
            raise ValueError(
                f"`l2` = {self.l2} is lost in rounding beside the squared norm of x, {norm2:.3g}; "
                "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
            )

    def _decide(self, x: Vector) -> Mask:
        visit = self._rls.visit(x)
        on = [True] + [False] * (len(self._taxonomy) - 1)
        for s in self._active(on):  # 1 + r is positive, so the sign needs only w . x
            scores = self._rls.predict(s, visit).tolist()
            for v, score in zip(self._nodes[s].tolist(), scores, strict=True):
                on[v] = score >= 0.0
        return np.array(on)

    def _scores(self, x: Vector) -> Floats:
        visit = self._rls.visit(x)
        scores = np.zeros(len(self._taxonomy))
        for s, nodes in enumerate(self._nodes):
            r, _ = self._rls.solve(s, visit)
            scores[nodes] = self._rls.scores(s, visit) / (1.0 + r)  # Eq. (1)
        return scores

    def _conditionals(self, scores: Floats) -> Floats:
        return np.clip((1.0 + scores) / 2.0, 0.0, 1.0)  # Eq. (3)

    def _weights(self, v: int, n_features: int) -> Floats:
        s, column = self._place[v]
        w = np.zeros(n_features)
        known = self._rls.weights(s)
        w[: len(known)] = known[:, column]
        return w
