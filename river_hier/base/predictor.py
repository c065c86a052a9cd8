"""Predictions of one example and of mini-batches, with `threshold=` and `max_depth=`.

`SingleLabelPredictor` and `MultiLabelPredictor` are the base classes of all models of the library.
Beside the public methods they have an inner protocol: what models offer to each other, with arrays
in place of dictionaries. Here it is implemented by public methods, and batches as loops over their
rows; subclasses define what they can do faster.
"""

import abc
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from river import base

from .._core import Batch, Labels, connected, deepest, top_down
from ..taxonomy import Label, Taxonomy
from .checks import check_integer, check_probability
from .classifiers import cloned, probabilities
from .dataframes import (
    ColumnNames,
    Frame,
    answer_frame,
    answer_series,
    check_known,
    check_same_order,
    checked_width,
    frame_like,
    of_row,
    read_batch,
    read_examples,
    valid,
)
from .explanation import Floats
from .memory import raw_memory_usage
from .targets import levels, multilabel_rows, series, with_weights

Mask = NDArray[np.bool_]
A = TypeVar("A", bound=NDArray[Any])
# Unseen nodes: those that were added to a trained model and have had no example since, whose label
# would be the node or below it. Until then a node is off, has probability 0 and does not compete
# with the true label: adding it changes neither predictions for others nor what they learn.
Unseen = frozenset[int]
NONE: Unseen = frozenset()
Method = TypeVar("Method", bound=Callable[..., Any])


def open_for_river(method: Method) -> Method:
    """Show `**kwargs` in the signature of a method, which takes no other keywords.

    River looks for them in the methods of wrappers, and its pipelines hand on every keyword where
    they are, so that a misspelt one is an error. Type checkers see what the method takes.
    """
    shown = inspect.signature(method)
    kwargs = inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)
    of_method: Any = method
    of_method.__signature__ = shown.replace(parameters=[*shown.parameters.values(), kwargs])
    return method


