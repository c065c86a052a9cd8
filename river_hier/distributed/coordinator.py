"""Coordination of the shards from the driver process."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import (
    Batch,
    FeatureIndex,
    Labels,
    Multilabels,
    Vectors,
    top_down,
    top_down_probabilities,
)
from .._core.reference.feature_index import read
from ..base import TopDownLearner
from ..base.explanation import Floats
from ..base.turns import Rows, turn_of
from ..base.unlearned import switched_off
from ..taxonomy import Taxonomy
from .plan import Plan, subtrees, unit_loads, visits_by_place
from .routes import Routes, distinct, rows_of, without_empty_columns
from .shard import Growth, Model, Shard, Stage

Mask = NDArray[np.bool_]
# For fewer rows, the shards compute all decisions at once: one round trip instead of several.
_FEW_ROWS = 32


class Coordinator:
    """Sends batches to the shards and combines their results.

    `driver` is the model without any trained node. It holds the feature index, the taxonomy and
    the round counter, and it refuses invalid input before anything is sent to the shards, where
    features are numbers. `start` takes the shards and returns an `ActorPool`, or in tests a
    substitute with the same methods. `visits`, if known, is the share of the examples that each
    node is on in.

    Shards of a `TopDownLearner` get the examples that they need; those of least squares get all,
    as their rounds count for every node.
    """

    def __init__(
        self,
        whole: Model,
        n_shards: int,
        start: Callable[[list[Shard]], Any],
        visits: Floats | None = None,
    ) -> None:
        self._n_shards = n_shards
        self._plan = Plan(n_shards)
        self._set_owners(whole, visits)
        self._shards = start([Shard(whole, index, self._owners) for index in range(n_shards)])
        self.driver: Model = copy.deepcopy(whole._shard([]))
        self._n_batches = 0  # those that the driver has learned
        self._lost: BaseException | None = None  # the error that has kept one from the shards

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        """Learn from one example."""
        if isinstance(y, Iterator):  # it is needed more than once
            y = list(y)
        driver, before = self.driver, self.driver._taxonomy
        driver._make_room(x, y, w)
        growth = self._growth(before)
        driver._learn(x, y, w)
        self._n_batches += 1
        on = Multilabels.of(driver._taxonomy._closure_mask(y)[None])
        driver._learned_labels(on)
        self._send([self._stages(growth, one_row(x, w), on)])

    def learn_many(self, X: Batch, ys: Any) -> None:
        """Learn from a mini-batch."""
        driver = self.driver
        blocks = driver._read_many(X, ys)
        self._n_batches += 1
        stages = []
        for first, last, taxonomy, on in blocks:
            before, rows = driver._taxonomy, X.part(first, last)
            if taxonomy is not before:
                driver._grow(taxonomy, {})
            growth = self._growth(before)
            if self._routes is None:
                driver._learn_many(rows, on, Rows(turn_of(driver)))  # counts the rounds
            driver._learned_labels(on)
            stages.append(self._stages(growth, rows, on))
        self._send(stages)

    def predictions(self, X: Batch) -> Mask:
        """The nodes that are on, (nodes, rows)."""
        arrays = self.driver._taxonomy._arrays
        tree = len(arrays.parent_index) == arrays.n - 1
        # The scores of dense batches may be matrix products, which differ from those of some rows.
        if self._routes and tree and X.n > _FEW_ROWS and X.columns is not None:
            on = self._descend(self._routes, self._numbered(X))
        else:
            on = top_down(self._collect("decide", X, bool), arrays)
        return switched_off(on, self.driver._unlearned)

    def scores(self, X: Batch) -> Floats:
        """The scores of all nodes, (nodes, rows)."""
        return self._collect("score", X, float)

    def probabilities(self, X: Batch) -> Floats:
        """The probability that each node is on, (nodes, rows)."""
        given = self.driver._conditionals(self.scores(X))
        given = switched_off(given, self.driver._unlearned)
        return top_down_probabilities(given, self.driver._taxonomy._arrays)

    def gather(self) -> Model:
        """Join all shards in one ordinary model."""
        whole = copy.deepcopy(self.driver)
        whole._join_shards(self._shards.models(), self._owners)
        return whole

    def stop(self) -> None:
        """Stop the shards."""
        self._shards.stop()

    def _set_owners(self, model: Model, visits: Floats | None = None) -> None:
        """Assign the nodes that have no shard yet."""
        taxonomy, arrays = model._taxonomy, model._taxonomy._arrays
        self._routes: Routes | None = None
        if isinstance(model, TopDownLearner):
            expected = visits_by_place(arrays)
            seen = expected if visits is None else visits + 0.01 * expected
            units, loads = subtrees(arrays, seen, self._n_shards)
        else:
            units = model._shard_units()
            loads = unit_loads(units, model._unit_costs(), arrays)
        self._owners = self._plan.owners(taxonomy, units, loads)
        if isinstance(model, TopDownLearner):
            self._routes = Routes(arrays, self._owners, self._n_shards)

    def _growth(self, before: Taxonomy) -> Growth | None:
        """The taxonomy of the driver and the owners of its nodes, if it has grown."""
        taxonomy = self.driver._taxonomy
        if taxonomy is before:
            return None
        self.driver._labels = Labels(taxonomy, [])  # the driver trains none of them
        self._set_owners(self.driver)
        return Growth(taxonomy, self._owners)

    def _stages(self, growth: Growth | None, X: Batch, y: Multilabels) -> list[Stage]:
        """The rows that each shard learns in the current taxonomy."""
        X = self._numbered(X, True)
        if self._routes is None:
            return [Stage(growth, without_empty_columns(X), y)] * self._n_shards
        return [Stage(growth, *part) for part in self._routes.split(X, y)]

    def _send(self, stages: list[list[Stage]]) -> None:
        """Send a batch, in stages that have a part for each shard."""
        parts = range(self._n_shards if self._routes else 1)
        messages = [[stage[index] for stage in stages] for index in parts]
        try:
            self._shards.learn(self._n_batches, messages * (self._n_shards // len(messages)))
        except BaseException as error:
            self._lost = error
            raise

    def check_complete(self) -> None:
        """Raise an error if not all shards have got all batches."""
        if self._lost is not None:
            raise RuntimeError(
                f"an earlier batch has not reached all shards ({self._lost!r}), so they no longer "
                "fit together; go back to a checkpoint"
            ) from self._lost

    def _numbered(self, X: Batch, insert: bool = False) -> Batch:
        """The same rows; the names of their columns are row numbers of the driver's features.

        Columns without a row get different negative numbers. Hashed features keep their names, as
        shards can hash them.
        """
        features: Any = self.driver._features
        if not isinstance(features, FeatureIndex):
            return X
        numbers: Any = Vectors(features, X, insert).rows_of_columns
        unknown = numbers < 0
        numbers[unknown] = -1 - np.arange(len(numbers))[unknown]
        return replace(X, names=numbers)

    def _descend(self, routes: Routes, X: Batch) -> Mask:
        """The nodes that are on, (nodes, rows), in a tree.

        In each round, a shard gets the rows that have nodes on above its own, and answers with the
        nodes that are on below these, as far as it has their children.
        """
        on: Mask = np.zeros((len(self._owners), X.n), dtype=bool)
        on[0] = True
        known = Multilabels(np.arange(X.n + 1), np.zeros(X.n, dtype=np.uint32))
        while len(known.nodes):
            asked: list[Any] = []
            for below in routes.below:
                part = known.keep(below[known.nodes])
                rows = distinct(part.rows)
                asked.append((rows, rows_of(X, rows), part.keep_rows(rows)))
            found = self._shards.call("descend", [part[1:] for part in asked])
            new = np.zeros_like(on)
            for (rows, *_), (start, nodes) in zip(asked, found, strict=True):
                here = rows[np.repeat(np.arange(len(rows)), np.diff(start))]
                fresh = ~on[nodes, here]
                on[nodes, here] = True
                new[nodes[fresh], here[fresh]] = True
            known = Multilabels.of(new.T)
        return on

    def _collect(self, method: str, X: Batch, dtype: type) -> NDArray[Any]:
        """Call a method of each shard; the rows of its nodes in one array, (nodes, rows)."""
        collected: NDArray[Any] = np.zeros((len(self._owners), X.n), dtype=dtype)
        owners, X = np.array(self._owners), without_empty_columns(self._numbered(X))
        for index, rows in enumerate(self._shards.call(method, [X] * self._n_shards)):
            collected[owners == index] = rows
        return collected


def visits(model: Model, X: Batch, ys: Any) -> Floats | None:
    """The share of the rows of a batch in which each node is on; `None` if nodes are new."""
    for first, last, taxonomy, on in model._read_many(X, ys)[:1]:
        if taxonomy is model._taxonomy:
            return np.bincount(on.nodes, minlength=len(taxonomy)) / (last - first)
    return None


def one_row(x: Mapping[Any, Any], w: float = 1.0) -> Batch:
    """A batch of one example."""
    values, _ = read(x)
    return Batch(list(x), values.reshape(1, -1), weights=np.array([w]))
