"""Translation between labels and nodes: y -> nodes, nodes -> prediction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays, Label, Taxonomy, check_taxonomy
from ...taxonomy.multilabel import closure_nodes, given_closure, predicted_nodes
from ..pickles import saved
from .paths import path_of, top_down_probabilities, trained_nodes

Mask = NDArray[np.bool_]


class Labels:
    """A taxonomy, the nodes that learn, and those that have had no example since they were added.

    `learning` are the nodes of this shard; the root represents a system without nodes. With `None`
    all nodes learn. `unlearned` nodes do not compete with the true label of an example in a tree.
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        learning: Sequence[int] | None = None,
        unlearned: Iterable[int] = (),
    ) -> None:
        self.taxonomy: Taxonomy = taxonomy
        self.unlearned: list[int] = sorted(unlearned)
        self.learning: Mask | None = None
        if learning is not None:
            self.learning = np.zeros(len(taxonomy), dtype=bool)
            self.learning[learning] = True

    def grow(self, taxonomy: Taxonomy, unlearned: bool = False) -> None:
        """Change to a taxonomy that extends this one; new nodes do not learn if others do not."""
        before, after = len(self.taxonomy), len(taxonomy)
        if self.learning is not None:
            self.learning = np.pad(self.learning, (0, after - before))
        if unlearned:
            self.unlearned += range(before, after)
        self.taxonomy = taxonomy

    @property
    def arrays(self) -> Arrays:
        return self.taxonomy._arrays

    def learned(self, y: int) -> None:
        """Record an example of the nodes on the path of y, in a tree."""
        self.unlearned = without_path(self.unlearned, y, self.arrays)

    def trained(self, on: Mask) -> NDArray[np.intp]:
        """The nodes that learn from a multilabel: those whose parents are all on, in order."""
        nodes = trained_nodes(on, self.arrays)
        return nodes if self.learning is None else nodes[self.learning[nodes]]

    def dictionary(self, nodes: Iterable[int]) -> dict[Label, bool]:
        """`{label: whether it is on}` for all nodes but the root: O(nodes)."""
        labels = self.taxonomy.nodes
        y_pred = dict.fromkeys(labels[1:], False)
        y_pred.update((labels[v], True) for v in nodes)
        return y_pred

    def marginals(self, given: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(node on) from P(node on | all its parents on): O(nodes + edges)."""
        return top_down_probabilities(given, self.arrays)

    def probabilities(self, p: NDArray[np.float64]) -> dict[Label, dict[bool, float]]:
        """`{label: {False: 1 - p, True: p}}` for all nodes but the root: O(nodes)."""
        nodes, on = self.taxonomy.nodes, p.tolist()
        return {nodes[v]: {False: 1.0 - on[v], True: on[v]} for v in range(1, len(nodes))}

    def closure(self, y: Any) -> set[int]:
        """The nodes of y and all their ancestors, as `taxonomy.multilabel.closure_nodes`."""
        return closure_nodes(self.taxonomy, y)

    def predicted(self, y: Any) -> set[int]:
        """The nodes of a prediction, as `taxonomy.multilabel.predicted_nodes`."""
        return predicted_nodes(self.taxonomy, y)

    def given(self, y: Any) -> set[int]:
        """The nodes that y switches on and their ancestors, even those that y switches off."""
        return given_closure(self.taxonomy, y)

    def numbers(self, y: Any) -> NDArray[np.float64] | None:
        """The number of each node in a dict, nan for those without one; `None` if y is unusual.

        It is unusual if not all of its keys are labels, or its values are not floats or nan.
        """
        found = [self.taxonomy._known_index(label) for label in y]
        nodes = [v for v in found if v is not None]
        if len(nodes) < len(found) or set(map(type, y.values())) - {float}:
            return None
        values = np.full(len(self.taxonomy), np.nan)
        values[nodes] = list(y.values())
        return None if np.isnan(values).sum() > len(values) - len(y) else values

    def path(self, node: int) -> tuple[Label, ...]:
        """The labels from the root down to a node, in a DAG by way of the first parents."""
        path = [node]
        while path[-1]:
            path.append(self.taxonomy._parent_indices[path[-1]][0])
        return tuple(self.taxonomy.nodes[v] for v in reversed(path))

    def __reduce__(self) -> tuple[Any, ...]:
        some = None if self.learning is None else np.flatnonzero(self.learning).tolist()
        return saved("Labels", self.taxonomy, some, self.unlearned)

    @classmethod
    def restore(
        cls, taxonomy: Taxonomy, learning: list[int] | None = None, unlearned: Iterable[int] = ()
    ) -> Labels:
        """The labels of a pickle."""
        check_taxonomy(taxonomy)
        return cls(taxonomy, learning, unlearned)


def without_path(nodes: list[int], y: int, tree: Arrays) -> list[int]:
    """The nodes that are not on the path of y."""
    path = {0, *path_of(y, tree)} if nodes else ()
    return [v for v in nodes if v not in path]


def closed_many(labels: Labels, ys: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The closed multilabels of some y, as the fields of `Multilabels`."""
    rows = [np.flatnonzero(labels.taxonomy._closure_mask(y)) for y in ys]
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.concatenate([np.zeros(0, np.uint32), *rows]).astype(np.uint32)
