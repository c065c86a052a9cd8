"""Reading of texts: from the features of an x, from dataframes, and from lists; and back."""

from __future__ import annotations

import gc
import reprlib
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import narwhals.stable.v2 as nw
from river.utils.dataframe import sparse_to_native_frame
from scipy import sparse

from ..base.dataframes import as_frame, at_row
from ..base.targets import series
from ..taxonomy.errors import is_missing, short


def text_of(x: Any, on: Any) -> str:
    """The text of an x: that of its features `on`, or x itself if `on` is None."""
    if on is None:
        texts = [x]
    else:
        try:
            texts = [x[name] for name in on]
        except (KeyError, TypeError):
            names = ", ".join(map(repr, on))
            raise ValueError(f"x must have the features {names}, got {reprlib.repr(x)}") from None
    try:
        return " ".join(texts)
    except TypeError:
        wrong = next(text for text in texts if not isinstance(text, str))
        help_ = ""
        if is_missing(wrong):
            help_ = "; leave out examples without a text, or give the empty text"
        elif isinstance(wrong, dict):
            help_ = "; the parameter `on` names the features that are texts"
        raise ValueError(f"expected text, got {reprlib.repr(wrong)}{help_}") from None


def texts_of(X: Any, on: list[Hashable] | tuple[Hashable, ...] | None) -> tuple[list[str], Any]:
    """The text of each row of a batch, and a frame or series of the kind to return, or None."""
    xs, like = _rows(X, on)
    texts = []
    for i, x in enumerate(xs):
        with at_row(i):
            texts.append(text_of(x, on))
    return texts, like


def _rows(X: Any, on: list[Hashable] | tuple[Hashable, ...] | None) -> tuple[list[Any], Any]:
    if (frame := as_frame(X)) is not None:
        if on is None:
            raise TypeError(
                f"X is a dataframe with the columns {short(frame.columns)}: name its texts, e.g. "
                '`on="text"`, or give the column alone, df["text"]'
            )
        if missing := [name for name in on if name not in frame.columns]:
            raise ValueError(f"X must have the column {missing[0]!r}, got {frame.columns}")
        names: Any = on
        rows = [dict(zip(names, row, strict=True)) for row in frame.select(names).iter_rows()]
        return rows, frame
    if on is not None:
        raise TypeError(f"`on` names columns, so X must be a dataframe, got {type(X).__name__}")
    texts = series(X, len(X) if hasattr(X, "__len__") else 0, "X", "text")
    like = nw.from_native(X, series_only=True, pass_through=True)
    return texts, like if isinstance(like, nw.Series) else None


def frame_of(values: Any, columns: Any, start: Any, names: list[Any], like: Any) -> Any:
    """A frame like another one, or a sparse array, with a column for each name."""
    matrix: Any = sparse.csr_array((values, columns, start), (len(start) - 1, len(names)))
    if like is not None:
        with _no_garbage_collection():
            return sparse_to_native_frame(matrix, columns=names, like=like)
    matrix.columns = names
    return matrix


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Make no objects wait for the collector, which would look at all objects of the process.

    A sparse dataframe of pandas has several objects for each column: a quarter of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
