"""The base class of model wrappers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from river import base

from .._core import Batch, Labels, labels_of
from ..taxonomy import (
    Label,
    NodeMapping,
    Renamed,
    Taxonomy,
    TaxonomyLike,
    map_nodes,
    only_adds,
    without_branch,
)
from .classifiers import cloned, last_step, shown
from .copies import deep_copy, snapshot
from .explanation import Floats
from .locks import Turn
from .memory import MeasuresMemory
from .mini_batches import Mask, MiniBatches, method_inside
from .turns import changes, turn_of


class ModelWrapper(MeasuresMemory, base.Wrapper[Any], base.Estimator):
    """Base class of model wrappers, which change a model's output or maintain the model.

    Learning is delegated to the model. State that the wrapper stores for nodes is remapped together
    with the model when that adopts another taxonomy or forgets a branch.

    River requires that the methods of wrappers accept `**kwargs`. Those that predict refuse every
    keyword (`refuse_unknown`), as there is none to pass on.

    Parameters
    ----------
    model
        The model, or a pipeline that ends in one.

    """

    _predicts_labels = True  # else scores or probabilities, for metrics only
    _only_observes = False  # whether it learns, and its model learns as it would without it

    _open_labels: Labels | None = None

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def _wrapped_model(self) -> Any:
        return self.model

    @property
    def _last(self) -> Any:
        """The model without the pipeline in front of it."""
        return last_step(self.model)

    @property
    def _turn(self) -> Turn:
        """The locks of the inner model, which may also be used directly."""
        return turn_of(self._last)

    __getstate__ = snapshot
    __deepcopy__ = deep_copy

    @property
    def taxonomy(self) -> TaxonomyLike:
        """The taxonomy of the model; `None` or an `OpenTaxonomy` if it is open."""
        taxonomy: TaxonomyLike = self._last.taxonomy
        return taxonomy

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy of the model, with all labels that have arrived."""
        taxonomy: Taxonomy = getattr(self._last, "taxonomy_", self._last.taxonomy)
        return taxonomy

    @property
    def _taxonomy(self) -> Taxonomy:
        return self.taxonomy_

    @property
    def _labels(self) -> Labels:
        """The labels of the current taxonomy; those of an open one grow with it."""
        taxonomy, labels = self._taxonomy, self._open_labels
        if isinstance(self.taxonomy, Taxonomy):
            return labels_of(taxonomy)
        if labels is None or not taxonomy._extends(labels.taxonomy):
            labels = self._open_labels = Labels(taxonomy)
        elif labels.taxonomy is not taxonomy:
            labels.grow(taxonomy)
        return labels

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a model with the same parameters, which has learned nothing.

        Parameters
        ----------
        new_params
            `{name: value}` of parameters that differ.
        include_attributes
            Whether to keep what has been learned, in the model inside as well.

        """
        return cloned(self, new_params, include_attributes)

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, as the model does.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The target, as the model takes it.
        kwargs
            Passed on to the model.

        """
        if self.model is self._last:  # whose `learn_one` waits for its turn
            self.model.learn_one(x, y, **kwargs)
        else:
            self._learn_all_steps(x, y, **kwargs)

    @changes
    def _learn_all_steps(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        self.model.learn_one(x, y, **kwargs)

    @changes
    def adopt(self, taxonomy: Taxonomy, renamed: Renamed | None = None) -> None:
        """Continue with another taxonomy. Call this on the wrapper, not on the model inside it.

        Parameters
        ----------
        taxonomy
            The new taxonomy.
        renamed
            `{old label: new label}`, or `{old label: None}` for nodes to forget.

        """
        if only_adds(self._taxonomy, taxonomy, renamed):
            self._check_taxonomy(taxonomy)
            self._last.adopt(taxonomy, renamed)
            return
        change = map_nodes(self._taxonomy, taxonomy, renamed)
        self._check_taxonomy(taxonomy)
        self._last.adopt(taxonomy, renamed)
        self._remap(change)

    @changes
    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it, in the model and in the wrapper.

        Parameters
        ----------
        label
            The node.

        """
        change = without_branch(self._taxonomy, label)
        self._last.forget(label)
        self._remap(change)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise an error if the wrapper does not work in this taxonomy."""

    def _remap(self, change: NodeMapping) -> None:
        """Move the wrapper's own state to other nodes, unless new nodes are all that changes."""

    def _scores_one(self, x: Any) -> Floats:
        """The score of each node; 0 for the root of a multilabel model, which has none."""
        if hasattr(self.model, "_scores_one"):  # without building a dict
            scores: Floats = self.model._scores_one(x)
            return scores
        values = list(self.model.score_one(x).values())
        return np.array([0.0] * (len(self._taxonomy) - len(values)) + values)


class BatchWrapper(MiniBatches, ModelWrapper):
    """Base class of wrappers that take mini-batches; predictions are those of the model inside."""

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        model, cls = self.model, type(self.model)
        if type(self).learn_one is not ModelWrapper.learn_one:  # the wrapper learns, too
            super()._learn_rows(X, ys)
        elif hasattr(cls, "_learn_rows"):
            model._learn_rows(X, ys)
        elif hasattr(cls, "_learn_stages"):
            model._learn_stages(X, model._read_many(X, ys))
        else:
            super()._learn_rows(X, ys)

    def _checked(self, X: Batch, ys: Any) -> bool:
        return checked_inside(self.model, X, ys)

    def _labels_of(self, X: Batch) -> list[Label]:
        labels: list[Label] = method_inside(self.model, "_labels_of")(X)
        return labels

    def _masks(self, X: Batch) -> Mask:
        masks: Mask = method_inside(self.model, "_masks")(X)
        return masks

    def _probabilities(self, X: Batch) -> Floats:
        p: Floats = method_inside(self.model, "_probabilities")(X)
        return p

    def _scores_many(self, X: Batch) -> Floats:
        """The scores of all nodes, (nodes, rows)."""
        if hasattr(type(self.model), "_scores_many"):
            scores: Floats = self.model._scores_many(X)
            return scores
        rows = [self._scores_one(x) for x in X]
        return np.array(rows).reshape(X.n, len(self._taxonomy)).T


def checked_inside(model: Any, X: Batch, ys: Any) -> bool:
    """`_checked` of any model; a pipeline is an instance of its last step's class."""
    cls = type(model)
    if hasattr(cls, "_checked"):
        return bool(model._checked(X, ys))
    if not hasattr(cls, "_read_many"):
        return False
    model._read_many(X, ys)
    return not model._may_refuse


def check_model(model: Any, *methods: str) -> None:
    """Raise an error unless this is a model in a taxonomy, with these methods."""
    last = last_step(model)
    missing = [m for m in methods if not callable(getattr(last, m, None))]
    in_taxonomy = hasattr(last, "taxonomy") and getattr(last, "_predicts_labels", True)
    if isinstance(model, type) or missing or not in_taxonomy:
        wanted = " and ".join(f"`{m}`" for m in methods)
        raise TypeError(
            f"`model` must be a model in a taxonomy with {wanted}, "
            f"as those of linear_model are, got {shown(model)}"
        )
