"""The face of scikit-learn: `pip install river-hier[sklearn]`."""

import functools
import re
from collections.abc import Callable, Sequence, Set
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from river.base import Base
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from ._core import learned_before
from .base.answer import is_ours, reads_anything, taxonomy_of
from .base.checks import check, check_integer
from .base.classifiers import in_taxonomy, is_multilabel, last_step, parameters_of, with_parameters
from .base.dataframes import as_frame, check_same_order, numbers
from .base.targets import judged
from .base.wrapper import ModelWrapper
from .decision import Calibrated, HLossBayes
from .ensemble import DensePool, parts_of
from .feature_extraction import TextViews
from .linear_model import HAROW, HierarchicalSoftmax, PathSoftmax
from .stream import Replayed
from .taxonomy import Below, Evidence, OpenTaxonomy, Taxonomy, UnknownLabelError
from .taxonomy.errors import is_missing, short
from .taxonomy.paths import PathFormat

__all__ = ["HierarchicalClassifier", "scorer"]

_SOFTMAX = PathSoftmax, HierarchicalSoftmax
_LEVELS = PathFormat(None, whole=True)


def _default(X: Any, several: bool, once: bool) -> Any:
    """The model of several labels, or of one, for X: texts, a sparse matrix or a dense one."""
    if isinstance(X, list):
        return TextViews() | _default(None, several, once)
    if several:
        return HLossBayes(Calibrated(HAROW()))
    if isinstance(X, np.ndarray):
        return DensePool()
    softmax = PathSoftmax(margin=1.0)
    return Replayed(softmax, 3, buffer_size=2_000) if once else softmax