class Predictor(abc.ABC):
    """What models of one label and of several have in common."""

    _raw_memory_usage = raw_memory_usage
    _never_predicted: Any = NONE  # the unseen nodes and, without a taxonomy, the root
    _keeps_float32 = False  # whether it reads arrays of float32 without converting them
    taxonomy: Any
    score_one: Any
    predict_proba_one: Any
    _taxonomy: Any
    _labels: Labels  # those of `_taxonomy`, which grow with it
    _learns_below: Any = False  # whether it learns from labels `Below` inner nodes
    _of_pipeline = False  # whether a pipeline inside reads x, which may then hold texts
    _width = 0  # the number of columns of the last sparse X without names that it has learned
    _features: Any = None  # the `FeatureIndex` of the names it has learned, if it has one
    _predict_within: Any  # the prediction with a `threshold`, a `max_depth`, or both
    _answers_like: Any  # what `predict_many` returns, in a dataframe of this kind or in an array
    _first: int  # the first node that can be predicted: 0, or 1 where the root cannot

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

    @abc.abstractmethod
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features, whose values are finite numbers.
        y
            The label, any node of the taxonomy. Multilabel models take a multilabel: `{label:
            bool}`, an iterable of labels, or one label. Ancestors are added to a copy; a label that
            is on although one of its ancestors is explicitly False is an error. In an open taxonomy
            a tuple is one label; give several in a set or a list.
        w
            The weight of the example, at least 0. An example of weight 0 changes nothing.

        """

    @open_for_river
    def predict_one(
        self, x: Mapping[Any, Any], threshold: float | None = None, max_depth: int | None = None
    ) -> Any:
        """Predict x.

        Parameters
        ----------
        x
            A dictionary of features.
        threshold
            Predict from `predict_proba_one` instead of by the model's own rule. A single label is
            the deepest node whose subtree has at least this probability (of several, the most
            probable, then the first); of several labels, the nodes with at least this probability
            are on. `None` for the model's own rule.
        max_depth
            The maximum depth of a prediction: a deeper label is replaced by its ancestor at this
            depth, and deeper nodes are off. `None` for no limit.

        Returns
        -------
        The label, or `None` if an open taxonomy has none. Multilabel models return `{label: bool}`
        for all nodes but the root, as River's metrics expect it, in O(nodes): with thousands of
        nodes, `predict_labels_one` is much faster.

        """
        if threshold is None and max_depth is None:
            return self._predict(x)
        check_keywords(threshold, max_depth)
        return self._predict_within(x, threshold, max_depth)

    @open_for_river
    def learn_many(
        self, X: Any, y: Any, w: Any = None, columns: ColumnNames = None, labels: ColumnNames = None
    ) -> None:
        """Learn from a mini-batch, row by row, as a loop of `learn_one` would.

        A refused row ends the batch. The rows before it are learned, and the attribute `n_learned`
        of the error says how many these are, as after Ctrl-C.

        Parameters
        ----------
        X
            A dataframe (of pandas, polars, pyarrow, ...) whose columns are the features; every
            cell must be a finite number. Or a numpy array or scipy.sparse matrix, whose columns are
            the features 0, 1, ..., unless `columns` names them; of a sparse matrix only the stored
            entries of a row are features. In a wrapper or pool around pipelines, cells are what
            these read, and X may also be a list or series of texts.
        y
            The targets, one a row: a series or any other sequence of what `learn_one` takes, or a
            dataframe, matrix or sequence of lists with the levels of a path in each row. For
            multilabels also a dataframe or matrix of bools; if sparse, of the labels that are on.
        w
            The weights, one a row: a series or sequence of numbers of at least 0; all 1 by default.
        columns
            The names of the columns of an array or of a sparse X.
        labels
            The labels of the columns of a matrix y.

        """
        batch = None
        try:
            check_same_order(X, y)
            width = checked_width(X, columns, self._width)
            read = self._batch_of(X, columns)
            n = X.shape[0] if hasattr(X, "shape") else len(X)
            batch, ys = with_weights(read, self._read_targets(y, labels, n), w)
            self._learn_rows(batch, ys)
            if batch.error is not None:
                raise batch.error
            if width:
                self._width = width
        except BaseException as error:
            n = 0 if batch is None else batch.number(batch.n_learned)
            named = error if batch is None else of_row(n, error)  # it is that of the next row
            vars(named)["n_learned"] = n
            if named is not error:
                raise named from None
            raise

    @open_for_river
    def predict_many(
        self,
        X: Any,
        columns: ColumnNames = None,
        threshold: float | None = None,
        max_depth: int | None = None,
    ) -> Any:
        """Predict each row, as `predict_one` does.

        Parameters
        ----------
        X
            A dataframe, numpy array, scipy.sparse matrix or, with a model of texts, list of texts.
        columns
            The names of the columns of an array or of a sparse X.
        threshold
            The least probability of the answers; `None` for the model's own rule.
        max_depth
            The maximum depth of a prediction; `None` for no limit.

        Returns
        -------
        For single labels a series of the same kind as X, with its index; for multilabels a
        dataframe of bools with a column for each node but the root. An array if X is one or was a
        list of texts; of pandas if X is sparse. Outside pandas and numpy, labels that are neither
        all text nor all numbers, and the names of columns, are converted to text.

        """
        check_keywords(threshold, max_depth)
        return self._answers_like(self._read_batch(X, columns), frame_like(X), threshold, max_depth)

    @open_for_river
    def predict_proba_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """The probabilities of each row, as in `predict_proba_one`.

        Parameters
        ----------
        X
            A dataframe, numpy array, scipy.sparse matrix or, with a model of texts, list of texts.
        columns
            The names of the columns of an array or of a sparse X.

        Returns
        -------
        A dataframe of the same kind as X, with its index and a column for each label: all nodes or,
        for multilabels, all but the root. An array if X is one.

        """
        batch = self._read_batch(X, columns)
        first = int(self._first or self._without_labels)
        p = self._probabilities(batch)[:, first:]
        return answer_frame(frame_like(X), p, self._taxonomy.nodes[first:])

    if not TYPE_CHECKING:

        @property
        def fit(self):
            raise AttributeError(
                f"{type(self).__name__} has no `fit`: as in River, it has `learn_one` and "
                "`learn_many`; river_hier.sklearn.HierarchicalClassifier(model) has `fit`"
            )

    # The inner protocol

    @property
    def _without_labels(self) -> bool:
        """Whether an open taxonomy has no label yet: a single-label model predicts `None`."""
        return len(self._taxonomy) == 1 and not isinstance(self.taxonomy, Taxonomy)

    @abc.abstractmethod
    def _read_targets(self, y: Any, labels: ColumnNames, n: int) -> Any:
        """The targets of n rows, each as `learn_one` takes it, or a matrix of them."""

    @abc.abstractmethod
    def _predict(self, x: Mapping[Any, Any]) -> Any:
        """The prediction by the model's own rule."""

    @abc.abstractmethod
    def _probabilities(self, X: Batch) -> Floats:
        """P(on) or P(label) of each node, (rows, nodes)."""

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        """The score of each node; 0 for the root of a multilabel model, which has none."""
        values = list(self.score_one(x).values())
        return np.array([0.0] * (len(self._taxonomy) - len(values)) + values)

    def _scores_many(self, X: Batch) -> Floats:
        """The score of each node, (nodes, rows)."""
        return np.array([self._scores_one(x) for x in X]).reshape(X.n, len(self._taxonomy)).T

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        """Learn from the rows; `X.n_learned` says how many are learned, also after an error."""
        self._one_by_one(X, ys, X.n)

    def _one_by_one(self, X: Batch, ys: Any, last: int) -> None:
        """Learn from the next rows, up to the last."""
        while (i := X.n_learned) < last:
            w = X.weight(i)  # some take none
            self.learn_one(X.row(i), ys[i], **({} if w == 1.0 else {"w": w}))
            X.n_learned += 1

    def _check_one(self, x: Any, y: Any, w: float) -> None:  # noqa: B027 - it may be
        """Raise an error if the model would refuse an example, where this can be told before."""

    def _batch_of(self, X: Any, columns: ColumnNames) -> Batch:
        """The rows of X up to the first invalid one, as the model reads them."""
        if self._of_pipeline:
            return read_examples(X, columns)
        return read_batch(X, columns, self._keeps_float32)

    def _read_batch(self, X: Any, columns: ColumnNames) -> Batch:
        """The rows to predict."""
        batch = valid(self._batch_of(X, columns))
        check_known(self._features, batch)
        checked_width(X, columns, self._width)
        return batch

    @contextmanager
    def _asked_for(self, threshold: float) -> Iterator[None]:
        """Say that `threshold` is invalid if the model gives no probabilities."""
        try:
            yield
        except NotImplementedError:
            raise ValueError(
                f"`threshold` must be None, as {type(self).__name__} gives scores and no "
                f"probabilities, got {threshold!r}; calibrate it, e.g. decision.Calibrated(model)"
            ) from None


