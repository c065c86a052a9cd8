"""The predictions of a sharded model."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._core import Batch
from ..base.explanation import Floats
from ..base.mini_batches import MiniBatches
from ..base.predict_labels import LabelPredictor, masked_nodes
from ..base.truncation import truncatable
from ..base.turns import reads
from ..taxonomy import Label, Taxonomy
from .coordinator import Coordinator, one_row


class ShardedPredictions(MiniBatches, LabelPredictor, base.MultiLabelClassifier):
    """Predictions from the decisions and scores of all shards."""

    @truncatable
    def predict_one(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        """Predict the multilabel of x, as `model` would.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        return self._dictionary(x)

    @reads
    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Label, dict[bool, float]]:
        """Predict the probability that each node is on, as `model` would.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: {False: 1 - p, True: p}}` for all nodes but the root.

        """
        labels, on = self._taxonomy.nodes[1:], self._coordinator.probabilities(one_row(x))[1:, 0]
        return {v: {False: 1.0 - p, True: p} for v, p in zip(labels, on.tolist(), strict=True)}

    @reads
    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """Return the score of each label but the root, as `model` would.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}`.

        """
        scores = self._coordinator.scores(one_row(x))[1:, 0].tolist()
        return dict(zip(self._taxonomy.nodes[1:], scores, strict=True))

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        return self._coordinator.predictions(X).T

    def _probabilities(self, X: Batch) -> Floats:
        return self._coordinator.probabilities(X).T

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return masked_nodes(self._coordinator.predictions(one_row(x))[:, 0])

    @property
    @abc.abstractmethod
    def _taxonomy(self) -> Taxonomy:
        """The current taxonomy."""

    @property
    @abc.abstractmethod
    def _coordinator(self) -> Coordinator:
        """The coordinator of the shards."""
