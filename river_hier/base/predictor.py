"""The public methods of all models: they read x, and return a form of the model's answer."""

import abc
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from river import base

from .._core import Batch, Labels
from ..taxonomy import Label
from .answer import LabelRows, SetRows
from .checks import check_integer, check_probability
from .classifiers import cloned
from .dataframes import (
    ColumnNames,
    check_known,
    check_same_order,
    checked_width,
    frame_like,
    of_row,
    read_batch,
    read_examples,
    valid,
)
from .memory import raw_memory_usage
from .targets import levels, multilabel_rows, series, with_weights

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


if TYPE_CHECKING:  # a wrapper is of either kind; at run time `isinstance` asks for the kind

    class _Model(base.Classifier, base.MultiLabelClassifier):
        def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None: ...
        def predict_one(self, x: Any, **kwargs: Any) -> Any: ...
        def predict_proba_one(self, x: Any, **kwargs: Any) -> Any: ...

else:
    _Model = abc.ABC


class Predictor(_Model):
    """What models of one label and of several have in common."""

    _raw_memory_usage = raw_memory_usage
    _kind: Any  # `ONE` or `SEVERAL`
    taxonomy: Any
    _taxonomy: Any
    _labels: Labels  # those of `_taxonomy`, which grow with it
    _keeps_float32 = False  # whether it reads arrays of float32 without converting them
    _learns_parts: Any = False  # whether it learns from labels that are known in part
    _of_pipeline = False  # whether a pipeline inside reads x, which may then hold texts
    _width = 0  # the number of columns of the last sparse X without names that it has learned
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
            return self._answer(x).prediction()
        max_depth = checked_depth(threshold, max_depth)
        try:
            return self._answer(x).within(threshold, max_depth)
        except NotImplementedError:
            raise self._no_probabilities(threshold) from None

    @open_for_river
    def predict_proba_one(self, x: Mapping[Any, Any]) -> Any:
        """The probabilities of the labels.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        Of one label a distribution over all nodes, `{label: probability}`, of sum 1; without a
        taxonomy, the root is not a label and has probability 0, and before the first label of an
        open one the answer is empty. Multilabel models return the probability that each node but
        the root is on, `{label: {False: 1 - p, True: p}}`: the product along the path of the nodes'
        probabilities given that their parents are on, so never above its parent's, and perhaps
        below one half where `predict_one` says True.

        """
        return self._answer(x).distribution()

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
        max_depth = checked_depth(threshold, max_depth)
        answers = self._answers(self._read_batch(X, columns))
        try:
            return answers.predictions(frame_like(X), threshold, max_depth)
        except NotImplementedError:
            raise self._no_probabilities(threshold) from None

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
        return self._answers(self._read_batch(X, columns)).frame(frame_like(X))

    if not TYPE_CHECKING:

        @property
        def fit(self):
            raise AttributeError(
                f"{type(self).__name__} has no `fit`: as in River, it has `learn_one` and "
                "`learn_many`; river_hier.sklearn.HierarchicalClassifier(model) has `fit`"
            )

    @abc.abstractmethod
    def _answer(self, x: Any) -> Any:
        """What the model says of x, an `Answer`."""

    def _answers(self, X: Batch) -> Any:
        """What it says of each row, `Rows`."""
        rows = SetRows if self._kind.several else LabelRows
        return rows.of(self._labels, [self._answer(x) for x in X])

    def _read_targets(self, y: Any, labels: ColumnNames, n: int) -> Any:
        """The targets of n rows, each as `learn_one` takes it, or a matrix of them."""
        if self._kind.several:
            return multilabel_rows(y, labels, n)
        if labels is not None:
            raise TypeError("`labels` name the columns of a matrix y; here y has one column")
        return series(levels(y), n)

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        """Learn from the rows; `X.n_learned` says how many are learned, also after an error."""
        self._one_by_one(X, ys, X.n)

    def _one_by_one(self, X: Batch, ys: Any, last: int) -> None:
        """Learn from the next rows, up to the last."""
        while (i := X.n_learned) < last:
            w = X.weight(i)  # some take none
            self.learn_one(X.row(i), ys[i], **({} if w == 1.0 else {"w": w}))
            X.n_learned += 1

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        """Raise an error if the model would refuse an example, where this can be told before."""

    def _check_forget(self, v: int) -> None:
        """Raise an error if the model cannot forget this node."""

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

    def _no_probabilities(self, threshold: float | None) -> Exception:
        if threshold is None:
            return NotImplementedError()
        return ValueError(
            f"`threshold` must be None, as {type(self).__name__} gives scores and no "
            f"probabilities, got {threshold!r}; calibrate it, e.g. decision.Calibrated(model)"
        )


@open_for_river
def score_one(self: Any, x: Mapping[Any, Any]) -> dict[Label, float]:
    """The score of each label, `{label: score}`; multilabel models leave out the root."""
    answer, first = self._answer(x), int(self._kind.several)
    scores = answer.scores().tolist()
    return dict(zip(answer.labels.taxonomy.nodes[first:], scores[first:], strict=False))


def predict_labels_one(
    self: Any, x: Mapping[Any, Any], threshold: float | None = None, max_depth: int | None = None
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
    answer = self._answer(x)
    if not answer.several:
        raise TypeError(f"{self} predicts one label; ask `predict_one` for it")
    if threshold is None and max_depth is None:
        nodes = answer.nodes()
    else:
        max_depth = checked_depth(threshold, max_depth)
        try:
            nodes = answer.nodes_within(threshold, max_depth)
        except NotImplementedError:
            raise self._no_probabilities(threshold) from None
    labels = answer.labels.taxonomy.nodes
    return [labels[v] for v in nodes]


def checked_depth(threshold: float | None, max_depth: int | None) -> int | None:
    """The depth, at most that of any taxonomy; an error unless both keywords are valid."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is None:
        return None
    check_integer("max_depth", max_depth, at_least=0)
    return min(max_depth, 2**31)
