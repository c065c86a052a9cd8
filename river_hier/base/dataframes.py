"""Mini-batches: read dataframes and sparse matrices, and return predictions of the same kind."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy import sparse

from .._core import Batch, read
from .._core.batch import Examples, check_distinct
from ..taxonomy import Label, UnknownLabelError
from ..taxonomy.errors import short
from .explanation import Floats

Frame = nw.DataFrame[Any]
ColumnNames = Iterable[Hashable] | None
is_sparse: Callable[[Any], bool] = sparse.issparse


def read_batch(X: Any, columns: ColumnNames, single: bool = False) -> Batch:
    """The rows of X up to the first invalid one, whose error is that of the batch.

    With `single`, an array of float32 is not converted.
    """
    if isinstance(X, np.ndarray):
        return _array(X, columns, single)
    if is_sparse(X):
        columns = getattr(X, "columns", None) if columns is None else columns
        names: Any = range(X.shape[-1]) if columns is None else columns
        if not hasattr(names, "__getitem__"):
            names = list(names)
        check_shape("X", X, "columns", names)
        return _sparse(X, names)
    if (frame := as_frame(X)) is None:
        if isinstance(X, list) and X and isinstance(X[0], str):
            raise TypeError(
                "X is a list of texts, which need a transformer before the model, e.g. "
                "TextViews() | model"
            )
        raise TypeError(
            "X must be a dataframe (of pandas, polars, pyarrow, ...), a numpy array or, with "
            f"`columns`, a scipy.sparse matrix, got {type(X).__name__}; for dicts, loop over "
            "`learn_one` or `predict_one`"
        )
    if columns is not None:
        raise TypeError("`columns` are the names of a sparse X; a dataframe has its own")
    names = list(frame.columns)
    if (stored := _sparse_columns(frame)) is not None:
        return _sparse(stored, names)
    if (values := numbers(frame)) is not None and (batch := Batch(names, values)).is_finite:
        return batch
    return _checked(names, (dict(zip(names, row, strict=True)) for row in frame.iter_rows()))


def read_examples(X: Any, columns: ColumnNames) -> Batch:
    """The rows of X as a pipeline reads them: texts, or dictionaries with cells of any kind."""
    rows: Any = None
    if columns is not None or is_sparse(X):
        return read_batch(X, columns)
    if (frame := as_frame(X)) is None:
        items = getattr(X, "to_list", getattr(X, "tolist", lambda: X))()
        if isinstance(items, list) and isinstance(next(iter(items), ""), str):
            rows = items
    elif _sparse_columns(frame) is None:
        rows = [dict(zip(frame.columns, row, strict=True)) for row in frame.iter_rows()]
    if rows is None:
        return read_batch(X, columns)
    values = np.empty(len(rows), dtype=object)
    values[:] = rows
    return Examples((), values)


def valid(batch: Batch) -> Batch:
    """A batch, or the error of a row that is invalid."""
    if batch.error is not None:
        raise of_row(batch.n, batch.error)
    return batch


def frame_like(X: Any) -> Frame | None:
    """A dataframe of the kind to return; None for arrays and lists."""
    if is_sparse(X):
        if hasattr(X, "columns"):  # the words of texts
            return getattr(X, "like", None)
        return nw.from_dict({"row": range(X.shape[0])}, backend="pandas")
    if isinstance(X, np.ndarray | list):
        return None
    series = nw.from_native(X, series_only=True, pass_through=True)
    return series.to_frame() if isinstance(series, nw.Series) else as_frame(X)


def _array(X: NDArray[Any], columns: ColumnNames, single: bool) -> Batch:
    """The rows of an array; its columns are the features 0, 1, ..., unless they have names."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise TypeError(
            f"an array X must be a matrix of numbers, got {X.ndim} dimensions of {X.dtype}"
        )
    if np.ma.is_masked(X):
        raise ValueError("an array X has masked cells; fill them in, e.g. with `X.filled(0.0)`")
    names: list[Hashable] = list(range(X.shape[1]) if columns is None else columns)
    check_shape("X", X, "columns", names)
    check_distinct(names)
    kept = np.float32 if single and X.dtype == np.float32 else np.float64
    batch = Batch(names, np.ascontiguousarray(X, dtype=kept))
    return batch if batch.is_finite else _checked(names, batch)


