"""The y of a mini-batch, and the stages in which an open taxonomy grows with it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Labels, Multilabels, closed_many
from ..taxonomy import Label, Taxonomy, UnknownLabelError
from ..taxonomy.open import with_labels
from .checks import check_single_label, checked_weight
from .dataframes import as_frame, at_row, check_distinct, check_shape, is_sparse, numbers
from .explanation import Floats

# Types of y that can certainly be read twice; checking other types is slower.
_PLAIN = frozenset({set, frozenset, list, dict, str})


class Table:
    """A y as a matrix of bools with a column for each label."""

    def __init__(self, names: list[Label], cells: Floats) -> None:
        self.names = names
        self.cells = cells

    def __len__(self) -> int:
        return len(self.cells)

    def keep(self, kept: NDArray[np.intp]) -> Table:
        """Some of the rows."""
        return Table(self.names, self.cells[kept])

    def multilabels(self, taxonomy: Taxonomy) -> Multilabels | None:
        """The closed multilabels; None if the rows must be read one by one."""
        nodes = [taxonomy._known_index(name) or 0 for name in self.names]
        yes = self.cells == 1.0
        if 0 in nodes or not (yes | (self.cells == 0.0)).all():
            return None
        on = np.zeros((len(taxonomy), len(self)), dtype=bool)
        on[0] = True
        on[nodes] = yes.T
        for v in range(len(taxonomy) - 1, 0, -1):  # children before their parents
            for p in taxonomy._implied_parents[v]:
                on[p] |= on[v]
        return Multilabels.of(on.T) if (on[nodes] == yes.T).all() else None

    def rows(self) -> list[dict[Label, Any]]:
        """The multilabels as `learn_one` takes them."""
        return [dict(zip(self.names, row, strict=True)) for row in self.cells.tolist()]


def series(y: Any, n: int, name: str = "y", what: str = "label") -> list[Any]:
    """The items of a series or any other sequence, one per row."""
    if np.ma.is_masked(y):
        raise ValueError(f"{name} has masked items; each row needs its {what}")
    if not isinstance(y, list | np.ndarray):
        y = nw.from_native(y, series_only=True, pass_through=True)
    several = hasattr(y, "__len__") and not isinstance(y, str | bytes | Mapping)
    if isinstance(y, nw.Series):
        items = y.to_list()
    elif not several or as_frame(y) is not None:
        raise TypeError(f"{name} must be a series or a sequence of {what}s, got {type(y).__name__}")
    else:
        items = y.tolist() if hasattr(y, "tolist") else list(y)
    check_length(len(items), n, what)
    return items


def levels(y: Any) -> Any:
    """y, or the paths in the rows of its levels: a dataframe, a matrix, or a sequence of lists.

    Tables of numbers are multilabels, and those of one column are errors: both are left alone.
    """
    if (frame := as_frame(y)) is not None:
        return y if frame.shape[1] < 2 or numbers(frame) is not None else list(frame.iter_rows())
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "OU":
        return list(map(tuple, y.tolist()))
    if hasattr(y, "__len__") and len(y) and isinstance(next(iter(y)), list):
        return [tuple(path) if isinstance(path, list) else path for path in y]
    return y


def with_weights(X: Batch, y: Any, w: Any) -> tuple[Batch, Any]:
    """The rows with their weights and their targets, without rows of weight 0."""
    if w is None:
        return X, y
    items = series(w, X.n, "w", "weight")
    weights = np.empty(X.n)
    for i, item in enumerate(items):
        with at_row(i):
            weights[i] = checked_weight(item)
    X = replace(X, weights=weights)
    if weights.all():
        return X, y
    kept = np.flatnonzero(weights)
    return X.keep(kept), y.keep(kept) if isinstance(y, Table) else [y[i] for i in kept]


def check_length(n_labels: int, n: int, what: str = "label") -> None:
    """Raise an error unless X has as many rows as there are labels, or weights."""
    if n_labels != n:
        name = "w" if what == "weight" else "y"
        raise ValueError(f"X has {n} rows and {name} has {n_labels}; each row needs its {what}")


def stages(
    model: Any, X: Batch, named: Iterable[Collection[Label]]
) -> list[tuple[int, int, Taxonomy]]:
    """The rows to learn in each taxonomy of a model: first row, last row + 1, taxonomy.

    The taxonomy of an open model grows with the labels that are named in each row.
    """
    start, found = model.taxonomy, [(0, model._taxonomy)]
    if isinstance(start, Taxonomy) or not X.n:
        named = ()
    seen: set[tuple[type, Label]] = set()
    for i, labels in enumerate(named):
        try:  # True is not 1 here
            typed = list(zip(map(type, labels), labels, strict=True))
            if seen.issuperset(typed):
                continue
        except TypeError:  # a label that is not hashable
            typed = []
        with at_row(X.number(i)):
            taxonomy = with_labels(start, found[-1][1], labels)
        seen.update(typed)
        if taxonomy is not found[-1][1]:
            found.append((i, taxonomy))
    ends = [first for first, _ in found[1:]] + [X.n]
    return [(a, z, t) for (a, t), z in zip(found, ends, strict=True) if a < z]


def nodes_of(taxonomy: Taxonomy, ys: Sequence[Label], X: Batch, first: int, last: int) -> Any:
    """The nodes of the single labels of rows first:last."""
    try:
        nodes = taxonomy._known_indices(ys[first:last])
    except (KeyError, TypeError):
        nodes = []
        for i in range(first, last):
            with at_row(X.number(i)):
                nodes.append(taxonomy.index(ys[i]))
    return np.array(nodes, dtype=np.uint32)


def multilabels_of(
    labels: Labels, ys: Sequence[Any], X: Batch, first: int, last: int
) -> Multilabels:
    """The closed multilabels of rows first:last."""
    try:
        return Multilabels(*closed_many(labels, ys[first:last]))
    except (KeyError, TypeError, ValueError):
        for i in range(first, last):
            with at_row(X.number(i)):
                labels.taxonomy._closure_mask(ys[i])
        raise


def multilabel_rows(y: Any, labels: Iterable[Hashable] | None, n: int) -> Table | list[Any]:
    """A table, or one multilabel per row, as `learn_one` takes it."""
    if labels is not None:
        names = list(labels)
        check_shape("y", y, "labels", names)
        check_distinct(names)
        check_length(y.shape[0], n)
        if not is_sparse(y):
            return Table(names, np.asarray(y, dtype=np.float64))
        return [[names[c] for c in row] for row in y.astype(bool).tolil().rows]
    if is_sparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2):
        raise TypeError("a matrix y has no names for its columns; give them as `labels`")
    if (frame := as_frame(y)) is not None:
        check_length(len(frame), n)
        names = list(frame.columns)
        if (cells := numbers(frame)) is not None:
            return Table(names, cells)
        return [dict(zip(names, row, strict=True)) for row in frame.iter_rows()]
    items = series(y, n)
    if _PLAIN.issuperset(map(type, items)):
        return items
    return [list(y) if type(y) not in _PLAIN and isinstance(y, Iterator) else y for y in items]


def read_label(model: Any, y: Label) -> tuple[Taxonomy, int]:
    """The taxonomy with the label y, and the node of y."""
    taxonomy = model._taxonomy
    try:
        if not isinstance(model.taxonomy, Taxonomy):
            taxonomy = with_labels(model.taxonomy, taxonomy, [y])
        return taxonomy, taxonomy.index(y)
    except (TypeError, UnknownLabelError):
        check_single_label(model, y)
        raise


def read_many(model: Any, X: Batch, ys: Any) -> list[tuple[int, int, Taxonomy, Any]]:
    """The stages of a valid batch: first row, last row + 1, taxonomy and nodes."""
    model._check_many(X)
    try:
        rows = stages(model, X, ([label] for label in ys))
        return [(a, z, t, nodes_of(t, ys, X, a, z)) for a, z, t in rows]
    except (TypeError, UnknownLabelError):
        for i, label in enumerate(ys):
            with at_row(X.number(i)):
                check_single_label(model, label)
        raise