class HierarchicalClassifier(ClassifierMixin, BaseEstimator):
    """A model of river_hier as an estimator of scikit-learn.

    Parameters
    ----------
    model
        A model of one label or of several, with a taxonomy or, also in wrappers, with
        `taxonomy=None`, which stands for that of `fit`. By default, for one label
        `PathSoftmax(margin=1)` if X is sparse and `ensemble.DensePool` if it is dense, and for
        several labels `HLossBayes(Calibrated(HAROW()))`, both behind `TextViews()` if X is texts.
        `DensePool` takes milliseconds a row; it is right more often on columns of measurements,
        whatever their scale, but not on embeddings: there give `PathSoftmax()`, which takes a
        hundredth of the time. `fit` learns a copy.
    taxonomy
        The taxonomy. By default, `fit` makes it of levels or of paths with a `separator` in y;
        otherwise it is flat.
    separator
        What separates the names in labels that are paths, e.g. `" > "`.
    random_state
        The seed of the orders in which `fit` learns the rows, or `None` for others each time.
    n_passes
        The number of passes (epochs) of `fit`, each in another order. `None` is 3 for `PathSoftmax`
        and `HierarchicalSoftmax`, also behind transformers, and else 1. Temperatures, calibration,
        the coefficients of pools and the words of texts learn in the first pass only. Models that
        store or count examples, such as forests and neighbours, do not gain by several.
    classes
        The labels, sorted, that the codes 0, 1, ... in y stand for, e.g. `np.unique(y)`, inside
        `VotingClassifier`, `StackingClassifier`, `BaggingClassifier` and `cross_val_predict` of
        probabilities, which encode y. `None` if y holds labels.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in y, sorted, or its columns; those of `predict_proba`. Levels are tuples.
    model_
        The model that has learned; its `taxonomy_` has all nodes.
    n_features_in_ : int
        The number of columns of X; texts have none.

    Notes
    -----
    y has one row for each row of X, in one of these forms, and predictions have the same form:

    * labels: a sequence, array or series of labels of the taxonomy;
    * levels: a 2-D array, a list of lists, a series of lists or a dataframe, whose columns are the
      names from the top of the taxonomy downwards. Shorter paths are filled up with `""`, `None` or
      nan, and predictions with `""`, as in HiClass;
    * several labels: a sequence of sets, or a 2-D array or sparse matrix of 0 and 1, or a dataframe
      of bools, with a column for each label (0, 1, ... without names).

    In a sequence, a label, path or set that is known to some depth only is `Below(path)`.

    `fit` takes O(rows * n_passes) steps of the model, and `partial_fit` makes one pass. If the
    first call is `partial_fit`, the default is `stream.Replayed(PathSoftmax(margin=1), 3,
    buffer_size=2_000)`. `predict_proba` has the shape (rows, classes): the probabilities of the
    labels relative to one another, or that each of several is on. A model may predict a node that
    is no class, such as an inner node. A model of one label refuses several, and the reverse.

    Examples
    --------
    >>> from river_hier.sklearn import HierarchicalClassifier
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline

    >>> titles = ["Blue denim shirt", "Leather boots", "White silk shirt", "Wool hat"]
    >>> levels = [["Men", "Shirts"], ["Men", "Shoes", "Boots"], ["Women", "Shirts"], ["Men"]]
    >>> model = make_pipeline(TfidfVectorizer(), HierarchicalClassifier())
    >>> model.fit(titles, levels).predict(["shirt of silk"])
    array([['Women', 'Shirts', '']], dtype=object)
    >>> model.score(titles, levels)
    1.0
    """

    model: Any
    classes_: NDArray[Any]
    _form: str
    _width: int

    def __init__(
        self,
        model: Any = None,
        taxonomy: Taxonomy | OpenTaxonomy | None = None,
        separator: str | None = None,
        random_state: Any = 0,
        n_passes: int | None = None,
        classes: Any = None,
    ) -> None:
        self.model = model
        self.taxonomy = taxonomy
        self.separator = separator
        self.random_state = random_state
        self.n_passes = n_passes
        self.classes = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.string = True, self.model is None
        several = self.model is None or is_multilabel(last_step(self.model))
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = several
        tags.target_tags.single_output = self.model is None or not several
        return tags

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; if `deep`, those of the model too, e.g. `model__prior_variance`."""
        parameters: dict[str, Any] = super().get_params(deep=False)
        if deep and isinstance(self.model, Base):
            parameters |= {f"model__{name}": value for name, value in parameters_of(self.model)}
        return parameters

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of the model, which then becomes a copy that has learned nothing."""
        inner = {k: params.pop(k) for k in [*params] if "__" in k}
        super().set_params(**params)
        if unknown := inner.keys() - (known := self.get_params()).keys():
            names = ", ".join(sorted(known))
            raise ValueError(f"there is no parameter {min(unknown)!r}; there are {names}")
        if inner:
            of_model = {k.removeprefix("model__"): value for k, value in inner.items()}
            self.model = with_parameters(self.model, of_model)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X, in random order, whatever has been learned before.

        Parameters
        ----------
        X
            A dense or sparse matrix, a dataframe, or a list, array, series or column of texts.
            For pipelines and pools of them a dataframe may have columns of any kind.
        y
            The targets, see above.
        sample_weight
            The weights of the rows; 1 each by default.

        """
        X, rows, names = self._read(X, y, first=True)
        self._start(X, names)
        rng, n_passes = check_random_state(self.random_state), self.n_passes
        if n_passes is None:
            n_passes = 3 if isinstance(last_step(self.model_), _SOFTMAX) else 1
        self._learn(X, rows, sample_weight, rng.permutation(len(rows)).tolist())
        with learned_before:
            for _ in range(n_passes - 1):
                self._learn(X, rows, sample_weight, rng.permutation(len(rows)).tolist())
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, in their order.

        Parameters
        ----------
        X
            More rows, of the kinds that `fit` takes.
        y
            The targets, see above.
        classes
            All labels, or paths, in the first call. If `taxonomy` is left out too, labels are added
            as they arrive; otherwise, unknown ones are an error, as are new paths after `fit`,
            unless `taxonomy` is an `OpenTaxonomy`.
        sample_weight
            The weights of the rows; 1 each by default.

        """
        first = not hasattr(self, "model_")
        before: Any = getattr(self, "_width", 0), getattr(self, "_dtype", None)
        X, rows, names = self._read(X, y, first)
        if first:
            taxonomy: Any = self.taxonomy
            if classes is not None:
                names = _rows(classes if self.classes is None else self._decoded(classes))[2]
                taxonomy = None
            elif taxonomy is None and (self._form == "levels" or self.separator is not None):
                taxonomy = OpenTaxonomy(None if self._form == "levels" else self.separator)
            self._start(X, names, taxonomy, once=True)
        known = self.classes_.tolist()
        try:
            return self._learn(X, rows, sample_weight, list(range(len(rows))))
        except BaseException:  # the rows before a refused one may have new labels
            names, (self._width, self._dtype) = [v for v in names if v in self._taxonomy], before
            raise
        finally:
            if new := set(self._classes_of(names)).difference(known):
                # Metrics of scikit-learn expect sorted labels.
                columns = [*known, *_ordered(new)]
                self.classes_ = _labels(columns if self._form == "matrix" else _ordered({*columns}))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the rows of X, in the form of y."""
        check_is_fitted(self)
        answers = self._batches.predict_many(self._matrix(X))
        if self._form in ("matrix", "sets"):
            on, names = np.asarray(answers), self._taxonomy.nodes[1:]
            if self._form == "matrix":
                return self._of_classes(on, names).astype(np.int64)
            return _objects(_on(on, names))
        if self._form == "labels":
            labels = answers.tolist()
            if self.classes is not None:
                code = dict(zip(self._class_labels, self.classes_, strict=True))
                likeliest = self.classes_[self.predict_proba(X).argmax(axis=1)]
                pairs = zip(labels, likeliest, strict=True)  # an inner node may be no class
                return np.array([code.get(label, best) for label, best in pairs])
            if set(labels) <= set(self.classes_.tolist()):
                return _labels(labels, self.classes_.dtype)
            return _objects(labels)
        first = int(not self._taxonomy._path_format.whole)  # the root of names is on no path of y
        paths = [list(self._taxonomy._names(v)[first:]) for v in answers.tolist()]
        width = max([self._width, *map(len, paths)])
        table = [row + [""] * (width - len(row)) for row in paths]
        kind = None if self._dtype.kind == "U" else self._dtype
        return np.array(table, dtype=kind if table == paths else object)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """The probabilities of the classes, of the shape (rows, classes)."""
        check_is_fitted(self)
        p = np.asarray(self._batches.predict_proba_many(self._matrix(X)), dtype=np.float64)
        p = self._of_classes(p, self._taxonomy.nodes[-p.shape[1] :])
        if self._form not in ("matrix", "sets"):
            p[~p.any(axis=1)] = 1.0  # other nodes are infinitely more probable than all classes
            p /= p.sum(axis=1, keepdims=True)
        return p

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows of X that are predicted without any mistake."""
        answers = self.predict(X)
        check_consistent_length(answers, y)
        if self.classes is not None:
            y, answers = self._decoded(y), _objects(self._decoded(answers))
        right = [self._is_right(*pair) for pair in _pairs(y, answers, self.classes_)]
        return float(np.average(right, weights=sample_weight))

    @property
    def _batches(self) -> Any:
        """The model; River's transformers in front of it take rows of numbers one by one."""
        rows = self._kind != "texts" and not is_ours(self.model_)
        return ModelWrapper(self.model_) if rows else self.model_

    @property
    def _taxonomy(self) -> Taxonomy:
        return taxonomy_of(self.model_)

    def _decoded(self, codes: Any) -> list[Any]:
        """The labels that codes in y stand for."""
        labels, codes = _labels(self.classes).tolist(), np.asarray(codes).tolist()
        for code in codes:
            if type(code) is not int or not 0 <= code < len(labels):
                raise ValueError(
                    f"y must hold codes from 0 to {len(labels) - 1}, the places of its labels in "
                    f"`classes`, got {short(code)}; leave out `classes` where y holds labels"
                )
        return [labels[code] for code in codes]

    def _classes_of(self, labels: list[Any]) -> list[Any]:
        """The labels, or their codes, as scikit-learn knows them."""
        codes = None if self.classes is None else _labels(self.classes).tolist()
        return labels if codes is None else sorted(map(codes.index, labels))

    @property
    def _class_labels(self) -> list[Any]:
        """The label of each class, which may be a code."""
        return self.classes_.tolist() if self.classes is None else self._decoded(self.classes_)

    def _is_right(self, label: Any, answer: Any) -> bool:
        """Whether two labels, or sets of them, stand for the same; unknown ones never do."""
        try:
            if isinstance(label, Evidence):
                label, answer = judged(self._taxonomy, label, answer)
            return self._taxonomy.closure(label) == self._taxonomy.closure(answer)
        except UnknownLabelError:
            return False

    def _matrix(self, X: Any, first: bool = False) -> Any:
        """X as the model takes it: a matrix of numbers, a list of texts, or rows of any cells."""
        kind, X = self._kind_of(X, first)
        if first:
            self._kind = kind
        elif self._kind != kind:
            raise ValueError(f"X must hold {self._kind}, as in `fit`, got {kind}")
        if kind == "texts":
            return X
        if kind == "rows":
            validate_data(self, X, skip_check_array=True, reset=first)
            return X
        try:
            return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=first)
        except ValueError as error:
            if "could not convert string" not in str(error):
                raise
            raise ValueError(
                f"X must hold numbers, or one column of texts: {error}; for texts, categories and "
                "numbers side by side give `model=ensemble.make_views(texts=..., ...)`"
            ) from None

    def _kind_of(self, X: Any, first: bool) -> tuple[str, Any]:
        frame = None if isinstance(X, list | tuple) else as_frame(X)
        if frame is not None and numbers(frame) is None:
            by_name = any(getattr(part, "on", None) is not None for part in parts_of([self.model]))
            if frame.shape[1] == 1 and not by_name:
                X = frame[:, 0].to_list()
            elif isinstance(self.model, Base) and reads_anything(self.model):
                return "rows", pd.DataFrame(frame.to_dict(as_series=False))
        if isinstance(X, str):
            raise ValueError(f"X must be a list of texts, got one, {short(X)}; write [{short(X)}]")
        column = isinstance(X, list | tuple) or len(getattr(X, "shape", ())) == 1
        texts = any(isinstance(x, str) for x in X) if column else False
        texts = texts or (column and not first and self._kind == "texts")  # some, or none
        return ("texts", list(X)) if texts else ("numbers", X)

    def _read(self, X: Any, y: Any, first: bool) -> tuple[Any, list[Any], list[Any]]:
        """The rows of X and y, and the labels."""
        given, X = X, self._matrix(X, first)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_same_order(given, y)
        form, rows, names, width, dtype = _rows(y if self.classes is None else self._decoded(y))
        if dtype is not None and dtype.kind == "f" and self.taxonomy is None:
            check_classification_targets(rows)
        check_consistent_length(X, rows)
        if not first and form != self._form:
            raise ValueError(f"y must hold {self._form}, as in the first call, got {form}")
        self._form, self._dtype = form, dtype
        self._width = width if first else max(width, self._width)
        return X, rows, names

    def _start(self, X: Any, names: list[Any], taxonomy: Any = None, once: bool = False) -> None:
        if self.n_passes is not None:
            check_integer("n_passes", self.n_passes, at_least=1)
        several = self._form in ("matrix", "sets")
        known: Any = self.taxonomy if isinstance(self.taxonomy, Taxonomy) else ()
        named = self._form == "labels" and (self.separator or self.taxonomy) is not None
        if named and all(type(v) is int and v not in known for v in names):
            raise ValueError(
                f"y holds the codes {min(names)} to {max(names)} and not the names in the taxonomy;"
                " VotingClassifier, StackingClassifier, BaggingClassifier and cross_val_predict of "
                "probabilities encode y: give `classes=np.unique(y)` there"
            )
        model = _default(X, several, once) if self.model is None else self.model
        _check_model(model)
        if is_multilabel(last_step(model)) != several:
            raise ValueError(
                f"y holds {self._form}, and {type(last_step(model)).__name__} takes "
                + ("one label a row" if several else "several: sets, or a matrix of 0 and 1")
            )
        taxonomy = taxonomy or self.taxonomy  # none is a flat one, whose root is never predicted
        if taxonomy is None and (self._form == "levels" or self.separator is not None):
            taxonomy = Taxonomy.from_paths(names, separator=self.separator, labels="path")
        self.model_: Any = in_taxonomy(model, taxonomy)
        self.classes_ = _labels(self._classes_of(names))

    def _learn(self, X: Any, rows: list[Any], w: Any, order: list[int]) -> Self:
        if w is not None:
            w = check_array(w, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
            if w.shape != (len(rows),):
                raise ValueError(f"sample_weight.shape == {w.shape}, expected {(len(rows),)}")
            if not w.any():
                raise ValueError("every sample_weight is zero; at least one row must count")
            w = w[order]
        if self._kind == "texts":
            X = [X[i] for i in order]
        else:
            X = X[order] if self._kind == "numbers" else X.iloc[order]
        try:
            self._batches.learn_many(X, [rows[i] for i in order], w=w)
        except (TypeError, ValueError) as error:  # it names the row in the order of learning
            if row := re.match(r"row (\d+): ", said := str(error)):
                message = f"row {order[int(row[1])]}: {said[row.end() :]}"
                if isinstance(error, UnknownLabelError):
                    error.message = message
                else:
                    error.args = (message,)
            raise
        return self

    def _of_classes(self, columns: NDArray[Any], names: Sequence[Any]) -> NDArray[Any]:
        """The columns of the classes; 0 for those that the model does not know yet."""
        place, t = {name: i for i, name in enumerate(names)}, self._taxonomy
        shares = np.zeros((len(columns), len(self.classes_)), dtype=columns.dtype)
        for j, label in enumerate(self._class_labels):
            node = t.nodes[t.index(label)] if label in t else label
            if node in place:
                shares[:, j] = columns[:, place[node]]
        return shares


def scorer(metric: Any) -> Callable[[Any, Any, Any], float]:
    """A metric of river_hier as a scorer, for `scoring=` of scikit-learn.

    Losses are negated, as in scikit-learn: more is better.

    Parameters
    ----------
    metric
        A metric of one value, in a taxonomy that has all labels, e.g. `metrics.HLoss(taxonomy)`.

    Returns
    -------
    A function of estimator, X and y, for any estimator that predicts labels of the taxonomy.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics
    >>> from river_hier.sklearn import HierarchicalClassifier, scorer
    >>> from sklearn.model_selection import cross_val_score

    >>> X, y = [[0.0], [0.1], [5.0], [9.0]] * 9, ["a > b", "a > b", "a > c", "d"] * 9
    >>> t = Taxonomy.from_paths(y, separator=" > ", labels="path")
    >>> model = HierarchicalClassifier(taxonomy=t)
    >>> error = scorer(metrics.TreeInducedError(t))
    >>> cross_val_score(model, X, y, cv=3, scoring=error).tolist()
    [0.0, 0.0, 0.0]
    """
    return functools.partial(_score, metric)


def _score(metric: Any, estimator: Any, X: Any, y: Any) -> float:
    metric = metric.clone()
    if getattr(metric, "_reads", "labels") == "labels":
        for label, answer in _pairs(y, estimator.predict(X), getattr(estimator, "classes_", None)):
            metric.update(label, answer)
    else:
        names = estimator.classes_.tolist()
        for label, p in zip(_rows(y)[1], estimator.predict_proba(X).tolist(), strict=True):
            metric.update(label, dict(zip(names, p, strict=True)))
    value: float = metric.get()
    return value if metric.bigger_is_better else -value


def _pairs(y: Any, answers: Any, classes: Any) -> Any:
    """The labels of each row in y, and those of the answers, which are of the same form."""
    form, rows, names, *_ = _rows(y)
    if form == "matrix":
        columns = names if classes is None else classes.tolist()
        if not hasattr(y, "columns"):  # as in `fit`, where those of a dataframe had names
            n = len(columns)
            check(len(names) == n, "y", names, f"a matrix of {n} columns, as in `fit`")
            rows = [{columns[j] for j in row} for row in rows]
        return zip(rows, _on(answers, columns), strict=True)
    answers = answers.tolist()
    if form == "levels":  # an answer may be the root, which has none
        answers = [_LEVELS.names(row) for row in answers]
    return zip(rows, answers, strict=True)


def _on(matrix: NDArray[Any], names: Sequence[Any]) -> list[Any]:
    return [{names[j] for j in np.flatnonzero(row).tolist()} for row in matrix]


def _rows(y: Any) -> tuple[str, list[Any], list[Any], int, Any]:
    """The form of y, its rows, the different labels in order, the levels, and their type."""
    y = y.toarray() if hasattr(y, "toarray") else y
    names = list(y.columns) if hasattr(y, "columns") else None
    table = _table(y)
    parts = {i: row for i, row in enumerate(table.flat) if isinstance(row, Evidence)}
    if parts:  # labels that they name stand for them
        labels = [parts[i]._in_place() if i in parts else y for i, y in enumerate(table.flat)]
        form, rows, *rest = _rows(labels)
        parts = {i: Below(rows[i]) if type(y) is Below else y for i, y in parts.items()}
        return form, [parts.get(i, row) for i, row in enumerate(rows)], *rest
    if table.dtype.kind == "f":
        assert_all_finite(table, input_name="y")
    if table.ndim == 2 and (table.shape[1] > 1 or table.dtype.kind == "b" or _holds_lists(y)):
        if table.dtype.kind in "bui" and np.isin(table, (0, 1)).all():
            names = list(range(table.shape[1])) if names is None else names
            return "matrix", _on(table, names), names, 0, None
        paths = [_LEVELS.names(row) for row in table.tolist()]
        _check_given([path or None for path in paths])
        distinct = set(paths)
        tops = {path[0] for path in distinct} if _holds_lists(y) else set()
        for path in distinct:
            if clash := tops.intersection(path[1:]) - {path[0]}:
                raise ValueError(
                    f"y has the list {[*path]}, and {clash.pop()!r} is at the top of another: "
                    "several labels of a row are a set; paths in which names recur are tuples"
                )
        return "levels", paths, _ordered(distinct), table.shape[1], table.dtype
    rows = column_or_1d(table, warn=True).tolist()
    if rows and all(isinstance(row, Set) for row in rows):
        return "sets", rows, _ordered(set().union(*rows)), 0, None
    _check_given(rows)
    return "labels", rows, _ordered(set(rows)), 0, table.dtype


def _check_given(labels: list[Any]) -> None:
    for i, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(f"row {i} of y has no label, got {label!r}; leave such rows out")


def _holds_lists(y: Any) -> bool:
    return len(y) > 0 and isinstance(next(iter(y)), list)


def _table(y: Any) -> NDArray[Any]:
    """y as an array: of levels, (rows, levels), if its items are paths."""
    items = y.to_numpy() if hasattr(y, "to_numpy") else y
    if not isinstance(items, list | tuple):
        items = np.asarray(items)
        if items.dtype != object or items.ndim != 1:
            return items
    items = list(items)
    if items and all(isinstance(row, list | tuple | np.ndarray) for row in items):
        width = max(map(len, items))
        padded = [[*row, *[""] * (width - len(row))] for row in items]
        cells = _objects([cell for row in padded for cell in row]).reshape(len(items), width)
        numeric = all(isinstance(cell, int | np.integer) for cell in cells.flat)
        return cells.astype(int) if numeric else cells
    return _labels(items)


def _objects(items: list[Any]) -> NDArray[Any]:
    return np.fromiter(items, dtype=object, count=len(items))


def _labels(labels: list[Any], dtype: Any = None) -> NDArray[Any]:
    """An array of labels, each of them one item."""
    labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
    kinds = set(map(type, labels))
    if not (len(kinds) < 2 or kinds == {int, float}) or not kinds <= {int, float, bool, str, bytes}:
        return _objects(labels)
    return np.asarray(labels, dtype=None if dtype is None or dtype.kind == "U" else dtype)


def _check_model(model: Any) -> None:
    if isinstance(model, Taxonomy | OpenTaxonomy):
        help_ = "name it: `taxonomy=...`"
    elif isinstance(model, type):
        help_ = f"give an instance, {model.__name__}()"
    elif not isinstance(model, Base):
        help_ = "one of scikit-learn goes into local.PerNode by River's convert_sklearn_to_river"
    elif not hasattr(last_step(model), "taxonomy"):
        help_ = "put a classifier of River into local.PerParent"
    elif not getattr(last_step(model), "_predicts_labels", True):
        help_ = "its answers, for metrics, are no labels: give the model inside"
    else:
        return
    name = "a class" if isinstance(model, type) else type(model).__name__
    raise TypeError(f"`model` must be a model of river_hier, got {name}; {help_}")


def _ordered(labels: Set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:  # labels of several types
        return sorted(labels, key=str)
