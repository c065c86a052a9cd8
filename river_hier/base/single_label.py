"""The base class of single-label learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._core import Batch, Nodes, below, distribution, softmax
from ..taxonomy import Label, Taxonomy, TaxonomyLike
from .checks import checked_weight
from .explanation import Floats
from .model import TaxonomyModel
from .predictor import SingleLabelPredictor
from .targets import read_label
from .unseen import Unseen, replaced

ROOT = frozenset({0})


class SingleLabelModel(TaxonomyModel, SingleLabelPredictor, base.MiniBatchClassifier):
    """A classifier whose labels are the nodes of a tree, the root and inner nodes included.

    The prediction is the label with the largest score; ties go to the first in taxonomy order. As
    in River, it is `None` before the first label of an open taxonomy.
    """

    _multiclass: bool = True
    _decision_rule = "by the sum of the weights on its path"

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        super().__init__(taxonomy)
        self._taxonomy._arrays.check_tree()

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._arrays.check_tree()

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1.0) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if node := self._labels.node(y):
            self._learn(x, node, w)
        else:  # a label that is new, unusual or the root
            taxonomy, node = read_label(self, y)
            if taxonomy is self._taxonomy:
                self._learn(x, node, w)
            else:
                self._grow(taxonomy, x, node, w)
        self._labels.learned_path(node)

    def _predict(self, x: Mapping[Any, Any]) -> Label | None:
        label = self._answer(x)
        return None if self.taxonomy is not self._taxonomy and self._without_labels else label

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """A distribution over all nodes: the softmax of the scores, which are not calibrated.

        `{label: probability}`, the root included; the sum is 1. Without a taxonomy, the root is not
        a label and has probability 0. Empty if the taxonomy is open and there have been no labels.
        """
        p = distribution(self._labels, self._softmax(x))  # which reads x
        return {} if self._without_labels else p

    def _targets(self, ys: Any, first: int, last: int) -> Nodes:
        taxonomy, nodes = self._taxonomy, list[int]()
        with suppress(TypeError):  # a label that is not hashable
            for y in ys[first:last]:
                v = taxonomy._arrays.number(y)
                # The root may be new; True is not 1.
                if not v or type(taxonomy.nodes[v]) is not type(y):
                    break
                nodes.append(v)
        return np.array(nodes, dtype=np.uint32)

    def _read(self, y: Any) -> Any:
        return read_label(self, y)

    @property
    def _first_label(self) -> int:
        """The first node that can be predicted: without a taxonomy, the root is not a label."""
        return int(self.taxonomy is None and len(self._taxonomy) > 1)

    @property
    def _never_predicted(self) -> Unseen:
        return self._unseen | ROOT if self._first_label else self._unseen

    def _best_of(self, scores: Floats) -> Any:
        """The node with the largest score, (nodes, ...), of those that can be predicted."""
        if self._labels.n_unseen or self._first_label:
            scores = replaced(scores, self._never_predicted, -np.inf)
        return scores.argmax(axis=0)

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        return softmax(replaced(self._scores_one(x), self._never_predicted, -np.inf))

    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        return below(self._labels, self._softmax(x))

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        return f"Prediction: {self.predict_one(x)!r}, {self._decision_rule}"

    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        t, scores = self._taxonomy, self._scores_one(x)
        if self._without_labels:
            return {}
        path = t.path(self.predict_one(x))
        visited = {0: True}
        for here, there in zip(path, [*path[1:], None], strict=True):
            lost = [t.index(label) for label in t.children(here) if label != there]
            if lost:
                visited[max(lost, key=scores.__getitem__)] = False
            if there is not None:
                visited[t.index(there)] = True
        return visited

    def _labels_of(self, X: Batch) -> list[Label]:
        nodes: Sequence[Any] = [None] if self._without_labels else self._taxonomy.nodes
        return [nodes[v] for v in self._answers(X).tolist()]

    def _probabilities(self, X: Batch) -> NDArray[Any]:
        """The softmax of the scores, (rows, nodes)."""
        return softmax(replaced(self._scores_many(X), self._never_predicted, -np.inf)).T

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        """The label of x."""
        return self._taxonomy.nodes[int(self._best_of(self._scores_one(x)))]

    def _answers(self, X: Batch) -> NDArray[Any]:
        """The node of each row."""
        best: NDArray[Any] = self._best_of(self._scores_many(X))
        return best

    def _record(self, y: Any) -> None:
        if self._labels.n_unseen or not self._labels.has_learned:
            for v in set(y.tolist()):
                self._labels.learned_path(v)
