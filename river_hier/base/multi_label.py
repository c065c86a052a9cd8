"""The base class of multilabel learners."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import Batch, Multilabels, closed_many, top_down_probabilities, trained_nodes
from ..taxonomy import Label, Taxonomy
from ..taxonomy.multilabel import implied_nodes
from ..taxonomy.open import named, with_labels
from .checks import checked_weight
from .explanation import Floats
from .model import TaxonomyModel
from .predictor import MultiLabelPredictor
from .targets import closed_table
from .unseen import Unseen, replaced


class MultiLabelModel(TaxonomyModel, MultiLabelPredictor):
    """A multilabel classifier whose predictions contain all ancestors of their labels.

    Unless a learner defines another rule, it predicts from the top down: a node is on if its
    parents are on and its own score is at least zero, so an untrained node is on. Before its first
    example a model predicts no label; its probabilities, to which a `threshold` is compared, are
    then 1/2 given that the parents are on.
    """

    _decision_rule = "a node is on if its parent is on and its score is >= 0"

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if hasattr(y, "__next__"):  # it can be iterated over only once
            y = list(y)
        labels = self._labels
        before = self._taxonomy
        if self.taxonomy is before or (taxonomy := self._with_labels(y)) is before:
            self._learn(x, y, w)
        else:
            self._grow(taxonomy, x, y, w)
        if labels.n_unseen or not labels.has_learned:
            labels.learned(np.array(sorted(implied_nodes(self._taxonomy, y)), dtype=np.uint32))

    @property
    def _never_predicted(self) -> Unseen:
        """The unseen nodes; all of them before the first example."""
        if self._labels.has_learned:
            return self._unseen
        return frozenset(range(1, len(self._taxonomy)))

    def _with_labels(self, y: Any) -> Taxonomy:
        """The taxonomy with the labels of a multilabel, which an open one may lack."""
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, taxonomy, named(y))
            if taxonomy is not self._taxonomy and isinstance(y, Mapping):
                implied_nodes(taxonomy, y)  # an error if y is invalid
        return taxonomy

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Label, dict[bool, float]]:
        """The probability of each node but the root, `{label: {False: 1 - p, True: p}}`.

        Each is the product along the path of the nodes' probabilities given that their parents are
        on, so it is never above its parent's, and a label that `predict_one` switches on may have a
        probability below one half.
        """
        return self._labels.probabilities(self._probabilities_one(x))

    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        given = replaced(self._conditionals(self._scores_one(x)), self._unseen, 0)
        return self._labels.marginals(given)

    def _probabilities_one(self, x: Mapping[Any, Any]) -> Any:
        return self._node_probabilities(x)

    def _targets(self, ys: Any, first: int, last: int) -> Multilabels:
        if isinstance(ys, Batch):
            if (found := closed_table(self._taxonomy, ys, first, last)) is not None:
                return found
            ys, first, last = list(ys.part(first, last)), 0, last - first
        is_open = not isinstance(self.taxonomy, Taxonomy)
        return Multilabels(*closed_many(self._labels, ys, first, last, is_open))

    def _read(self, y: Any) -> Any:
        return implied_nodes(self._with_labels(y), y)

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        return f"Prediction: {self.predict_labels_one(x)!r}; {self._decision_rule}"

    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        on = np.array([True, *self.predict_one(x).values()])
        visited = set(trained_nodes(on, self._taxonomy._arrays).tolist())
        # The visited nodes, each after its parent, and only once even if it has several.
        order: dict[int, bool] = {}
        stack = [0]
        while stack:
            v = stack.pop()
            if v in visited:
                order.setdefault(v, bool(on[v]))
            if on[v]:
                stack += [c for c in reversed(self._taxonomy._arrays.children[v]) if c in visited]
        return order

    def _probabilities(self, X: Batch) -> Floats:
        given = replaced(self._conditionals(self._scores_many(X)), self._unseen, 0)
        return top_down_probabilities(given, self._taxonomy._arrays, in_place=True).T

    def _record(self, y: Multilabels) -> None:
        if self._labels.n_unseen or not self._labels.has_learned:
            self._labels.learned(np.unique(y.nodes))

    # Defined by the learner, beside `_nodes_on`

    @abc.abstractmethod
    def _conditionals(self, scores: Floats) -> Floats:
        """P(node on | parents on) for every node, from the scores."""
