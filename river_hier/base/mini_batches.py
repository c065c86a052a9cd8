"""Mini-batches of models that learn one example at a time: wrappers and local classifiers."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from .._core import Batch
from ..taxonomy import Taxonomy
from .batches import learn_rows, whole
from .classifiers import is_multilabel
from .dataframes import ColumnNames, answer_frame, answer_series, at_row, read_batch
from .predictor import refuse_unknown, without_labels
from .protocol import RowByRow
from .targets import Table, multilabel_rows, series, with_weights
from .unseen import switched_off


class MiniBatches(RowByRow):
    """`learn_many`, `predict_many` and `predict_proba_many`, as loops over the rows.

    Subclasses call the methods of the model inside where these are faster.
    """

    _taxonomy: Taxonomy

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

        def slices() -> Iterator[int]:
            batch, _ = read_batch(X, columns)
            multilabel = is_multilabel(self)
            if labels is not None and not multilabel:
                raise TypeError("`labels` name the columns of a matrix y; here y has one column")
            ys = multilabel_rows(y, labels, batch.n) if multilabel else series(y, batch.n)
            yield from self._learn_rows(*with_weights(batch, ys, w))

        learn_rows(slices())

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
        nodes = self._taxonomy.nodes
        if is_multilabel(self):
            on = switched_off(self._masks(batch).T, self._never_predicted).T
            return answer_frame(like, on[:, 1:], nodes[1:])
        return answer_series(like, self._labels_of(batch), nodes)

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
        first = int(is_multilabel(self) or without_labels(self))
        p = self._probabilities(batch)[:, first:]
        return answer_frame(like, p, self._taxonomy.nodes[first:])

    def _learn_rows(self, X: Batch, ys: Any) -> Iterator[int]:
        """Learn the rows, all or none unless all of them are valid."""
        if self._checked(X, ys):
            yield from self._learn_each_row(X, ys)
        else:
            before = copy.deepcopy(self)
            try:
                whole(self._learn_each_row(X, ys))
            except BaseException:
                vars(self).update(vars(before))
                raise
            yield X.n

    def _learn_each_row(self, X: Batch, ys: Any) -> Iterator[int]:
        model: Any = self
        targets = ys.rows() if isinstance(ys, Table) else ys
        for i, (x, y, w) in enumerate(zip(X, targets, X.each_weight(), strict=True)):
            with at_row(X.number(i)):
                model.learn_one(x, y) if w == 1.0 else model.learn_one(x, y, w=w)
            yield i + 1
