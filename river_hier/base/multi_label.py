"""Learners that answer with a multilabel."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from river import base

from .._backend import top_down_probabilities, trained_nodes
from ..taxonomy import Label, Taxonomy
from ..taxonomy.multilabel import is_one
from ..taxonomy.open import with_labels
from .model import Floats, TaxonomyModel
from .truncation import truncatable


class MultiLabelModel(TaxonomyModel, base.MultiLabelClassifier):
    """A multilabel classifier whose answers are closed upward.

    Unless a learner has another rule, it decides from the top down: a node is on if its parents
    are on and its own score is at least zero, so a node that has learned nothing says yes.
    """

    _first = 1
    _rule = "a node is on if its parent is on and its score is >= 0"

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features with finite values.
        y
            A multilabel: `{label: bool}`, an iterable of labels, or one label. Ancestors are
            filled in on a copy; a label on whose ancestor is explicitly False is refused. An open
            taxonomy takes a tuple as one label; name several in a set or a list.

        """
        if not isinstance(y, dict) and isinstance(y, Iterator):  # it can be walked only once
            y = list(y)
        if self.taxonomy is not self._taxonomy:  # it is open
            self._make_room(x, y)
        self._learn(x, y)

    def _make_room(self, x: Mapping[Any, Any], y: Any) -> None:
        """Let an open taxonomy grow along an example, unless something is wrong with it."""
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, self._taxonomy, self._named(y))
            if taxonomy is not self._taxonomy:
                taxonomy.multilabel(y)
                self._grow(taxonomy, x)

    @truncatable
    def predict_one(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        """Predict the multilabel of x.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        return self._answer(x)

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Label, dict[bool, float]]:
        """The probability that each node is on, never above its parent's.

        Each is the product along the path of the nodes' probabilities given that their parents are
        on, so a label that `predict_one` switches on may have a probability below one half.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: {False: 1 - p, True: p}}` for all nodes but the root.

        """
        on = self._node_probabilities(x).tolist()
        nodes = self._taxonomy.nodes
        return {nodes[v]: {False: 1.0 - on[v], True: on[v]} for v in range(1, len(nodes))}

    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        given = self._conditionals(self._scores_one(x))
        return top_down_probabilities(given, self._taxonomy.arrays)

    @staticmethod
    def _named(y: Any) -> list[Label]:
        """The labels that y names, on or off; a tuple is one label."""
        return [y] if is_one(y) or isinstance(y, tuple) else list(y)

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        on = [label for label, yes in self.predict_one(x).items() if yes]
        return f"Prediction: {on!r}; {self._rule}"

    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        on = np.array([True, *self.predict_one(x).values()])
        visited = set(trained_nodes(on, self._taxonomy.arrays).tolist())
        # The nodes that were asked, each under its parent, and once though it may have several.
        order: dict[int, bool] = {}
        stack = [0]
        index = self._taxonomy.label_index
        while stack:
            v = stack.pop()
            if v in visited:
                order.setdefault(v, bool(on[v]))
            if on[v]:
                children = self._taxonomy.children(self._taxonomy.nodes[v])
                stack += [index[c] for c in reversed(children) if index[c] in visited]
        return order

    # What an algorithm fills in

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from an example whose labels are in the taxonomy."""

    @abc.abstractmethod
    def _answer(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        """The multilabel of x."""

    @abc.abstractmethod
    def _conditionals(self, scores: Floats) -> Floats:
        """P(node on | parents on) for every node, from the scores."""
