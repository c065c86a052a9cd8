"""Learners that answer with a multilabel, decided from the top down."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._kernels import Vector, top_down, top_down_probabilities, trained_nodes
from ..taxonomy import Label
from ..taxonomy.multilabel import is_one
from .model import Floats, TaxonomyModel

Mask = NDArray[np.bool_]


class MultiLabelModel(TaxonomyModel, base.MultiLabelClassifier):
    """A top-down multilabel classifier.

    A node is on if its parents are on and its own score is at least zero, so a node that has
    learned nothing says yes. It learns only from examples in which its parents are truly on.
    """

    _first = 1

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
        if isinstance(y, Iterator):  # it can be walked only once
            y = list(y)
        taxonomy = self._with(self._labels(y)) if self.taxonomy is None else self._taxonomy
        on = taxonomy.multilabel(y)
        self._check(x)
        vector = self._features.insert(x)
        self._adopt(taxonomy)
        self._learn(vector, on)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Label, bool]:
        """Predict the multilabel of x.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        on = self._decide(self._features.find(x)).tolist()
        return dict(zip(self._taxonomy.nodes[1:], on[1:], strict=True))

    def predict_proba_one(
        self, x: Mapping[Any, Any], **kwargs: Any
    ) -> dict[Label, dict[bool, float]]:
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
        given = self._conditionals(self._scores(self._features.find(x)))
        on = top_down_probabilities(given, self._taxonomy.arrays).tolist()
        nodes = self._taxonomy.nodes
        return {nodes[v]: {False: 1.0 - on[v], True: on[v]} for v in range(1, len(nodes))}

    @staticmethod
    def _labels(y: Any) -> list[Label]:
        """The labels that y names, on or off; a tuple is one label."""
        return [y] if is_one(y) or isinstance(y, tuple) else list(y)

    def _decide(self, x: Vector) -> Mask:
        """The nodes that are on."""
        return top_down(self._scores(x) >= 0.0, self._taxonomy.arrays)

    def _trained(self, on: Mask) -> NDArray[np.intp]:
        """The nodes that may learn: those whose parents are truly on."""
        return trained_nodes(on, self._taxonomy.arrays)

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        on = [label for label, yes in self.predict_one(x).items() if yes]
        return f"Prediction: {on!r}; a node is on if its parent is on and its score is >= 0"

    def _debug_nodes(self, x: Vector, scores: Floats) -> list[int]:
        on = self._decide(x)
        visited = set(self._trained(on).tolist())
        # The nodes that were asked, each under its parent, and once though it may have several.
        order: dict[int, None] = {}
        stack = [0]
        index = self._taxonomy.label_index
        while stack:
            v = stack.pop()
            if v in visited:
                order.setdefault(v)
            if on[v]:
                children = self._taxonomy.children(self._taxonomy.nodes[v])
                stack += [index[c] for c in reversed(children) if index[c] in visited]
        return list(order)

    # What an algorithm fills in

    def _check(self, x: Mapping[Any, Any]) -> None:
        """Raise an error if the algorithm cannot learn from x; nothing has been written yet."""

    @abc.abstractmethod
    def _learn(self, x: Vector, on: Mask) -> None:
        """Learn from a vector and the mask of its closed multilabel."""

    @abc.abstractmethod
    def _conditionals(self, scores: Floats) -> Floats:
        """P(node on | parents on) for every node, from the scores."""
