"""Learners that answer with one label."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from river import base

from ..taxonomy import Label, Taxonomy
from ..taxonomy.open import grown
from .model import TaxonomyModel


class SingleLabelModel(TaxonomyModel, base.Classifier):
    """A classifier whose labels are the nodes of a taxonomy, the root and inner nodes included.

    It predicts the label with the largest score; ties go to the first in taxonomy order.
    """

    _first = 0

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Label) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features with finite values.
        y
            The label, any node of the taxonomy.

        """
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = grown(self.taxonomy, self._taxonomy, [y])
            if taxonomy is not self._taxonomy:
                self._grow(taxonomy, x)
        self._learn(x, self._taxonomy.index(y))

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """Predict the label of x: the node with the largest score.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The label.

        """
        return self._answer(x)

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """A distribution over all nodes: the softmax of the scores, which are not calibrated.

        Its largest entry is the prediction, unless two scores differ by no more than a rounding
        error and their exponentials not at all.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability}`, the root included; the sum is 1.

        """
        scores = self._scores_one(x)
        likely = np.exp(scores - scores.max())
        return dict(zip(self._taxonomy.nodes, (likely / likely.sum()).tolist(), strict=True))

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        return f"Prediction: {self.predict_one(x)!r}, by the sum of the weights on its path"

    def _debug_nodes(self, x: Mapping[Any, Any]) -> list[int]:
        above = self._taxonomy.path(self.predict_one(x))
        return [self._taxonomy.index(label) for label in above]

    # What an algorithm fills in

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: int) -> None:
        """Learn from an example, given the node of its label."""

    @abc.abstractmethod
    def _answer(self, x: Mapping[Any, Any]) -> Label:
        """The label of x."""
