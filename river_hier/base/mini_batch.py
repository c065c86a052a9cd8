"""Learners that take mini-batches, too: the loop over the rows, in one call into the core."""

from __future__ import annotations

import abc
import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._backend import Batch, Labels, Multilabels, Vectors, top_down_probabilities
from ..taxonomy import Taxonomy
from . import batch_answers
from .batch_labels import Table, multilabel_rows, multilabels_of, nodes_of, parts, series, stages
from .batches import at_row, read_batch
from .linear import LinearModel
from .multi_label import MultiLabelModel
from .single_label import SingleLabelModel

ColumnNames = Iterable[Hashable] | None


class MiniBatchModel(LinearModel):
    """What both kinds of learners share about mini-batches."""

    def _learn_parts(self, X: Batch, labelled: list[tuple[int, int, Taxonomy, Any]]) -> None:
        """Learn some rows in one taxonomy, the next ones in a larger one; nothing is wrong."""
        for first, last, taxonomy, y in labelled:
            if taxonomy is not self._taxonomy:
                self._grow(taxonomy, {})
            self._learn_many(X.part(first, last), y)

    def _check_many(self, X: Batch) -> None:
        """Raise an error if the algorithm cannot learn from a row, which its longest one tells."""
        if X.n and X.most_norm2 > self._safe_norm2:
            longest = int(Vectors(self._features, X).norms2.argmax())
            with at_row(longest):
                self._check(X.row(longest))

    @property
    def _safe_norm2(self) -> float:
        """Rows of smaller squared norms are learned from, whatever they are."""
        return math.inf if getattr(self, "dtype", None) == "float64" else 0.0

    # What an algorithm fills in

    @abc.abstractmethod
    def _learn_many(self, X: Batch, y: Any) -> None:
        """Learn from rows whose labels are in the taxonomy."""

    @abc.abstractmethod
    def _answers(self, X: Vectors) -> NDArray[Any]:
        """The answers: a node a row, or masks (rows, nodes)."""


class MiniBatchSingleLabelModel(MiniBatchModel, SingleLabelModel, base.MiniBatchClassifier):
    """A classifier that learns mini-batches as a loop of `learn_one` would."""

    def learn_many(self, X: Any, y: Any, columns: ColumnNames = None) -> None:
        """Learn from a mini-batch, row by row: the same as a loop of `learn_one`, but faster.

        A batch in which anything is wrong is refused as a whole.

        Parameters
        ----------
        X
            A dataframe (of pandas, polars, pyarrow, ...) whose columns are the features; every
            cell must be a finite number. Or a scipy.sparse matrix: in each row only the entries
            that are stored are features.
        y
            The labels, one a row: a series or any other sequence.
        columns
            The names of the columns of a sparse X.

        """
        batch, _ = read_batch(X, columns)
        labels = series(y, batch.n)
        self._check_many(batch)
        found = [(0, self._taxonomy)]
        if not isinstance(self.taxonomy, Taxonomy):
            found = stages(self.taxonomy, self._taxonomy, [[label] for label in labels])
        self._learn_parts(
            batch,
            [(a, z, t, nodes_of(t, labels[a:z], first=a)) for a, z, t in parts(found, batch.n)],
        )

    def predict_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """Predict the label of each row.

        Parameters
        ----------
        X
            A dataframe, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X.

        Returns
        -------
        A series of the same kind as X, with its index; of pandas where X is sparse. Kinds other
        than pandas' hold labels of one type, text or numbers: all others come as text.

        """
        batch, like = read_batch(X, columns)
        nodes = self._taxonomy.nodes
        best = self._answers(Vectors(self._features, batch)).tolist()
        return batch_answers.series(like, [nodes[v] for v in best], nodes)

    def predict_proba_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """A distribution over all nodes for each row, as in `predict_proba_one`.

        Parameters
        ----------
        X
            A dataframe, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X.

        Returns
        -------
        A dataframe of the same kind as X, with a column for each label.

        """
        batch, like = read_batch(X, columns)
        scores = self._scores(Vectors(self._features, batch))
        likely = np.exp(scores - scores.max(axis=0))
        return batch_answers.frame(like, (likely / likely.sum(axis=0)).T, self._taxonomy.nodes)


class MiniBatchMultiLabelModel(MiniBatchModel, MultiLabelModel):
    """A multilabel classifier that learns mini-batches as a loop of `learn_one` would."""

    def learn_many(
        self, X: Any, y: Any, columns: ColumnNames = None, labels: ColumnNames = None
    ) -> None:
        """Learn from a mini-batch, row by row: the same as a loop of `learn_one`, but faster.

        A batch in which anything is wrong is refused as a whole.

        Parameters
        ----------
        X
            A dataframe (of pandas, polars, pyarrow, ...) whose columns are the features; every
            cell must be a finite number. Or a scipy.sparse matrix: in each row only the entries
            that are stored are features.
        y
            The multilabels, one a row: a dataframe of bools whose columns are labels, or a
            sequence of what `learn_one` takes (sets, lists, dicts, ...). Or a matrix of bools; in
            a sparse one only the labels that are on are named.
        columns
            The names of the columns of a sparse X.
        labels
            The labels of the columns of a matrix y.

        """
        self._learn_parts(*self._read_many(X, y, columns, labels))

    def _read_many(
        self, X: Any, y: Any, columns: ColumnNames, labels: ColumnNames
    ) -> tuple[Batch, list[tuple[int, int, Taxonomy, Multilabels]]]:
        """Rows, and which of them are learned in which taxonomy; nothing is wrong with them."""
        batch, _ = read_batch(X, columns)
        rows = multilabel_rows(y, labels, batch.n)
        self._check_many(batch)
        found = [(0, self._taxonomy)]
        if not isinstance(self.taxonomy, Taxonomy) and batch.n:
            named = [rows.names] if isinstance(rows, Table) else map(self._named, rows)
            found = stages(self.taxonomy, self._taxonomy, named)
        if isinstance(rows, Table) and batch.n:
            closed = rows.multilabels(found[-1][1])
            if closed is not None:
                return batch, [(0, batch.n, found[-1][1], closed)]
        ys = rows.rows() if isinstance(rows, Table) else rows
        learned = []
        for a, z, t in parts(found, batch.n):
            known = self._labels if t is self._taxonomy else Labels(t)
            learned.append((a, z, t, multilabels_of(known, ys[a:z], first=a)))
        return batch, learned

    def predict_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """Predict the multilabel of each row.

        Parameters
        ----------
        X
            A dataframe, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X.

        Returns
        -------
        A dataframe of bools of the same kind as X, with its index; of pandas where X is sparse.
        It has a column for each node but the root, named by its label (outside pandas as text).

        """
        batch, like = read_batch(X, columns)
        on = self._answers(Vectors(self._features, batch))
        return batch_answers.frame(like, on[:, 1:], self._taxonomy.nodes[1:])

    def predict_proba_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """The probability that each node is on, for each row, as in `predict_proba_one`.

        Parameters
        ----------
        X
            A dataframe, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X.

        Returns
        -------
        A dataframe of the same kind as X, with a column for each node but the root.

        """
        batch, like = read_batch(X, columns)
        given = self._conditionals(self._scores(Vectors(self._features, batch)))
        on = top_down_probabilities(given, self._taxonomy.arrays)
        return batch_answers.frame(like, on[1:].T, self._taxonomy.nodes[1:])
