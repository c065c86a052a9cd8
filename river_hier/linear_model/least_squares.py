"""The base class of H-RLS and SH-RLS, which differ only in which examples nodes store."""

from __future__ import annotations

import abc
import math
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._core import (
    LARGEST_RATIO,
    Batch,
    Labels,
    LeastSquares,
    Multilabels,
    Vectors,
    least_squares_answers,
    least_squares_nodes,
    least_squares_step,
    least_squares_steps,
    trained_nodes,
)
from ..base.checks import check_forgetting, check_positive
from ..base.copies import shallow_copy
from ..base.dataframes import at_row
from ..base.explanation import Contribution, Floats, rescaled
from ..base.multi_label import MultiLabelModel
from ..base.turns import Rows
from ..base.weight_vectors import WeightVectors, feature_map
from ..taxonomy import Taxonomy, TaxonomyLike
from .systems import RemappedSystem, discounted, half_life, merge_systems, remap_systems


def n_threads() -> int:
    """The value of `OMP_NUM_THREADS`, as in numerical libraries, or the number of processors."""
    setting = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if setting.isdecimal() and int(setting):
        return int(setting)
    mine = getattr(os, "sched_getaffinity", None)  # `cpu_count` may be that of the whole machine
    return len(mine(0)) if mine else os.cpu_count() or 1


