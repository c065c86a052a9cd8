"""What H-PERC and H-AROW share: their predictions. They differ in their update."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._backend import (
    Labels,
    Vector,
    Vectors,
    Weights,
    joined_weights,
    own_weights,
    remap_weights,
    top_down_answer,
    top_down_answers,
    weights_of,
)
from ..base import MiniBatchMultiLabelModel, check_dtype
from ..base.model import Floats
from ..taxonomy import Label, NodeMapping, TaxonomyLike


class TopDownModel(MiniBatchMultiLabelModel):
    """A weight vector at every node, evaluated from the top down."""

    _w: Weights

    def __init__(self, taxonomy: TaxonomyLike, n_features: int | None, dtype: str) -> None:
        super().__init__(taxonomy, n_features)
        check_dtype("dtype", dtype)
        self.dtype = dtype

    def _answer(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        return top_down_answer(self._w, self._features, self._labels, x)

    def _answers(self, X: Vectors) -> NDArray[np.bool_]:
        return top_down_answers(self._w, self._labels, X)

    def _scores(self, x: Vector | Vectors) -> Floats:
        return self._w.scores(x)

    def _conditionals(self, scores: Floats) -> Floats:
        likely: Floats = expit(scores)
        return likely

    def _weights(self, v: int, n_features: int) -> Floats:
        return self._w.column(v, n_features)

    def _remap(self, change: NodeMapping) -> None:
        self._w = remap_weights(self._w, own_weights(change.sources, len(change.before)))

    def _add_nodes(self, before: int, after: int) -> None:
        self._w.add_nodes(after)

    # In parts, of which each learns at some of the nodes

    def _units(self) -> list[list[int]]:
        return [[v] for v in range(1, len(self._taxonomy))]

    def _effort(self) -> list[float]:
        return [0.0] * (len(self._taxonomy) - 1)

    def _part(self, nodes: Sequence[int]) -> Self:
        part = copy.copy(self)
        part._labels = Labels(self._taxonomy, nodes)
        part._w = weights_of(self._w, nodes, len(self._taxonomy))
        return part

    def _join(self, parts: Sequence[Any], owners: Sequence[int]) -> None:
        self._labels = Labels(self._taxonomy)
        self._w = joined_weights([part._w for part in parts])
