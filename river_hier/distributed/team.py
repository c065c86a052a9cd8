"""A model in parts: one in front, which learns at no node, and the shards."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import Batch, Labels, Multilabels, top_down_probabilities
from .._backend.reference.paths import top_down
from ..base import Floats
from ..base.mini_batch import ColumnNames
from ..taxonomy import Taxonomy
from .encoding import one_row, sent
from .plan import Plan, works
from .shard import Model, Shard, Stage
from .shards import Shards


class Team:
    """A model whose nodes learn in shards.

    The part in front knows the names of features, the taxonomy and the rounds. It refuses what the
    model would refuse, before anything is sent.
    """

    def __init__(self, whole: Model, n_shards: int, start: Callable[[list[Shard]], Shards]) -> None:
        self._plan = Plan(n_shards)
        self._owners = self._owners_in(whole)
        self._shards = start([Shard(whole, place, self._owners) for place in range(n_shards)])
        self.front: Model = copy.deepcopy(whole._part([]))
        # Those that the front has learned: should one get lost on its way, the next is refused.
        self._n_batches = 0

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one example."""
        front, before = self.front, self.front._taxonomy
        front._make_room(x, y)
        grown = self._follow(before)
        front._learn(x, y)
        self._n_batches += 1
        on = Multilabels.of(front._taxonomy.multilabel(y)[None])
        self._shards.learn(self._n_batches, [Stage(grown, one_row(x), on)])

    def learn_many(self, X: Any, y: Any, columns: ColumnNames, labels: ColumnNames) -> None:
        """Learn from a mini-batch."""
        front = self.front
        batch, parts = front._read_many(X, y, columns, labels)
        self._n_batches += 1
        stages = []
        for first, last, taxonomy, on in parts:
            before, rows = front._taxonomy, batch.part(first, last)
            if taxonomy is not before:
                front._grow(taxonomy, {})
            stages.append(Stage(self._follow(before), sent(rows), on))
            front._learn_many(rows, on)
        self._shards.learn(self._n_batches, stages)

    def decided(self, X: Batch) -> NDArray[np.bool_]:
        """The nodes that are on, (nodes, rows): from the top down those that say yes."""
        return top_down(self._asked("decide", X, bool), self.front._taxonomy.arrays)

    def scored(self, X: Batch) -> Floats:
        """The scores of all nodes, (nodes, rows)."""
        return self._asked("score", X, float)

    def likely(self, X: Batch) -> Floats:
        """The probability that each node is on, (nodes, rows)."""
        given = self.front._conditionals(self.scored(X))
        return top_down_probabilities(given, self.front._taxonomy.arrays)

    def gathered(self) -> Model:
        """All parts in one ordinary model."""
        whole = copy.deepcopy(self.front)
        whole._join(self._shards.models(), self._owners)
        return whole

    def stop(self) -> None:
        """End the shards."""
        self._shards.stop()

    def _owners_in(self, model: Model) -> list[int]:
        units, taxonomy = model._units(), model._taxonomy
        work = works(units, model._effort(), taxonomy.arrays)
        return self._plan.owners(taxonomy, units, work)

    def _follow(self, before: Taxonomy) -> tuple[Taxonomy, list[int]] | None:
        """If the taxonomy has grown, the new one and who learns where: none of them in front."""
        taxonomy = self.front._taxonomy
        if taxonomy is before:
            return None
        self.front._labels = Labels(taxonomy, [])
        self._owners = self._owners_in(self.front)
        return taxonomy, self._owners

    def _asked(self, what: str, X: Batch, kind: type) -> NDArray[Any]:
        """What the shards say of their nodes, put together."""
        found: NDArray[Any] = np.zeros((len(self._owners), X.n), dtype=kind)
        owners = np.array(self._owners)
        for place, part in enumerate(self._shards.ask(what, sent(X))):
            found[owners == place] = part
        return found