def as_frame(table: Any) -> Frame | None:
    """A dataframe of any kind, with distinct column names; None for anything else."""
    if isinstance(table, list):  # the usual type of y; narwhals would be slower
        return None
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
        return frame if isinstance(frame, nw.DataFrame) and frame.columns is not None else None
    except DuplicateError:
        check_distinct(list(getattr(table, "column_names", table.columns)))
        raise


def rows(table: Any) -> Iterable[Any]:
    """The rows of a dataframe as dictionaries; anything else is its own rows."""
    frame = as_frame(table)
    return table if frame is None else frame.iter_rows(named=True)


def pairs(X: Any, y: Any) -> Iterator[Any]:
    """The examples in X and y or, without y, in X alone, a stream of pairs."""
    if y is not None:
        if hasattr(X, "__len__") and hasattr(y, "__len__") and len(X) != len(y):
            raise ValueError(f"X has {len(X)} rows and y has {len(y)}; each row needs its label")
        return zip(rows(X), rows(y), strict=True)
    if hasattr(X, "columns") or hasattr(X, "to_list"):
        raise TypeError(f"X is a {type(X).__name__} and has no labels; give them as `y`")
    return iter(X)


def numbers(frame: Frame) -> Floats | None:
    """The cells of a dataframe of numbers and bools, with nan for missing ones."""
    native = frame.to_native()
    if frame.implementation.is_pandas():  # faster than the schema
        kinds = set(native.dtypes)
        if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds):
            return np.ascontiguousarray(native.to_numpy(dtype=np.float64))
    if frame.implementation.is_polars():  # thousands of columns at once
        polars = nw.get_native_namespace(frame)
        kinds = set(native.dtypes)
        if not all(k == polars.Boolean or (k.is_numeric() and not k.is_decimal()) for k in kinds):
            return None
        if len(kinds) != 1 or not kinds <= {polars.Float32, polars.Float64}:
            native = native.cast(polars.Float64)
        return np.ascontiguousarray(native.to_numpy().reshape(frame.shape), dtype=np.float64)
    types = [column.dtype for column in frame.iter_columns()]
    if not all(kind == nw.Boolean or (kind.is_numeric() and kind != nw.Decimal) for kind in types):
        return None
    if frame.implementation.is_pandas_like():
        cells = native.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        cells = np.empty(frame.shape)
        for j, column in enumerate(frame.iter_columns()):
            cells[:, j] = column.to_numpy()
    return np.ascontiguousarray(cells)


def _sparse(X: Any, names: Any) -> Batch:
    """The stored entries of each row."""
    if hasattr(X, "check_format"):  # compressed: a wrong index would write elsewhere in memory
        try:
            X.check_format(full_check=True)
        except (ValueError, IndexError) as problem:
            raise ValueError(
                f"the arrays of a sparse X do not fit together: {problem}; compute X again"
            ) from None
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    columns, start = rows.indices.astype(np.uint32), rows.indptr.astype(np.int64)
    if rows.dtype.kind in "biuf":
        batch = Batch(names, rows.data.astype(np.float64), columns, start)
        if batch.is_finite:
            return batch
    cells = (
        {names[c]: value for c, value in zip(columns[a:z], rows.data[a:z].tolist(), strict=True)}
        for a, z in pairwise(start)
    )
    values, n, error = _row_by_row(cells)
    return Batch(names, values, columns[: len(values)], start[: n + 1], error=error)


