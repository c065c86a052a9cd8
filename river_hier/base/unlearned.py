"""Unlearned nodes: those that were added to a trained model and have had no example since.

An example of a node is one whose label is the node or below it. Until its first example, an added
node is off and has probability 0, so that adding nodes does not change the predictions for others.
Nor does it change what is learned from their examples: an unlearned node does not compete with the
true label. This holds for predictions, probabilities, calibration and decoding. Scores are not
affected, and neither are the nodes of a model that has learned nothing, which predicts as defined
in its paper.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Labels, Multilabels
from ..taxonomy import NodeMapping, Taxonomy
from .classifiers import last_step
from .dataframes import at_row
from .turns import Rows

Unlearned = frozenset[int]
A = TypeVar("A", bound=NDArray[Any])
NONE: Unlearned = frozenset()


def unlearned_nodes(change: NodeMapping, before: Unlearned) -> Unlearned:
    """The unlearned nodes of the new taxonomy; `before` are those of the old one."""
    after, found = change.after, set[int]()
    for v in range(len(after) - 1, 0, -1):  # children before their parents
        old = change.sources[v]
        added = not old and after.nodes[v] not in change.before
        without = before.issuperset(old) if old else added
        if without and found.issuperset(after._child_indices[v]):
            found.add(v)
    return frozenset(found)


class MayHaveUnlearned(abc.ABC):
    """Base class of models that keep track of their unlearned nodes."""

    _has_learned = False
    _unlearned = NONE
    _labels: Labels
    _taxonomy: Taxonomy

    @property
    def _never_predicted(self) -> Unlearned:
        """The nodes that are never predicted: the unlearned ones."""
        return self._unlearned

    def _add_unlearned(self, change: NodeMapping) -> None:
        """Update the unlearned nodes after a change of the taxonomy."""
        if self._has_learned:
            self._unlearned = unlearned_nodes(change, self._unlearned)

    def _learn_stage(self, X: Batch, y: Any, rows: Rows) -> None:
        """Learn rows in the present taxonomy, and record their labels, also before an error."""
        try:
            self._learn_many(X, y, rows)
            rows.n_learned = rows.first + X.n
        finally:
            if n := rows.n_learned - rows.first:
                self._learned_labels(y[:n])

    def _learned_labels(self, y: Any) -> None:
        """Record that the model has learned from these targets of `_learn_many`."""
        self._has_learned = True
        if self._unlearned:
            self._unlearned -= self._nodes_with_examples(y)

    def _undo_growth(self, taxonomy: Taxonomy, unlearned: Unlearned) -> None:
        """Remove the nodes that are not in a taxonomy, the last ones, without examples."""
        labels = Labels(taxonomy, None, unlearned)
        self._add_nodes(len(taxonomy), taxonomy)
        self._labels, self._taxonomy, self._unlearned = labels, taxonomy, unlearned

    def _learn_many(self, X: Batch, y: Any, rows: Rows) -> None:
        """Learn from rows whose labels are in the taxonomy; `rows.learned` counts them."""
        ys = y.labels(self._labels) if isinstance(y, Multilabels) else y.tolist()
        for i, (x, target, w) in enumerate(zip(X, ys, X.each_weight(), strict=True)):
            with at_row(X.number(i)):
                self._learn(x, target, w)
            rows.learned(i + 1)

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        """Learn from an example of weight w, given its labels in the taxonomy or its one node."""

    @abc.abstractmethod
    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """Make room for new nodes, the last ones, as `_remap` would, or remove them."""

    @abc.abstractmethod
    def _nodes_with_examples(self, y: Any) -> set[int]:
        """The nodes of these targets, and their ancestors."""


class Growth:
    """A context in which an example with new labels is learned, or the first row of a batch.

    If it cannot be learned, the new labels are removed again.
    """

    def __init__(self, model: Any, rows: Rows | None = None) -> None:
        self._model, self._rows = model, rows
        self._before = model._taxonomy, model._unlearned

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or (self._rows and self._rows.n_learned > self._rows.first):
            return
        grown = self._model._taxonomy is not self._before[0]
        if grown or issubclass(kind, MemoryError | RecursionError):  # in the middle of growing
            self._model._undo_growth(*self._before)


def unlearned_of(model: Any) -> Unlearned:
    """The nodes that any model, or a pipeline that ends in one, never predicts."""
    found: Unlearned = getattr(last_step(model), "_never_predicted", NONE)
    return found


def replaced(values: A, unlearned: Unlearned, by: float) -> A:
    """A copy of values of nodes, (nodes, ...), in which those of unlearned nodes are replaced."""
    if unlearned:
        values = values.copy()
        values[list(unlearned)] = by
    return values


def switched_off(given: A, unlearned: Unlearned) -> A:
    """P(on | parents on) or a mask, (nodes, ...), in which unlearned nodes are off."""
    return replaced(given, unlearned, 0)


def without_scores(scores: A, unlearned: Unlearned) -> A:
    """The scores, (nodes, ...), in which those of unlearned nodes are -inf."""
    return replaced(scores, unlearned, -np.inf)


def learned_nodes(n: int, unlearned: Unlearned) -> NDArray[np.intp]:
    """The nodes that are not unlearned, in order."""
    return np.delete(np.arange(n), list(unlearned))
