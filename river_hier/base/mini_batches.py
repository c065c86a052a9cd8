"""Mini-batches of models that learn one example at a time: wrappers and local classifiers."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._backend import Batch
from ..taxonomy import Label
from .classifiers import last_step
from .copies import deep_copy, snapshot, without_turn
from .dataframes import ColumnNames, answer_frame, answer_series, at_row, read_batch
from .explanation import Floats
from .targets import Table, multilabel_rows, series, with_weights
from .truncation import refuse_unknown, taxonomy_of, without_labels
from .turns import Rows, change, counts, reads, turn_of

Mask = NDArray[np.bool_]


class MiniBatches:
    """`learn_many`, `predict_many` and `predict_proba_many`, as loops over the rows.

    Subclasses call the methods of the model inside where these are faster.
    """

    __getstate__ = snapshot
    __deepcopy__ = deep_copy

    @counts
    def learn_many(
        self,
        X: Any,
        y: Any,
        w: Any = None,
        columns: ColumnNames = None,
        labels: ColumnNames = None,
        **kwargs: Any,
    ) -> None:
        """Learn from a mini-batch, row by row, as a loop of `learn_one` would.

        If any row is invalid, an error is raised and nothing is learned. If an invalid row can only
        be found by learning it, as with pipelines or other libraries' classifiers inside, the model
        is copied first, which takes time and memory proportional to its size.

        Parameters
        ----------
        X
            A dataframe (of pandas, polars, pyarrow, ...) whose columns are the features; every
            cell must be a finite number. Or a numpy array, whose columns are the features 0, 1,
            ..., or a scipy.sparse matrix, in which only the stored entries of a row are features.
        y
            The targets, one a row: a series or any other sequence of what `learn_one` takes. For
            multilabels also a dataframe, or a matrix, of bools.
        w
            The weights, one a row; 1 each by default.
        columns
            The names of the columns of a sparse X, or of an array.
        labels
            The labels of the columns of a matrix y.
        kwargs
            Not used: River requires wrappers to accept them. Any that is given raises an error.

        """
        refuse_unknown(self.learn_many, kwargs)
        batch, _ = read_batch(X, columns)
        if _multilabel(self):
            ys = multilabel_rows(y, labels, batch.n)
        elif labels is not None:
            raise TypeError("`labels` are the columns of a matrix of multilabels; here y has one")
        else:
            ys = series(y, batch.n)
        with turn_of(self).to_change():
            self._learn_rows(*with_weights(batch, ys, w))

    @reads
    def predict_many(self, X: Any, columns: ColumnNames = None, **kwargs: Any) -> Any:
        """Predict each row, as `predict_one` does.

        Parameters
        ----------
        X
            A dataframe, a numpy array, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X, or of an array.

        Returns
        -------
        For single labels a series of the same kind as X, with its index. For multilabels a
        dataframe of bools with a column for each node but the root. An array if X is one; of pandas
        if X is sparse.

        """
        refuse_unknown(self.predict_many, kwargs)
        batch, like = read_batch(X, columns)
        nodes = taxonomy_of(self).nodes
        if _multilabel(self):
            return answer_frame(like, self._masks(batch)[:, 1:], nodes[1:])
        return answer_series(like, self._labels_of(batch), nodes)

    @reads
    def predict_proba_many(self, X: Any, columns: ColumnNames = None, **kwargs: Any) -> Any:
        """The probabilities of each row, as in `predict_proba_one`.

        Parameters
        ----------
        X
            A dataframe, a numpy array, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X, or of an array.

        Returns
        -------
        A dataframe of the same kind as X, with its index and a column for each label: all nodes or,
        for multilabels, all but the root. An array if X is one.

        """
        refuse_unknown(self.predict_proba_many, kwargs)
        batch, like = read_batch(X, columns)
        first = int(_multilabel(self) or without_labels(self))
        p = self._probabilities(batch)[:, first:]
        return answer_frame(like, p, taxonomy_of(self).nodes[first:])

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        """Learn all rows or none."""
        model: Any = self
        targets = ys.rows() if isinstance(ys, Table) else ys
        whole = not self._checked(X, ys)

        def work(rows: Rows) -> None:
            before = copy.deepcopy(without_turn(self)) if whole else {}
            try:
                for i, (x, y, w) in enumerate(zip(X, targets, X.each_weight(), strict=True)):
                    with at_row(X.number(i)):
                        model.learn_one(x, y) if w == 1.0 else model.learn_one(x, y, w=w)
                    rows.learned(i + 1)
            except BaseException:
                vars(self).update(before)
                raise

        change(self, work, whole)

    def _checked(self, X: Batch, ys: Any) -> bool:
        """Raise an error if a row is invalid; return whether all possible errors are checked."""
        return False

    def _labels_of(self, X: Batch) -> list[Label]:
        """The single label of each row."""
        return labels_of_rows(self, X)

    def _masks(self, X: Batch) -> Mask:
        """The nodes that are on, (rows, nodes)."""
        return masks_of_rows(self, X)

    def _probabilities(self, X: Batch) -> Floats:
        """The probability of each node, (rows, nodes)."""
        return probabilities_of_rows(self, X)


def _multilabel(model: Any) -> bool:
    # `BranchReset` wraps models of both kinds, so look at the model inside a wrapper.
    return isinstance(getattr(model, "_last", model), base.MultiLabelClassifier)


# One row after the other


def labels_of_rows(model: Any, X: Batch) -> list[Label]:
    """The answers of any single-label model."""
    return [model.predict_one(x) for x in X]


def masks_of_rows(model: Any, X: Batch) -> Mask:
    """The answers of any multilabel model, (rows, nodes)."""
    nodes = taxonomy_of(last_step(model)).nodes
    on = np.ones((X.n, len(nodes)), dtype=bool)
    for row, x in zip(on, X, strict=True):
        answer = model.predict_one(x)
        row[1:] = [answer[label] for label in nodes[1:]]
    return on


def probabilities_of_rows(model: Any, X: Batch) -> Floats:
    """The probabilities of any model, (rows, nodes)."""
    nodes = taxonomy_of(last_step(model)).nodes
    p = np.zeros((X.n, len(nodes)))
    multilabel = _multilabel(model)
    for row, x in zip(p, X, strict=True):
        found = model.predict_proba_one(x)
        if multilabel:
            row[:] = [1.0, *(found[label][True] for label in nodes[1:])]
        else:
            row[:] = [found.get(label, 0.0) for label in nodes]
    return p


# By the fastest method of the model inside a wrapper; a pipeline takes single rows only


def labels_inside(model: Any, X: Batch) -> list[Label]:
    """The answers of a single-label model that may have a faster method."""
    if hasattr(type(model), "_labels_of"):
        labels: list[Label] = model._labels_of(X)
        return labels
    return labels_of_rows(model, X)


def masks_inside(model: Any, X: Batch) -> Mask:
    """The answers of a multilabel model that may have a faster method, (rows, nodes)."""
    if hasattr(type(model), "_masks"):
        masks: Mask = model._masks(X)
        return masks
    return masks_of_rows(model, X)


def probabilities_inside(model: Any, X: Batch) -> Floats:
    """The probabilities of a model that may have a faster method, (rows, nodes)."""
    if hasattr(type(model), "_probabilities"):
        p: Floats = model._probabilities(X)
        return p
    return probabilities_of_rows(model, X)