class SingleLabelPredictor(Predictor, base.Classifier):
    """Base class of single-label models."""

    _first = 0

    if TYPE_CHECKING:  # River's takes any keyword

        def predict_one(
            self, x: Mapping[Any, Any], threshold: float | None = None, max_depth: int | None = None
        ) -> Any: ...

    def _predict_within(
        self, x: Mapping[Any, Any], threshold: float | None, max_depth: int | None
    ) -> Any:
        p = None if threshold is None or self._without_labels else self._softmax(x)
        if p is not None:
            return self._above(deepest(self._labels, p, threshold), max_depth)
        label = self._predict(x)
        return None if label is None else self._above(self._taxonomy.index(label), max_depth)

    def _above(self, v: int, max_depth: int | None) -> Label:
        """The label of a node, or of its ancestor at this depth."""
        taxonomy: Taxonomy = self._taxonomy
        while max_depth is not None and taxonomy._arrays.depth[v] > max_depth:
            v = taxonomy._arrays.parents[v][0]
        return taxonomy.nodes[v]

    def _read_targets(self, y: Any, labels: ColumnNames, n: int) -> list[Any]:
        if labels is not None:
            raise TypeError("`labels` name the columns of a matrix y; here y has one column")
        return series(levels(y), n)

    def _answers_like(
        self, X: Batch, like: Frame | None, threshold: float | None, max_depth: int | None
    ) -> Any:
        if threshold is None or self._without_labels:
            found: Sequence[Label | None] = self._labels_of(X)
            if max_depth is not None and not self._without_labels:
                found = [self._above(self._taxonomy.index(label), max_depth) for label in found]
        else:
            rows = np.ascontiguousarray(self._probabilities(X), np.float64)
            found = [self._above(deepest(self._labels, p, threshold), max_depth) for p in rows]
        return answer_series(like, found, self._taxonomy.nodes)

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        """P(label) of each node, nan if it has none; may be `None` if the prediction is `None`."""
        p = np.full(len(self._taxonomy), np.nan)
        found = probabilities(self, x)
        for label, value in found.items():
            p[self._taxonomy.index(label)] = value
        return p if found else None

    def _labels_of(self, X: Batch) -> Sequence[Label | None]:
        """The label of each row by the model's own rule."""
        return [self.predict_one(x) for x in X]

    def _probabilities(self, X: Batch) -> Floats:
        nodes = self._taxonomy.nodes
        answers = map(self.predict_proba_one, X)
        rows = [[found.get(label, 0.0) for label in nodes] for found in answers]
        return np.array(rows, dtype=float).reshape(X.n, len(nodes))