def _sparse_columns(frame: Frame) -> Any:
    """The matrix of a dataframe with sparse columns, as of BagOfWords or a union with it."""
    if not frame.implementation.is_pandas():
        return None
    X, pandas = frame.to_native(), nw.get_native_namespace(frame)
    # `X.items()`, as in `X.sparse.to_coo()`, would make a Series of each: 15 times as slow.
    arrays = getattr(X, "_iter_column_arrays", lambda: (column.array for _, column in X.items()))
    columns = list(arrays())
    if not any(isinstance(c.dtype, pandas.SparseDtype) for c in columns):
        return None
    for j, c in enumerate(columns):
        if not isinstance(c.dtype, pandas.SparseDtype):  # a dense one beside words
            if c.dtype.kind not in "biuf":
                return None
            columns[j] = pandas.arrays.SparseArray(c, fill_value=0)
        elif c.fill_value != 0:
            return None
    values = np.concatenate([c.sp_values for c in columns])
    rows = np.concatenate([c.sp_index.indices for c in columns])
    start = np.cumsum([0, *(c.sp_index.npoints for c in columns)])
    return sparse.csc_array((values, rows, start), X.shape)


def _row_by_row(rows: Iterable[dict[Hashable, Any]]) -> tuple[Floats, int, Exception | None]:
    """The values of the rows up to the first invalid one, how many they are, and its error.

    They are read as in `learn_one`: slow, but with its error messages.
    """
    values = [np.empty(0)]
    try:
        values.extend(read(x)[0] for x in rows)
    except (TypeError, ValueError) as refused:
        return np.concatenate(values), len(values) - 1, refused
    return np.concatenate(values), len(values) - 1, None


def _checked(names: Any, rows: Iterable[dict[Hashable, Any]]) -> Batch:
    values, n, error = _row_by_row(rows)
    return Batch(names, values.reshape(n, len(names)), error=error)


@contextmanager
def at_row(i: int) -> Iterator[None]:
    """Prefix the error of an example with its row."""
    try:
        yield
    except (TypeError, ValueError) as refused:
        raise of_row(i, refused) from None


def of_row(i: int, error: BaseException) -> BaseException:
    """The error of an example, prefixed with its row; any other as it is."""
    if isinstance(error, UnknownLabelError):
        error.message = f"row {i}: {error.message}"
    elif isinstance(error, TypeError | ValueError):
        return (TypeError if isinstance(error, TypeError) else ValueError)(f"row {i}: {error}")
    return error


def check_shape(what: str, matrix: Any, by: str, names: Sequence[Any]) -> None:
    """Raise an error unless there is a name for each column of a matrix."""
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        raise ValueError(
            f"`{by}` must name each column of {what}, got {len(names)} names for a shape of "
            f"{matrix.shape}"
        )


def check_known(features: Any, batch: Batch) -> None:
    """Warn if dense rows lack columns that a trained model has learned.

    If it knows none of their columns, an error is raised. Columns that it does not know are no
    reason to warn: some models learn from their mistakes only.
    """
    n = 0 if features is None else len(features) - features.first_row
    if n <= 0 or batch.columns is not None or not batch.n or not batch.names:
        return
    numbers = features.find(dict.fromkeys(batch.names, 1.0)).rows
    known = int((numbers >= features.first_row).sum())  # without the intercept
    if not known:
        given, learned = short(batch.names[0]), short(features.names()[0])
        raise ValueError(
            f"the model knows none of the columns of X: it has learned {learned}, ..., and X has "
            f"{given}, ...; name the columns as in training (those of an array are 0, 1, ..., "
            "unless `columns` names them)"
        )
    if known < n:
        warnings.warn(
            f"X has {len(batch.names)} columns and lacks {n - known} of the {n} that the model has "
            "learned; they count as 0. Name and order the columns as in training",
            stacklevel=4,
        )


