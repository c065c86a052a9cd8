"""Coordination of the shards from the driver process."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import Batch, Labels, Multilabels, top_down_probabilities
from .._backend.reference.feature_index import read
from .._backend.reference.paths import top_down
from ..base.explanation import Floats
from ..base.turns import Rows, turn_of
from ..taxonomy import Taxonomy
from .plan import Plan, unit_loads
from .shard import Growth, Model, Shard, Stage


class Coordinator:
    """Sends batches to the shards and combines their results.

    `driver` is the model without any trained node. It holds the feature index, the taxonomy and
    the round counter, and it refuses invalid input before anything is sent to the shards. `start`
    takes the shards and returns an `ActorPool`, or in tests a substitute with the same methods.
    """

    def __init__(self, whole: Model, n_shards: int, start: Callable[[list[Shard]], Any]) -> None:
        self._plan = Plan(n_shards)
        self._owners = self._owners_in(whole)
        self._shards = start([Shard(whole, index, self._owners) for index in range(n_shards)])
        self.driver: Model = copy.deepcopy(whole._shard([]))
        # Batches that the driver has learned: if one is lost on its way, shards refuse the next.
        self._n_batches = 0

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        """Learn from one example."""
        if isinstance(y, Iterator):  # it is needed more than once
            y = list(y)
        driver, before = self.driver, self.driver._taxonomy
        driver._make_room(x, y, w)
        growth = self._growth(before)
        driver._learn(x, y, w)
        self._n_batches += 1
        on = Multilabels.of(driver._taxonomy.closure_mask(y)[None])
        self._shards.learn(self._n_batches, [Stage(growth, one_row(x, w), on)])

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
            stages.append(Stage(self._growth(before), without_empty_columns(rows), on))
            driver._learn_many(rows, on, Rows(turn_of(driver)))
        self._shards.learn(self._n_batches, stages)

    def predictions(self, X: Batch) -> NDArray[np.bool_]:
        """The nodes that are on, (nodes, rows), decided from the top down."""
        return top_down(self._collect("decide", X, bool), self.driver._taxonomy.arrays)

    def scores(self, X: Batch) -> Floats:
        """The scores of all nodes, (nodes, rows)."""
        return self._collect("score", X, float)

    def probabilities(self, X: Batch) -> Floats:
        """The probability that each node is on, (nodes, rows)."""
        given = self.driver._conditionals(self.scores(X))
        return top_down_probabilities(given, self.driver._taxonomy.arrays)

    def gather(self) -> Model:
        """Join all shards in one ordinary model."""
        whole = copy.deepcopy(self.driver)
        whole._join_shards(self._shards.models(), self._owners)
        return whole

    def stop(self) -> None:
        """Stop the shards."""
        self._shards.stop()

    def _owners_in(self, model: Model) -> list[int]:
        units, taxonomy = model._shard_units(), model._taxonomy
        loads = unit_loads(units, model._unit_costs(), taxonomy.arrays)
        return self._plan.owners(taxonomy, units, loads)

    def _growth(self, before: Taxonomy) -> Growth | None:
        """The taxonomy of the driver and the owners of its nodes, if it has grown."""
        taxonomy = self.driver._taxonomy
        if taxonomy is before:
            return None
        self.driver._labels = Labels(taxonomy, [])  # the driver trains none of them
        self._owners = self._owners_in(self.driver)
        return Growth(taxonomy, self._owners)

    def _collect(self, method: str, X: Batch, dtype: type) -> NDArray[Any]:
        """Call a method of each shard; the rows of its nodes in one array, (nodes, rows)."""
        collected: NDArray[Any] = np.zeros((len(self._owners), X.n), dtype=dtype)
        owners = np.array(self._owners)
        for index, rows in enumerate(self._shards.call(method, without_empty_columns(X))):
            collected[owners == index] = rows
        return collected


def one_row(x: Mapping[Any, Any], w: float = 1.0) -> Batch:
    """A batch of one example."""
    values, _ = read(x)
    return Batch(list(x), values.reshape(1, -1), weights=np.array([w]))


def without_empty_columns(X: Batch) -> Batch:
    """The same rows, without the names of columns that have no entry in them."""
    if X.columns is None:
        return X
    used, columns = np.unique(X.columns, return_inverse=True)
    names = [X.names[c] for c in used.tolist()]
    return Batch(names, X.values, columns.astype(np.uint32), X.start, X.weights)
