"""Multilabel predictions from the nodes that are on: as a list of labels, or as a dictionary."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Label
from .classifiers import last_step_and_input
from .truncation import (
    Predictor,
    check_keywords,
    connected_nodes,
    labels_in,
    likely_nodes,
    taxonomy_of,
    true_nodes,
)
from .unseen import unseen_of


class LabelPredictor(Predictor):
    """Base class of multilabel models: `predict_one` and `predict_labels_one`."""

    def predict_labels_one(
        self: Any,
        x: Mapping[Any, Any],
        threshold: float | None = None,
        max_depth: int | None = None,
    ) -> list[Label]:
        """Predict the labels that are on, from the top down: those that `predict_one` maps to True.

        The linear learners score only the children of nodes that are on, so the cost does not grow
        with the number of the other nodes. Pipelines do not forward this method: call it on the
        last step, with `pipeline.transform_one(x)`.

        Parameters
        ----------
        x
            A dictionary of features.
        threshold
            As in `predict_one`; takes O(nodes).
        max_depth
            As in `predict_one`.

        Returns
        -------
        The labels in taxonomy order, so that parents come before their children. The root, which is
        always on, is left out: an empty list means that nothing else is on.

        """
        taxonomy = taxonomy_of(self)
        if threshold is not None or max_depth is not None:
            check_keywords(threshold, max_depth)
        if threshold is not None:
            nodes = likely_nodes(self, x, threshold, max_depth)
        else:
            nodes = self._learned_nodes_on(x)
            if max_depth is not None:
                nodes = connected_nodes(taxonomy, nodes, max_depth)
        labels = taxonomy.nodes
        return [labels[v] for v in nodes]

    def _predict(self: Any, x: Mapping[Any, Any]) -> dict[Label, bool]:
        """`{label: whether it is on}` for all nodes but the root."""
        return labels_in(self).dictionary(self._learned_nodes_on(x))

    def _learned_nodes_on(self: Any, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without unseen ones."""
        unseen = unseen_of(self)
        nodes = self._nodes_on(x)
        return [v for v in nodes if v not in unseen] if unseen else nodes

    @abc.abstractmethod
    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root, in taxonomy order."""


def nodes_on(model: Any, x: Mapping[Any, Any]) -> list[int]:
    """The nodes that are on in the prediction of any model, or of a pipeline that ends in one."""
    last, x = last_step_and_input(model, x)
    if hasattr(last, "_learned_nodes_on"):
        nodes: list[int] = last._learned_nodes_on(x)
        return nodes
    return true_nodes(taxonomy_of(last), last.predict_one(x))


def masked_nodes(on: NDArray[np.bool_]) -> list[int]:
    """The nodes of a mask, without the root."""
    nodes: list[int] = (np.flatnonzero(on[1:]) + 1).tolist()
    return nodes