def checked_width(X: Any, columns: ColumnNames, learned: int) -> int:
    """The number of columns of a sparse X without names, else 0; warn if it was another before."""
    width = X.shape[-1] if is_sparse(X) and columns is None and not hasattr(X, "columns") else 0
    if width and learned not in (0, width):
        warnings.warn(
            f"a sparse X has {width} columns, and the model has learned from {learned}; without "
            "names they are the features 0, 1, ...: name them by `columns`, if they are others",
            stacklevel=4,
        )
    return width


def check_same_order(X: Any, y: Any) -> None:
    """Raise an error if the rows of y are those of X in another order, by the indices of both."""
    a: Any = getattr(X, "index", None)
    b: Any = getattr(y, "index", None)
    of_pandas = hasattr(a, "equals") and hasattr(b, "equals")
    if of_pandas and not a.equals(b) and a.sort_values().equals(b.sort_values()):
        raise ValueError(
            f"y has the rows of X in another order: its index is {short(list(b[:3]))}, ..., and "
            f"that of X {short(list(a[:3]))}, ...; give y.loc[X.index] or, if only the index is "
            "wrong, y.to_numpy()"
        )


def answer_series(
    like: Frame | None, answers: Sequence[Label | None], nodes: Sequence[Label]
) -> Any:
    """A series, or array, with one label per row; `nodes` are all possible labels."""
    one_type = len(set(map(type, nodes))) == 1 and not any(label is None for label in answers)
    scalars = one_type and isinstance(nodes[0], str | int | float)
    if like is None:
        array = np.empty(len(answers), dtype=object)
        array[:] = answers  # labels that are tuples stay labels
        return np.array(answers, dtype=type(nodes[0])) if scalars else array
    if like.implementation.is_pandas_like():
        pandas = nw.get_native_namespace(like)
        kind = None if one_type and len(answers) else object
        return pandas.Series(list(answers), index=like.to_native().index, dtype=kind)
    # Other columns hold one type, and turn tuples into lists: other labels become text.
    items = [v if scalars or v is None else str(v) for v in answers]
    return nw.new_series("", items, backend=like.implementation).to_native()


def answer_table(like: Frame | None, answer: dict[str, list[Any]]) -> Any:
    """A dataframe of columns, of which some hold labels; of pandas for arrays."""
    if like is None:
        return nw.from_dict(answer, backend="pandas").to_native()
    if like.implementation.is_pandas_like():
        kind = nw.get_native_namespace(like)
        return kind.DataFrame(answer, index=like.to_native().index)
    for name, column in answer.items():
        if not all(v is None or isinstance(v, str | int | float) for v in column):
            answer[name] = [None if v is None else str(v) for v in column]
    return nw.from_dict(answer, backend=like.implementation).to_native()


def answer_frame(like: Frame | None, cells: NDArray[Any], labels: Sequence[Label]) -> Any:
    """A dataframe, or array, with a row per example and a column per label."""
    if like is None:
        return cells
    if like.implementation.is_pandas_like():
        pandas = nw.get_native_namespace(like)
        columns = pandas.Index(list(labels), dtype=object, tupleize_cols=False)
        return pandas.DataFrame(cells, index=like.to_native().index, columns=columns)
    names = list(map(str, labels))
    if len(set(names)) < len(names):
        other = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"two labels are written {other!r}, and here columns are named by text; ask with a "
            "pandas.DataFrame"
        )
    if like.implementation.is_polars() and cells.size:  # slices of one series are the fastest
        polars, n = nw.get_native_namespace(like), len(cells)
        flat = polars.Series(cells.ravel(order="F"))
        return polars.DataFrame([flat.slice(j * n, n).alias(v) for j, v in enumerate(names)])
    schema = dict.fromkeys(names, nw.Boolean() if cells.dtype == bool else nw.Float64())
    columns = {name: cells[:, j] for j, name in enumerate(names)}
    return nw.from_dict(columns, schema, backend=like.implementation).to_native()
