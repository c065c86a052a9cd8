"""Predictions of one example and of mini-batches, with `threshold=` and `max_depth=`."""

from __future__ import annotations

import abc
import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Never, Self

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Labels, connected, deepest, labels_of, top_down
from ..taxonomy import Label, Taxonomy
from .batches import learn_rows
from .checks import check_integer, check_probability
from .classifiers import cloned, is_multilabel, probabilities
from .dataframes import (
    ColumnNames,
    Frame,
    answer_frame,
    answer_series,
    at_row,
    check_known,
    read_batch,
)
from .explanation import Floats
from .memory import raw_memory_usage
from .targets import Table, levels, multilabel_rows, series, with_weights
from .unseen import NONE, switched_off

Mask = NDArray[np.bool_]


class Predictor(abc.ABC):
    """Base class of all models of the library: predictions, mini-batches, and the inner protocol.

    The protocol is what models offer to each other beside their public methods: arrays in place of
    dictionaries. Multilabel models need no method for labels, and vice versa. Here it is
    implemented by public methods, and batches as loops over their rows; subclasses define what they
    can do faster.
    """

    _raw_memory_usage = raw_memory_usage
    _never_predicted: Any = NONE  # the unseen nodes and, without a taxonomy, the root
    _keeps_float32 = False  # whether it reads arrays of float32 without converting them
    _taxonomy: Any
    _features: Any = None  # the `FeatureIndex` of the names it has learned, if it has one

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a model with the same parameters, which has learned nothing.

        Parameters
        ----------
        new_params
            `{name: value}` of parameters that differ.
        include_attributes
            Whether to keep what has been learned, averages and models inside included.

        """
        return cloned(self, new_params, include_attributes)

    def predict_one(
        self,
        x: Mapping[Any, Any],
        threshold: float | None = None,
        max_depth: int | None = None,
        **kwargs: Never,
    ) -> Any:
        """Predict x.

        Parameters
        ----------
        x
            A dictionary of features.
        threshold
            Predict from `predict_proba_one` instead of by the model's own rule: a multilabel has
            the nodes with at least this probability; a single label is the deepest node whose
            subtree has at least this probability (of several, the most probable, then the first).
            `None` for the model's own rule.
        max_depth
            The maximum depth of a prediction: deeper nodes are off, and a deeper label is replaced
            by its ancestor at this depth. `None` for no limit.
        kwargs
            Not used: River requires wrappers to accept them. Any that is given raises an error.

        Returns
        -------
        The label, or `None` if an open taxonomy has none; for multilabels `{label: bool}` for all
        nodes but the root, as River's metrics expect it. This dictionary takes O(nodes) time, most
        of that of a prediction in taxonomies of thousands of nodes: there call
        `predict_labels_one`.

        """
        if threshold is None and max_depth is None and not kwargs:
            return self._predict(x)
        refuse_unknown(self.predict_one, kwargs)
        check_keywords(threshold, max_depth)
        if not is_multilabel(self):
            return truncate_label(self, x, threshold, max_depth)
        return self._labels.dictionary(truncate_multilabel(self, x, threshold, max_depth))

    def learn_many(
        self,
        X: Any,
        y: Any,
        w: Any = None,
        columns: ColumnNames = None,
        labels: ColumnNames = None,
        **kwargs: Never,
    ) -> None:
        """Learn from a mini-batch, row by row, as a loop of `learn_one` would.

        If any row is invalid, an error is raised and nothing is learned. If an invalid row can only
        be found by learning it, as with pipelines or other libraries' classifiers inside, the model
        is copied first, which takes time and memory proportional to its size.

        Parameters
        ----------
        X
            A dataframe (of pandas, polars, pyarrow, ...) whose columns are the features; every
            cell must be a finite number. Or a numpy array or scipy.sparse matrix, whose columns are
            the features 0, 1, ..., unless `columns` names them; of a sparse matrix only the stored
            entries of a row are features.
        y
            The targets, one a row: a series or any other sequence of what `learn_one` takes, or a
            dataframe, matrix or sequence of lists with the levels of a path in each row. For
            multilabels also a dataframe, or a matrix, of bools; in a sparse one only the labels
            that are on are named.
        w
            The weights, one a row: a series or any other sequence of numbers of at least 0; 1 each
            by default.
        columns
            The names of the columns of an array or of a sparse X.
        labels
            The labels of the columns of a matrix y.

        """
        refuse_unknown(self.learn_many, kwargs)

        def slices() -> Iterator[int]:
            batch, _ = read_batch(X, columns, self._keeps_float32)
            multilabel = is_multilabel(self)
            if labels is not None and not multilabel:
                raise TypeError("`labels` name the columns of a matrix y; here y has one column")
            ys = multilabel_rows(y, labels, batch.n) if multilabel else series(levels(y), batch.n)
            yield from self._learn_rows(*with_weights(batch, ys, w))

        learn_rows(slices())

    def predict_many(
        self,
        X: Any,
        columns: ColumnNames = None,
        threshold: float | None = None,
        max_depth: int | None = None,
        **kwargs: Never,
    ) -> Any:
        """Predict each row, as `predict_one` does.

        Parameters
        ----------
        X
            A dataframe, a numpy array, or a scipy.sparse matrix.
        columns
            The names of the columns of an array or of a sparse X.
        threshold, max_depth
            As in `predict_one`.

        Returns
        -------
        For single labels a series of the same kind as X, with its index. For multilabels a
        dataframe of bools with a column for each node but the root. An array if X is one; of pandas
        if X is sparse. Outside pandas and numpy a series holds labels of one type, text or numbers,
        and columns are named by text; other labels are converted to text.

        """
        refuse_unknown(self.predict_many, kwargs)
        check_keywords(threshold, max_depth)
        batch, like = self._read_batch(X, columns)
        if is_multilabel(self):
            on = truncated_masks(self, batch, threshold, max_depth)
            return answer_frame(like, on[:, 1:], self._taxonomy.nodes[1:])
        answers = truncated_labels(self, batch, threshold, max_depth)
        return answer_series(like, answers, self._taxonomy.nodes)

    def predict_proba_many(self, X: Any, columns: ColumnNames = None, **kwargs: Never) -> Any:
        """The probabilities of each row, as in `predict_proba_one`.

        Parameters
        ----------
        X, columns
            As in `predict_many`.

        Returns
        -------
        A dataframe of the same kind as X, with its index and a column for each label: all nodes or,
        for multilabels, all but the root. An array if X is one.

        """
        refuse_unknown(self.predict_proba_many, kwargs)
        batch, like = self._read_batch(X, columns)
        first = int(is_multilabel(self) or without_labels(self))
        p = self._probabilities(batch)[:, first:]
        return answer_frame(like, p, self._taxonomy.nodes[first:])

    def _read_batch(self, X: Any, columns: ColumnNames) -> tuple[Batch, Frame | None]:
        """The rows to predict, and a dataframe of the kind to return; None for arrays."""
        batch, like = read_batch(X, columns, self._keeps_float32)
        check_known(self._features, batch)
        return batch, like

    # The inner protocol

    @property
    def _labels(self: Any) -> Labels:
        """The labels of `_taxonomy`, which grow with it."""
        return labels_of(self._taxonomy)

    @abc.abstractmethod
    def _predict(self, x: Mapping[Any, Any]) -> Any:
        """The prediction by the model's own rule."""

    def _learned_nodes_on(self: Any, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root and those never predicted, in order."""
        y_pred = self._predict(x)
        return [v for v, label in enumerate(self._taxonomy.nodes) if v and y_pred[label]]

    def _scores_one(self: Any, x: Mapping[Any, Any]) -> Floats:
        """The score of each node; 0 for the root of a multilabel model, which has none."""
        values = list(self.score_one(x).values())
        return np.array([0.0] * (len(self._taxonomy) - len(values)) + values)

    def _probabilities_one(self: Any, x: Mapping[Any, Any]) -> Any:
        """P(on) of each node, for the functions of `_core` that decide by it."""
        found, nodes = self.predict_proba_one(x), self._taxonomy.nodes
        p = np.array([1.0, *(found[label][True] for label in nodes[1:])], dtype=float)
        for v in np.flatnonzero(~((p >= 0.0) & (p <= 1.0))):
            raise ValueError(f"the model gives {nodes[v]!r} the probability {float(p[v])!r}")
        return p

    def _softmax(self: Any, x: Mapping[Any, Any]) -> Any:
        """P(label) of each node, nan if it has none; may be `None` if the prediction is `None`."""
        p = np.full(len(self._taxonomy), np.nan)
        found = probabilities(self, x)
        for label, value in found.items():
            p[self._taxonomy.index(label)] = value
        return p if found else None

    def _labels_of(self: Any, X: Batch) -> list[Label]:
        """The single label of each row."""
        return [self.predict_one(x) for x in X]

    def _masks(self: Any, X: Batch) -> Mask:
        """The nodes that are on, (rows, nodes); those never predicted may be among them."""
        on = np.zeros((X.n, len(self._taxonomy)), dtype=bool)
        on[:, 0] = True
        for row, x in zip(on, X, strict=True):
            row[self._learned_nodes_on(x)] = True
        return on

    def _scores_many(self: Any, X: Batch) -> Floats:
        """The score of each node, (nodes, rows)."""
        return np.array([self._scores_one(x) for x in X]).reshape(X.n, len(self._taxonomy)).T

    def _probabilities(self: Any, X: Batch) -> Floats:
        """P(on) or P(label) of each node, (rows, nodes)."""
        nodes = self._taxonomy.nodes
        if is_multilabel(self):
            rows = [self._probabilities_one(x) for x in X]
        else:
            answers = map(self.predict_proba_one, X)
            rows = [[found.get(label, 0.0) for label in nodes] for found in answers]
        return np.array(rows, dtype=float).reshape(X.n, len(nodes))

    def _checked(self, X: Batch, ys: Any) -> bool:
        """Raise an error if a row is invalid; return whether all possible errors are checked."""
        return False

    def _learn_rows(self, X: Batch, ys: Any) -> Iterator[int]:
        """Learn the rows, all or none if one is invalid; yield how many are learned."""
        if self._checked(X, ys):
            yield from self._learn_each_row(X, ys)
        else:
            before = copy.deepcopy(self)
            try:
                learn_rows(self._learn_each_row(X, ys), whole=True)
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


class LabelPredictor(Predictor):
    """Base class of multilabel models: `predict_one` and `predict_labels_one`."""

    def predict_labels_one(
        self: Any,
        x: Mapping[Any, Any],
        threshold: float | None = None,
        max_depth: int | None = None,
    ) -> list[Label]:
        """Predict the labels that are on, from the top down: those that `predict_one` maps to True.

        The linear learners score only the children of nodes that are on, so the cost does not grow
        with the number of the other nodes. Pipelines do not forward this method: call it on the
        last step, with `pipeline.transform_one(x)`.

        Parameters
        ----------
        x
            A dictionary of features.
        threshold
            As in `predict_one`; takes O(nodes).
        max_depth
            As in `predict_one`.

        Returns
        -------
        The labels in taxonomy order, so that parents come before their children. The root, which is
        always on, is left out: an empty list means that nothing else is on.

        """
        nodes = self._taxonomy.nodes
        check_keywords(threshold, max_depth)
        return [nodes[v] for v in truncate_multilabel(self, x, threshold, max_depth)]

    def _predict(self: Any, x: Mapping[Any, Any]) -> dict[Label, bool]:
        answer: dict[Label, bool] = self._labels.dictionary(self._learned_nodes_on(x))
        return answer

    def _learned_nodes_on(self: Any, x: Mapping[Any, Any]) -> list[int]:
        unseen, nodes = self._never_predicted, self._nodes_on(x)
        return [v for v in nodes if v not in unseen] if unseen else nodes

    @abc.abstractmethod
    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root, in taxonomy order."""


def check_keywords(threshold: float | None, max_depth: int | None) -> None:
    """Raise an error unless both keywords are valid."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is not None:
        check_integer("max_depth", max_depth, at_least=0)


def without_labels(model: Any) -> bool:
    """Whether a single-label model in an open taxonomy has no label yet: it predicts `None`."""
    return len(model._taxonomy) == 1 and not isinstance(model.taxonomy, Taxonomy)


def truncate_multilabel(
    model: Any, x: Any, threshold: float | None, max_depth: int | None
) -> list[int]:
    """The nodes with enough probability or, without a threshold, those of the rule."""
    taxonomy = model._taxonomy
    if threshold is None:
        nodes: list[int] = model._learned_nodes_on(x)
        return nodes if max_depth is None else connected_nodes(taxonomy, nodes, max_depth)
    with probabilities_for(model, threshold):
        p = model._probabilities_one(x)
    return connected(model._labels, p, threshold, max_depth)


@contextmanager
def probabilities_for(model: Any, threshold: float) -> Iterator[None]:
    """Say that `threshold` is invalid if the model gives no probabilities."""
    try:
        yield
    except NotImplementedError:
        raise ValueError(
            f"`threshold` must be None, as {type(model).__name__} gives scores and no "
            f"probabilities, got {threshold!r}; calibrate it, e.g. decision.Calibrated(model)"
        ) from None


def truncated_masks(model: Any, X: Batch, threshold: float | None, max_depth: int | None) -> Mask:
    """The nodes that are on in each row, (rows, nodes)."""
    tree = model._taxonomy._arrays
    on: Mask
    if threshold is None:
        on = switched_off(model._masks(X).T, model._never_predicted)
        if max_depth is None:
            return on.T
    else:
        with probabilities_for(model, threshold):
            p = model._probabilities(X).T
        on = p >= threshold
    on = top_down(on, tree)
    if max_depth is not None:
        on[tree.depth > max_depth] = False
    return on.T


def connected_nodes(taxonomy: Taxonomy, nodes: Iterable[int], max_depth: int | None) -> list[int]:
    """Those of some nodes, in order, that are not too deep and whose ancestors are among them.

    Predictions of wrappers of flat models need not be coherent.
    """
    kept = {0: None}
    depth, parents = taxonomy._arrays.depth, taxonomy._parent_indices
    for v in nodes:
        if (max_depth is None or depth[v] <= max_depth) and all(p in kept for p in parents[v]):
            kept[v] = None
    return list(kept)[1:]


def truncate_label(
    model: Any, x: Any, threshold: float | None, max_depth: int | None
) -> Label | None:
    """The deepest node with enough probability or, without a threshold, that of the rule."""
    taxonomy: Taxonomy = model._taxonomy
    p = None if threshold is None or without_labels(model) else model._softmax(x)
    if p is not None:
        v = deepest(model._labels, p, threshold)
    elif (label := model._predict(x)) is None:
        return None
    else:
        v = taxonomy.index(label)
    while max_depth is not None and taxonomy._arrays.depth[v] > max_depth:
        v = taxonomy._parent_indices[v][0]
    return taxonomy.nodes[v]


def truncated_labels(
    model: Any, X: Batch, threshold: float | None, max_depth: int | None
) -> list[Label | None]:
    """The label of each row."""
    if threshold is None and max_depth is None:
        return list(model._labels_of(X))
    if without_labels(model):
        return [None] * X.n
    taxonomy: Taxonomy = model._taxonomy
    if threshold is None:
        v = np.array([taxonomy.index(label) for label in model._labels_of(X)], dtype=np.intp)
    else:
        rows = np.ascontiguousarray(model._probabilities(X), np.float64)
        v = np.array([deepest(model._labels, p, threshold) for p in rows], dtype=np.intp)
    depth, above = taxonomy._arrays.depth, np.append(0, taxonomy._arrays.parent_index)
    while max_depth is not None and (deep := depth[v] > max_depth).any():
        v[deep] = above[v[deep]]
    return [taxonomy.nodes[i] for i in v.tolist()]


def refuse_unknown(method: Any, kwargs: Mapping[str, Any]) -> None:
    """Raise an error for unknown keywords, which the methods of River's wrappers must accept."""
    for name in kwargs:
        called = f"{type(method.__self__).__name__}.{method.__name__}"
        raise TypeError(f"{called}() got an unexpected keyword argument {name!r}")


def masked_nodes(on: NDArray[np.bool_]) -> list[int]:
    """The nodes of a mask, without the root."""
    nodes: list[int] = (np.flatnonzero(on[1:]) + 1).tolist()
    return nodes
