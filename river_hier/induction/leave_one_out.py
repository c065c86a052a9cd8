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
    n: int  # examples counted
    rows: Ints  # of the matrix of examples


class LeaveOneOut:
    """Examples to be classified, each by the counts of all others.

    The classifier of an inner node is multinomial naive Bayes with Laplace's smoothing: x goes to
    the side with the larger n(side) prod_j p(j | side)^x_j.
    """

    def __init__(
        self,
        feature_counts: Mapping[Label, Mapping[Any, float]],
        class_counts: Mapping[Label, int],
        examples: Iterable[tuple[Mapping[Any, float], Label]],
    ) -> None:
        columns: dict[Any, int] = {}
        for counts in feature_counts.values():
            for name in counts:
                columns.setdefault(name, len(columns))
        number = {label: c for c, label in enumerate(class_counts)}
        examples = list(examples)
        self._X = _matrix([x for x, _ in examples], columns)
        owners = np.array([number[y] for _, y in examples], dtype=np.intp)
        self._classes = [
            Side(_matrix([feature_counts[label]], columns), n, np.flatnonzero(owners == c))
            for c, (label, n) in enumerate(class_counts.items())
        ]

    def n_errors(self, children: Sequence[Children]) -> int:
        """How many of the examples leave the path to their class: O(features of all nodes)."""
        wrong = np.zeros(self._X.shape[0], dtype=bool)
        nodes: list[Side] = []
        for pair in children:
            left, right = (nodes[v] if v >= 0 else self._classes[~v] for v in pair)
            for own, other in ((left, right), (right, left)):
                wrong[own.rows] |= self._margins(own, other) <= 0.0
            rows = np.concatenate((left.rows, right.rows))
            nodes.append(Side(left.counts + right.counts, left.n + right.n, rows))
        return int(wrong.sum())

    def _margins(self, own: Side, other: Side) -> Floats:
        """log of n(own) p(x | own) / (n(other) p(x | other)) for each example on its own side."""
        x, d = self._X[own.rows], self._X.shape[1]
        here, there = (side.counts.toarray().ravel() for side in (own, other))
        sizes = np.asarray(x.sum(axis=1)).ravel()
        terms = np.log((here[x.indices] - x.data + 1.0) / (there[x.indices] + 1.0))
        rows = np.repeat(np.arange(len(sizes)), np.diff(x.indptr))
        margins = np.zeros(len(sizes))
        np.add.at(margins, rows, x.data * terms)
        margins -= sizes * np.log((here.sum() - sizes + d) / (there.sum() + d))
        margins += np.log(own.n / (other.n + 1.0))  # (own.n - 1) + 1
        return margins


def _matrix(rows: Sequence[Mapping[Any, float]], columns: Mapping[Any, int]) -> sparse.csr_array:
    indices = [columns[name] for x in rows for name in x]
    values = [value for x in rows for value in x.values()]
    starts = np.cumsum([0, *map(len, rows)])
    return sparse.csr_array((values, indices, starts), shape=(len(rows), len(columns)), dtype=float)
