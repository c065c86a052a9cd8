"""One shard: an ordinary model of which only some nodes learn."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._backend import Batch, Labels, Multilabels, Vectors, core
from ..base import Floats
from ..linear_model.least_squares import LeastSquaresModel
from ..linear_model.top_down import TopDownModel
from ..taxonomy import Taxonomy

Mask = NDArray[np.bool_]
Model = LeastSquaresModel | TopDownModel


class Stage(NamedTuple):
    """Rows that are learned in one taxonomy; `grown` is that one, and its owners, if it is new."""

    grown: tuple[Taxonomy, list[int]] | None
    X: Batch
    y: Multilabels


class Shard:
    """The part of a model that learns at the nodes whose owner is `place`.

    It sees every example, as it must: the round counts, and so do the names of features. Batches
    are numbered from 1, so that one that comes again is not learned twice.
    """

    def __init__(self, whole: Model, place: int, owners: Sequence[int]) -> None:
        self.place = place
        self._own(owners)
        self.model: Model = whole._part(self.nodes)
        self.n_learned = 0
        self.core = core

    def learn(self, number: int, stages: Sequence[Stage]) -> None:
        """Learn a batch, unless it is known."""
        if number <= self.n_learned:
            return
        if number > self.n_learned + 1:
            raise RuntimeError(
                f"shard {self.place} has learned {self.n_learned} batches and cannot go on with "
                f"batch {number}; an earlier error has lost some"
            )
        for grown, X, y in stages:
            if grown is not None:
                taxonomy, owners = grown
                self.model._grow(taxonomy, {})
                self._own(owners)
                self.model._labels = Labels(taxonomy, self.nodes)
            self.model._learn_many(X, y)
        self.n_learned = number

    def decide(self, X: Batch) -> Mask:
        """Which of the shard's nodes say yes, (nodes, rows): each as if its parents were on."""
        asked = copy.copy(self.model)
        asked._labels = Labels(self.model._taxonomy.flatten())
        on: Mask = asked._answers(Vectors(asked._features, X))[:, self.nodes].T
        return on

    def score(self, X: Batch) -> Floats:
        """The scores of the shard's nodes, (nodes, rows)."""
        scores: Floats = self.model._scores(Vectors(self.model._features, X))[self.nodes]
        return scores

    def _own(self, owners: Sequence[int]) -> None:
        self.nodes = [v for v, place in enumerate(owners) if place == self.place]
