"""One shard: an ordinary model that trains only some of its nodes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import (
    Batch,
    FeatureIndex,
    FeatureRows,
    Labels,
    Multilabels,
    Vectors,
    descend,
)
from ..base import TopDownLearner
from ..base.classifiers import shown
from ..base.copies import shallow_copy
from ..base.explanation import Floats
from ..base.turns import change
from ..linear_model.least_squares import LeastSquaresModel
from ..taxonomy import Taxonomy

Mask = NDArray[np.bool_]
Model = LeastSquaresModel | TopDownLearner


class Growth(NamedTuple):
    """A taxonomy that has grown, and the shard of each of its nodes."""

    taxonomy: Taxonomy
    owners: list[int]


class Stage(NamedTuple):
    """Rows that are learned in one taxonomy; `growth` is `None` unless it is a new one."""

    growth: Growth | None
    X: Batch
    y: Multilabels


class Shard:
    """A model that trains the nodes whose owner is `index`.

    Batches are numbered from 1, so that a batch that is sent again is not learned twice. The names
    of features are the numbers of their rows in the driver, unless they are hashed.
    """

    def __init__(self, whole: Model, index: int, owners: Sequence[int]) -> None:
        self.index = index
        self._flat: Labels | None  # of the flattened taxonomy, made for the first decision
        self._set_nodes(owners)
        self.model: Model = whole._shard(self.nodes)
        if isinstance(self.model._features, FeatureIndex):
            self.model._features = FeatureRows(self.model._features.intercept)
        self.n_learned: int = 0

    def learn(self, number: int, stages: Sequence[Stage]) -> None:
        """Learn a batch, unless it has been learned already."""
        if number <= self.n_learned:
            return
        if number > self.n_learned + 1:
            raise RuntimeError(
                f"shard {self.index} has learned {self.n_learned} batches and cannot go on with "
                f"batch {number}; an earlier error has lost some"
            )
        for growth, X, y in stages:
            if growth is not None:
                self.model._grow(growth.taxonomy, {})
                self._set_nodes(growth.owners)
                self.model._labels = Labels(growth.taxonomy, self.nodes)
            change(self.model, functools.partial(self.model._learn_many, _listed(X), y))
        self.n_learned = number

    def decide(self, X: Batch) -> Mask:
        """The decision of each node of the shard, (nodes, rows), given that its parents are on."""
        if self._flat is None:
            self._flat = Labels(self.model._taxonomy.flatten())
        flat = shallow_copy(self.model)
        flat._labels = self._flat
        on: Mask = flat._masks(_listed(X))[:, self.nodes].T
        return on

    def descend(self, rows: tuple[Batch, Multilabels]) -> tuple[Any, Any]:
        """The nodes that are on below those known to be on, as the fields of `Multilabels`."""
        X, known = rows
        model: Any = self.model
        return descend(model._w, model._labels, Vectors(model._features, _listed(X)), known)

    def score(self, X: Batch) -> Floats:
        """The scores of the nodes of the shard, (nodes, rows)."""
        scores: Floats = self.model._scores_many(_listed(X))[self.nodes]
        return scores

    def _set_nodes(self, owners: Sequence[int]) -> None:
        self.nodes: list[int] = [v for v, index in enumerate(owners) if index == self.index]
        self._flat = None


def _listed(X: Batch) -> Batch:
    """The same rows, whose names are a list."""
    names: Any = X.names
    return replace(X, names=names.tolist()) if isinstance(names, np.ndarray) else X


# How models learn and predict. Shards do not call these methods, or not with all nodes.
_NOT_OVERRIDABLE = (
    "learn_one",
    "learn_many",
    "predict_one",
    "predict_proba_one",
    "score_one",
    "predict_many",
    "predict_proba_many",
    "_learn",
    "_learn_many",
)


def check_shardable(model: object) -> None:
    """Raise an error unless each node of the model can be trained in a shard of its own."""
    cls = type(model)  # of a pipeline, `isinstance` would look at the last step
    if not issubclass(cls, Model) or getattr(model, "_lag", None) is not None:
        raise TypeError(
            "`model` must learn at each node by itself, as a `TopDownLearner`, linear_model.HRLS "
            f"and SHRLS do, got {shown(model)}; where the scores of nodes are compared, "
            "as in Hieron, shards would have to agree about every example"
        )
    for method in _NOT_OVERRIDABLE:
        owner = next(base for base in cls.__mro__ if method in vars(base))
        if owner.__module__.partition(".")[0] != __name__.partition(".")[0]:
            raise TypeError(
                f"`model` must learn and predict as the library does, but {cls.__name__} overrides "
                f"`{method}`, which shards would not apply node by node; write its update as the "
                "`rule` of a base.TopDownLearner, or train it in one process"
            )
