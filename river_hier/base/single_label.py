"""Learners that answer with one label."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from river import base

from .._backend import subtree_sums
from ..taxonomy import Label, Taxonomy
from ..taxonomy.open import with_labels
from .model import Floats, TaxonomyModel
from .truncation import truncatable


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
            taxonomy = with_labels(self.taxonomy, self._taxonomy, [y])
            if taxonomy is not self._taxonomy:
                self._grow(taxonomy, x)
        self._learn(x, self._taxonomy.index(y))

    @truncatable
    def predict_one(self, x: Mapping[Any, Any]) -> Any:
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

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
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
        return dict(zip(self._taxonomy.nodes, self._softmax(x).tolist(), strict=True))

    def _softmax(self, x: Mapping[Any, Any]) -> Floats:
        scores = self._scores_one(x)
        likely = np.exp(scores - scores.max())
        normalised: Floats = likely / likely.sum()
        return normalised

    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        return subtree_sums(self._softmax(x), self._taxonomy.arrays)

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        return f"Prediction: {self.predict_one(x)!r}, by the sum of the weights on its path"

    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        t, scores = self._taxonomy, self._scores_one(x)
        path = t.path(self.predict_one(x))
        asked = {0: True}
        for here, there in zip(path, [*path[1:], None], strict=True):
            lost = [t.index(label) for label in t.children(here) if label != there]
            if lost:
                asked[max(lost, key=scores.__getitem__)] = False
            if there is not None:
                asked[t.index(there)] = True
        return asked

    # What an algorithm fills in

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: int) -> None:
        """Learn from an example, given the node of its label."""

    @abc.abstractmethod
    def _answer(self, x: Mapping[Any, Any]) -> Label:
        """The label of x."""
