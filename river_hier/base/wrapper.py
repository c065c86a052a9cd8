"""What those have in common that are built around a model: they learn as it does."""

from __future__ import annotations

from typing import Any

import numpy as np
from river import base

from ..taxonomy import (
    Label,
    NodeMapping,
    Renamed,
    Taxonomy,
    TaxonomyLike,
    map_nodes,
    without_branch,
)
from .classifiers import shown
from .model import Floats


class ModelWrapper(base.Wrapper[Any], base.Estimator):
    """Mother class of what stands around a model: its answers in another form, or its upkeep.

    Parameters
    ----------
    model
        The model, or a pipeline that ends in one.

    """

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def _wrapped_model(self) -> Any:
        return self.model

    @property
    def _last(self) -> Any:
        """The model itself, where it is the end of a pipeline."""
        return getattr(self.model, "_last_step", self.model)

    @property
    def taxonomy(self) -> TaxonomyLike:
        """The taxonomy of the model; `None` or an `OpenTaxonomy` where it is open."""
        taxonomy: TaxonomyLike = self._last.taxonomy
        return taxonomy

    @property
    def _taxonomy(self) -> Taxonomy:
        """The taxonomy as it is now."""
        taxonomy: Taxonomy = getattr(self._last, "_taxonomy", self._last.taxonomy)
        return taxonomy

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, as the model does.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            What the model learns from.

        """
        self.model.learn_one(x, y, **kwargs)

    def adopt(self, taxonomy: Taxonomy, renamed: Renamed | None = None) -> None:
        """Carry on with another taxonomy, as the model does; not to be asked of the model alone.

        Parameters
        ----------
        taxonomy
            The taxonomy to carry on with.
        renamed
            `{old label: new label}`, or `{old label: None}` for what is forgotten.

        """
        change = map_nodes(self._taxonomy, taxonomy, renamed)
        self._check_taxonomy(taxonomy)
        self._last.adopt(taxonomy, renamed)
        self._remap(change)

    def forget(self, label: Label) -> None:
        """Start anew at a node and all that is below it, as the model does, and here as well.

        Parameters
        ----------
        label
            The node.

        """
        change = without_branch(self._taxonomy, label)
        self._last.forget(label)
        self._remap(change)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise an error if this one will not do."""

    def _remap(self, change: NodeMapping) -> None:
        """Let nodes carry on what has been learned about them here, and not in the model."""

    def _scores_one(self, x: dict[Any, Any]) -> Floats:
        """The score of every node; the root has one only where it can be an answer."""
        if hasattr(self.model, "_scores_one"):  # no need of a dict
            found: Floats = self.model._scores_one(x)
            return found
        scores = list(self.model.score_one(x).values())
        return np.array([0.0] * (len(self._taxonomy) - len(scores)) + scores)


def check_model(model: Any, *methods: str) -> None:
    """A model in a taxonomy that has these methods."""
    last = getattr(model, "_last_step", model)
    missing = [m for m in methods if not callable(getattr(last, m, None))]
    if isinstance(model, type) or missing or not hasattr(last, "taxonomy"):
        wanted = " and ".join(f"`{m}`" for m in methods)
        raise TypeError(
            f"`model` must be a model in a taxonomy with {wanted}, "
            f"as those of linear_model are, got {shown(model)}"
        )