class MultiLabelPredictor(Predictor, base.MultiLabelClassifier):
    """Base class of multilabel models."""

    _first = 1

    if TYPE_CHECKING:  # River's takes any keyword

        def predict_one(
            self, x: Mapping[Any, Any], threshold: float | None = None, max_depth: int | None = None
        ) -> Any: ...

    def _predict_within(
        self, x: Mapping[Any, Any], threshold: float | None, max_depth: int | None
    ) -> Any:
        return self._labels.dictionary(self._nodes_within(x, threshold, max_depth))

    def predict_labels_one(
        self, x: Mapping[Any, Any], threshold: float | None = None, max_depth: int | None = None
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
            The least probability of a label that is on, in O(nodes); `None` for the model's rule.
        max_depth
            The maximum depth of a label; `None` for no limit.

        Returns
        -------
        The labels in taxonomy order, parents before their children; without the root.

        """
        check_keywords(threshold, max_depth)
        nodes = self._taxonomy.nodes
        return [nodes[v] for v in self._nodes_within(x, threshold, max_depth)]

    def _read_targets(self, y: Any, labels: ColumnNames, n: int) -> Any:
        return multilabel_rows(y, labels, n)

    def _answers_like(
        self, X: Batch, like: Frame | None, threshold: float | None, max_depth: int | None
    ) -> Any:
        tree = self._taxonomy._arrays
        if threshold is None:
            on = replaced(self._masks(X).T, self._never_predicted, 0)
        else:
            with self._asked_for(threshold):
                on = threshold <= self._probabilities(X).T
        if threshold is not None or max_depth is not None:
            on = top_down(on, tree)
        if max_depth is not None:
            on[tree.depth > max_depth] = False
        return answer_frame(like, on[1:].T, self._taxonomy.nodes[1:])

    def _nodes_within(
        self, x: Mapping[Any, Any], threshold: float | None, max_depth: int | None
    ) -> list[int]:
        """The nodes with enough probability or, without a threshold, those of the rule."""
        if threshold is None:
            nodes = self._predicted_nodes(x)
            if max_depth is None:
                return nodes
            return connected_nodes(self._taxonomy, nodes, max_depth)
        with self._asked_for(threshold):
            p = self._probabilities_one(x)
        return connected(self._labels, p, threshold, max_depth)

    def _predict(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        return self._labels.dictionary(self._predicted_nodes(x))

    def _predicted_nodes(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root and those never predicted, in order."""
        unseen, nodes = self._never_predicted, self._nodes_on(x)
        return [v for v in nodes if v not in unseen] if unseen else nodes

    @abc.abstractmethod
    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root, in taxonomy order."""

    def _probabilities_one(self, x: Mapping[Any, Any]) -> Any:
        """P(on) of each node, for the functions of `_core` that decide by it."""
        found, nodes = self.predict_proba_one(x), self._taxonomy.nodes
        p = np.array([1.0, *(found[label][True] for label in nodes[1:])], dtype=float)
        for v in np.flatnonzero(~((p >= 0.0) & (p <= 1.0))):
            raise ValueError(f"the model gives {nodes[v]!r} the probability {float(p[v])!r}")
        return p

    def _masks(self, X: Batch) -> Mask:
        """The nodes that are on, (rows, nodes); those never predicted may be among them."""
        on = np.zeros((X.n, len(self._taxonomy)), dtype=bool)
        on[:, 0] = True
        for row, x in zip(on, X, strict=True):
            row[self._predicted_nodes(x)] = True
        return on

    def _probabilities(self, X: Batch) -> Floats:
        rows = [self._probabilities_one(x) for x in X]
        return np.array(rows, dtype=float).reshape(X.n, len(self._taxonomy))


def replaced(values: A, nodes: Unseen, by: float) -> A:
    """A copy of values of nodes, (nodes, ...), in which those of some nodes are replaced."""
    if nodes:
        values = values.copy()
        values[[v for v in nodes if v < len(values)]] = by  # another thread may have added some
    return values


def check_keywords(threshold: float | None, max_depth: int | None) -> None:
    """Raise an error unless both keywords are valid."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is not None:
        check_integer("max_depth", max_depth, at_least=0)


def connected_nodes(taxonomy: Taxonomy, nodes: Iterable[int], max_depth: int | None) -> list[int]:
    """Those of some nodes, in order, that are not too deep and whose ancestors are among them.

    Predictions of wrappers of flat models need not be coherent.
    """
    kept = {0: None}
    depth, parents = taxonomy._arrays.depth, taxonomy._arrays.parents
    for v in nodes:
        if (max_depth is None or depth[v] <= max_depth) and all(p in kept for p in parents[v]):
            kept[v] = None
    return list(kept)[1:]


def masked_nodes(on: NDArray[np.bool_]) -> list[int]:
    """The nodes of a mask, without the root."""
    return (np.flatnonzero(on[1:]) + 1).tolist()
