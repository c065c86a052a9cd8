"""Errors of hard decoding in a tree over classes, without training its classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..taxonomy import Label
from .binary_tree import Children

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Side(NamedTuple):
    """The classes below a node: their counts, and those examples to be classified."""

    counts: sparse.csr_array  # (1, d), of features
    n: float  # weight of the examples counted
    rows: Ints  # of the matrix of examples


class LeaveOneOut:
    """Examples with weights, to be classified, each by the counts of all others.

    An example of weight 2 counts as two examples, of which one is left out.

    The classifier of an inner node is multinomial naive Bayes with Laplace's smoothing: x goes to
    the side with the larger n(side) prod_j p(j | side)^x_j.
    """

    def __init__(
        self,
        feature_counts: Mapping[Label, Mapping[Any, float]],
        class_counts: Mapping[Label, float],
        examples: Iterable[tuple[Mapping[Any, float], Label, float]],
    ) -> None:
        columns: dict[Any, int] = {}
        for counts in feature_counts.values():
            for name in counts:
                columns.setdefault(name, len(columns))
        number = {label: c for c, label in enumerate(class_counts)}
        examples = list(examples)
        self._X = _matrix([x for x, _, _ in examples], columns)
        self._w = np.array([w for _, _, w in examples], dtype=float)
        owners = np.array([number[y] for _, y, _ in examples], dtype=np.intp)
        self._classes = [
            Side(_matrix([feature_counts[label]], columns), n, np.flatnonzero(owners == c))
            for c, (label, n) in enumerate(class_counts.items())
        ]

    def errors(self, children: Sequence[Children]) -> float:
        """The weight of the examples that leave the path to their class.

        It takes O(features of all nodes).
        """
        wrong = np.zeros(self._X.shape[0], dtype=bool)
        nodes: list[Side] = []
        for pair in children:
            left, right = (nodes[v] if v >= 0 else self._classes[~v] for v in pair)
            for own, other in ((left, right), (right, left)):
                wrong[own.rows] |= self._margins(own, other) <= 0.0
            rows = np.concatenate((left.rows, right.rows))
            nodes.append(Side(left.counts + right.counts, left.n + right.n, rows))
        return float(self._w @ wrong)

    def _margins(self, own: Side, other: Side) -> Floats:
        """log of n(own) p(x | own) / (n(other) p(x | other)) for each example on its own side."""
        x, d = self._X[own.rows], self._X.shape[1]
        out = self._w[own.rows].clip(max=1.0)  # how much of each is left out
        rows = np.repeat(np.arange(len(out)), np.diff(x.indptr))
        here, there = (side.counts.toarray().ravel() for side in (own, other))
        terms = np.log((here[x.indices] - out[rows] * x.data + 1.0) / (there[x.indices] + 1.0))
        margins = np.zeros(len(out))
        np.add.at(margins, rows, x.data * terms)
        sizes = np.asarray(x.sum(axis=1)).ravel()
        margins -= sizes * np.log((here.sum() - out * sizes + d) / (there.sum() + d))
        margins += np.log((own.n - out + 1.0) / (other.n + 1.0))
        return margins


def _matrix(rows: Sequence[Mapping[Any, float]], columns: Mapping[Any, int]) -> sparse.csr_array:
    indices = [columns[name] for x in rows for name in x]
    values = [value for x in rows for value in x.values()]
    starts = np.cumsum([0, *map(len, rows)])
    return sparse.csr_array((values, indices, starts), shape=(len(rows), len(columns)), dtype=float)