class LeastSquaresModel(WeightVectors, MultiLabelModel):
    """Regularised least squares at the nodes of a taxonomy.

    With `A = l2 I + S S^T` over the instances S stored at a node and `w = A^-1 S v`, the paper's
    weight vector for an instance x, Eq. (1), which counts x among the instances, satisfies
    `w_t . x = w . x / (1 + r)` with `r = x^T A^-1 x`.

    Forgetting works in periods. After each period, everything that a system has seen is weighted by
    one half, or slightly less; within a period nothing is forgotten.
    """

    threshold: float = math.inf  # of SH-RLS; H-RLS stores every example

    def __init__(
        self,
        taxonomy: TaxonomyLike,
        l2: float,
        budget: int | None,
        memory: float,
        n_features: int | None,
        forgetting: float,
        intercept: float,
    ) -> None:
        super().__init__(taxonomy)
        self._features = feature_map(n_features, intercept)
        self.n_features = n_features
        self.intercept = intercept
        check_positive("l2", l2)
        check_forgetting(forgetting)
        if not isinstance(memory, numbers.Real) or not float(memory) >= 0.0:
            raise ValueError(f"`memory` must be a number of bytes, at least 0, got {memory!r}")
        self.l2: float = l2
        self.memory = memory
        self.forgetting: float = forgetting
        # The number of examples that each system was trained on; None if it learns in another
        # shard.
        self._visits: list[int | None] = []
        self._t: float = 0.0  # the weight of all examples
        self._rls: LeastSquares = LeastSquares(float(l2), float(memory), budget and int(budget))
        self._add_nodes(1, self._taxonomy)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Also accept pickles from before `forgetting` was added."""
        self.__dict__.update(state)
        self.__dict__.setdefault("forgetting", 1.0)
        self.__dict__.setdefault("_visits", [0] * len(self._rls.n_stored))

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        t = self._t + w
        state = self._rls, float(self.threshold), t, self._features, self._labels
        if self.forgetting == 1.0:
            learned = least_squares_step(*state, x, y, w)
        else:
            y = list(y) if isinstance(y, Iterator) else y  # which can be read only once
            visited, ended = self._periods(x, y)
            how = partial(discounted, float(self.forgetting) ** half_life(self.forgetting))
            learned = least_squares_step(*state, x, y, w, ended, how)
        if not learned:
            raise self._lost_in_rounding(x, w)
        self._t = t
        if self.forgetting < 1.0:
            for s in visited:
                self._visits[s] = (self._visits[s] or 0) + 1

    def _learn_many(self, X: Batch, y: Multilabels, rows: Rows) -> None:
        if self.forgetting < 1.0:
            super()._learn_many(X, y, rows)
        else:
            vectors = Vectors(self._features, X, True)
            for first, last in rows.slices(X.n):
                while first < last:
                    state = self._rls, float(self.threshold), self._t, self._features, self._labels
                    learned = least_squares_steps(
                        *state, vectors, first, y[first:last], n_threads()
                    )
                    self._t = X.total_weight(first, learned, self._t)
                    first = learned
                    rows.n_learned = rows.first + learned

    def _periods(self, x: Mapping[Any, Any], y: Any) -> tuple[list[int], list[int]]:
        """The systems that an example trains, and those whose period ends with it."""
        h, on = half_life(self.forgetting), self._taxonomy._closure_mask(y)
        if self._features.find(x).norm2 == 0.0:
            return [], []
        trained = self._trained_systems(trained_nodes(on, self._taxonomy._arrays))
        visits = {s: n + 1 for s in trained if (n := self._visits[s]) is not None}
        return list(visits), [s for s, n in visits.items() if n % h == 0]

    def _add_system(self, nodes: list[int]) -> None:
        self._rls.add_system(nodes)
        self._visits.append(0)

    @abc.abstractmethod
    def _keep_systems(self, n_nodes: int) -> int:
        """Forget the systems that have later nodes only, and say how many are left."""

    def _undo_growth(self, taxonomy: Taxonomy, unlearned: frozenset[int]) -> None:
        labels, n_systems = Labels(taxonomy, None, unlearned), self._keep_systems(len(taxonomy))
        self._rls.remove_nodes(n_systems, len(taxonomy))
        del self._visits[n_systems:]
        self._labels, self._taxonomy, self._unlearned = labels, taxonomy, unlearned

    def _remap_systems(self, plan: Sequence[RemappedSystem]) -> None:
        self._rls = remap_systems(self._rls, plan)
        self._visits = [0 if old.system is None else self._visits[old.system] for old in plan]

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return least_squares_nodes(self._rls, self._features, self._labels, x)

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        return least_squares_answers(self._rls, self._labels, Vectors(self._features, X))

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._rls.scores(self._features.find(x), len(self._taxonomy))  # Eq. (1)

    def _scores_many(self, X: Batch) -> Floats:
        return self._rls.scores(Vectors(self._features, X), len(self._taxonomy))

    def _conditionals(self, scores: Floats) -> Floats:
        return np.clip((1.0 + scores) / 2.0, 0.0, 1.0)  # Eq. (3)

    def _weights(self, nodes: Iterable[int]) -> Iterator[Floats]:
        places, known, matrix = self._places(), -1, np.empty((0, 0))
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

    # Shards, each of which trains some of the nodes

    @abc.abstractmethod
    def _shard_units(self) -> list[list[int]]:
        """The nodes of each system; the root represents nodes that are added later."""

    def _unit_costs(self) -> list[float]:
        return [float(n) ** 2 for n in self._rls.n_stored]

    def _shard(self, nodes: Sequence[int]) -> Self:
        part = shallow_copy(self)
        part._labels = Labels(self._taxonomy, nodes)
        mine = set(nodes)
        which = [0 if unit[0] in mine else None for unit in self._shard_units()]
        part._rls = merge_systems([self._rls], which)
        part._visits = [None if p is None else n for p, n in zip(which, self._visits, strict=True)]
        return part

    def _join_shards(self, parts: Sequence[Any], owners: Sequence[int]) -> None:
        self._labels = Labels(self._taxonomy)
        which = [owners[unit[0]] for unit in self._shard_units()]
        self._rls = merge_systems([part._rls for part in parts], which)
        self._visits = [parts[p]._visits[s] for s, p in enumerate(which)]

    @abc.abstractmethod
    def _trained_systems(self, trained: NDArray[np.intp]) -> Iterable[int]:
        """The systems of the nodes that are trained."""

    @abc.abstractmethod
    def _places(self) -> dict[int, tuple[int, int]]:
        """The system of each node, and its position in it."""

    def _check_many(self, X: Batch) -> None:
        w = np.ones(X.n) if X.weights is None else X.weights
        if X.n and X.most_norm2 * w.max() > self._safe_norm2:
            norms2 = w * Vectors(self._features, X).norms2
            i = int(norms2.argmax())
            if norms2[i] > self._safe_norm2:
                with at_row(X.number(i)):
                    raise self._lost_in_rounding(X.row(i), float(w[i]))

    @property
    def _safe_norm2(self) -> float:
        return LARGEST_RATIO * float(self.l2)

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        if w * self._features.find(x).norm2 > self._safe_norm2:
            raise self._lost_in_rounding(x, w)

    def _lost_in_rounding(self, x: Mapping[Any, Any], w: float) -> ValueError:
        norm2 = self._features.find(x).norm2
        of_x = "x" if w == 1.0 else f"x times its weight {w:.3g}"
        return ValueError(
            f"`l2` = {self.l2} is lost in rounding beside the squared norm of {of_x}, {norm2:.3g}; "
            "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
        )
