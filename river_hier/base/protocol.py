"""What models offer to each other beside their public methods: arrays in place of dictionaries.

Wrappers, decoders, truncated predictions and rankings take them from `inner(model)`, which is a
`Predictor`: the model itself, or a `Foreign` around a model of another library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from .._core import Batch, Labels, labels_of
from ..taxonomy import Label, Taxonomy, TaxonomyLike
from .classifiers import last_step, last_step_and_input
from .explanation import Floats
from .predictor import Mask, Predictor
from .unseen import NONE, Unseen


class Inner(Protocol):
    """A model as wrappers see it. Multilabel models need no method for labels, and vice versa."""

    taxonomy: TaxonomyLike
    """The taxonomy that was given; `None` or an `OpenTaxonomy` if the model is open."""
    _taxonomy: Taxonomy
    """The taxonomy as it is now."""
    _labels: Labels
    """The labels of that taxonomy, which grow with it."""
    _never_predicted: Unseen
    """The nodes that are never predicted: unseen ones and, without a taxonomy, the root."""

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        """The prediction by the model's own rule."""

    def _learned_nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root and those never predicted, in order."""

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        """The score of each node; 0 for the root of a multilabel model, which has none."""

    def _probabilities_one(self, x: Mapping[Any, Any]) -> Any:
        """P(on) of each node, for the functions of `_core` that decide by it."""

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        """P(label) of each node, nan if it has none; may be `None` if the prediction is `None`."""

    def _labels_of(self, X: Batch) -> list[Label]:
        """The single label of each row."""

    def _masks(self, X: Batch) -> Mask:
        """The nodes that are on, (rows, nodes); those never predicted may be among them."""

    def _scores_many(self, X: Batch) -> Floats:
        """The score of each node, (nodes, rows)."""

    def _probabilities(self, X: Batch) -> Floats:
        """P(on) or P(label) of each node, (rows, nodes)."""

    def _checked(self, X: Batch, ys: Any) -> bool:
        """Raise an error if a row is invalid; return whether all possible errors are checked."""

    def _learn_rows(self, X: Batch, ys: Any) -> Iterator[int]:
        """Learn the rows, all or none of them if one is invalid; yield how many are learned."""


class Foreign(Predictor):
    """A model of another library, or a pipeline: in a taxonomy, like the model at its end."""

    def __init__(self, model: Any) -> None:
        self._last = last_step(model)
        self.predict_one: Any = model.predict_one
        self.predict_proba_one: Any = model.predict_proba_one
        self.score_one: Any = getattr(model, "score_one", None)

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.predict_one(x)

    @property
    def taxonomy(self) -> Any:
        return self._last.taxonomy

    @property
    def _taxonomy(self) -> Any:
        return getattr(self._last, "taxonomy_", self._last.taxonomy)

    @property
    def _labels(self) -> Any:
        return self._last._labels if is_ours(self._last) else labels_of(self._taxonomy)

    @property
    def _never_predicted(self) -> Any:
        return self._last._never_predicted if is_ours(self._last) else NONE


def is_ours(model: Any) -> bool:
    """Whether a model implements the protocol; a pipeline that ends in one does not."""
    return Predictor in type(model).__mro__  # `isinstance` of an ABC takes as long as a prediction


def inner(model: Any) -> Inner:
    """Any model in a taxonomy, or a pipeline that ends in one, as an `Inner`."""
    return cast(Inner, model if is_ours(model) else Foreign(model))


def inner_and_input(model: Any, x: Any) -> tuple[Inner, Any]:
    """The model at the end of a pipeline as an `Inner`, and x as it reaches this model."""
    last, x = last_step_and_input(model, x)
    return inner(last), x
