"""Mini-batches: rows with the same columns, and their labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..taxonomy import Taxonomy

Floats = NDArray[np.float64]
Nodes = NDArray[np.uint32]
Mask = NDArray[np.bool_]


@dataclass
class Batch:
    """Rows of finite values: a dense matrix or, with `columns` and `start`, sparse rows.

    The columns of a sparse row are distinct. Row i is `start[i]:start[i + 1]`. Without `weights`,
    each row has weight 1. `error` says why the row after the last one is refused.
    """

    names: Sequence[Hashable]
    values: Floats  # (rows, columns), or (entries,)
    columns: NDArray[np.uint32] | None = None
    start: NDArray[np.int64] | None = None
    weights: Floats | None = None  # above 0, (rows,)
    numbers: NDArray[np.intp] | None = None  # of some rows, and of the end, in the whole batch
    error: Exception | None = None
    n_learned: int = 0  # the number of rows that a model has learned

    @property
    def n(self) -> int:
        return len(self.values) if self.start is None else len(self.start) - 1

    @property
    def most_norm2(self) -> float:
        """An upper bound of the squared norms of the rows."""
        flat = self.values.ravel()
        with np.errstate(over="ignore"):  # einsum starts no threads, as a dot product would
            return float(np.einsum("i,i->", flat, flat))

    @property
    def is_finite(self) -> bool:
        """Whether no row can be invalid."""
        return math.isfinite(self.most_norm2)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> dict[Hashable, float]:
        """A row as `learn_one` takes it."""
        return self.row(i)

    def row(self, i: int) -> dict[Hashable, float]:
        """A row as `learn_one` takes it."""
        if self.start is None or self.columns is None:
            return dict(zip(self.names, self.values[i].tolist(), strict=True))
        here = slice(self.start[i], self.start[i + 1])
        names = [self.names[c] for c in self.columns[here].tolist()]
        x = dict(zip(names, self.values[here].tolist(), strict=True))
        if len(x) < len(names):
            check_distinct(names)
        return x

    def __iter__(self) -> Iterator[dict[Hashable, float]]:
        return map(self.row, range(self.n))

    def weight(self, i: int) -> float:
        """The weight of a row."""
        return 1.0 if self.weights is None else float(self.weights[i])

    @property
    def all_weights(self) -> Floats:
        """The weight of each row."""
        return np.ones(self.n) if self.weights is None else self.weights

    def number(self, i: int) -> int:
        """The number of row i in the whole batch, also of the one after the last."""
        return i if self.numbers is None else int(self.numbers[i])

    def part(self, first: int, last: int) -> Batch:
        """The rows first:last."""
        weights = None if self.weights is None else self.weights[first:last]
        if self.start is None or self.columns is None:
            return type(self)(self.names, self.values[first:last], None, None, weights)
        start = self.start[first : last + 1]
        here = slice(start[0], start[-1])
        return Batch(self.names, self.values[here], self.columns[here], start - start[0], weights)

    def keep(self, kept: NDArray[np.intp]) -> Batch:
        """Some of the rows."""
        end = np.append(kept, self.n)
        numbers = end if self.numbers is None else self.numbers[end]
        weights = None if self.weights is None else self.weights[kept]
        if self.start is None or self.columns is None:
            return replace(self, values=self.values[kept], weights=weights, numbers=numbers)
        shape = self.n, len(self.names)
        rows = sparse.csr_array((self.values, self.columns, self.start), shape)[kept]
        columns, start = rows.indices.astype(np.uint32), rows.indptr.astype(np.int64)
        return Batch(self.names, rows.data, columns, start, weights, numbers, self.error)

    def compact(self) -> Batch:
        """The same rows with the columns that have entries, in order of appearance."""
        if self.columns is None:
            return self
        columns, first, places = np.unique(self.columns, return_index=True, return_inverse=True)
        order = np.argsort(first)
        names = [self.names[c] for c in columns[order].tolist()]
        check_distinct(names)
        return replace(self, names=names, columns=np.argsort(order)[places].astype(np.uint32))


class Examples(Batch):
    """Rows of any kind, `values`, as a pipeline reads them: dictionaries or texts."""

    def row(self, i: int) -> Any:
        return self.values[i]


def warn_if_sorted(y: NDArray[Any]) -> None:
    """Warn if the labels of the first examples come in runs, as in a table sorted by category.

    In random order, labels follow another one at least twice as often as in a sorted table.
    """
    n_labels, changes = len(np.unique(y)), np.count_nonzero(y[1:] != y[:-1])
    if 3 <= n_labels <= len(y) / 5 and 2 * changes < 3 * (n_labels - 1):
        warnings.warn(
            "the labels come in runs of equal ones, as in a table that is sorted by category: the "
            "model is worse than after rows in random order, and progressive evaluation looks "
            "better than it is; shuffle the rows, e.g. df.sample(frac=1, random_state=0)",
            stacklevel=4,
        )


@dataclass(frozen=True)
class Multilabels:
    """Closed multilabels: the nodes of row i, in order, are `nodes[start[i]:start[i + 1]]`."""

    start: NDArray[np.int64]
    nodes: Nodes

    @classmethod
    def of(cls, on: Mask) -> Self:
        """From masks (rows, nodes)."""
        start = np.concatenate(([0], np.count_nonzero(on, axis=1).cumsum()))
        return cls(start.astype(np.int64), np.nonzero(on)[1].astype(np.uint32))

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, rows: slice) -> Multilabels:
        """Consecutive rows."""
        first, last, _ = rows.indices(len(self))
        start = self.start[first : last + 1]
        return Multilabels(start - start[0], self.nodes[start[0] : start[-1]])


def closed_table(taxonomy: Taxonomy, table: Batch, first: int, last: int) -> Multilabels | None:
    """The closed multilabels of rows first:last of a matrix with a column for each label.

    None if they must be read one by one.
    """
    nodes = [taxonomy._arrays.number(name) or 0 for name in table.names]
    cells = table.values[first:last]
    yes = cells == 1.0
    if 0 in nodes or not (yes | (cells == 0.0)).all():
        return None
    on = np.zeros((len(taxonomy), len(cells)), dtype=bool)
    on[0] = True
    on[nodes] = yes.T
    for v in range(len(taxonomy) - 1, 0, -1):  # children before their parents
        for p in taxonomy._arrays.implied_parents[v]:
            on[p] |= on[v]
    return Multilabels.of(on.T) if (on[nodes] == yes.T).all() else None


def check_distinct(names: Sequence[Hashable]) -> None:
    """Raise an error if two columns have the same name."""
    if len(set(names)) < len(names):
        name = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(
            f"column {name!r} comes twice; rename one, or add them up if they are one feature"
        )


def sparse_rows(
    rows: Sequence[Mapping[Any, float]], columns: Mapping[Any, int]
) -> sparse.csr_array:
    """Rows of named numbers, by the numbers of their columns."""
    indices = [columns[name] for x in rows for name in x]
    values = [value for x in rows for value in x.values()]
    starts = np.cumsum([0, *map(len, rows)])
    return sparse.csr_array((values, indices, starts), shape=(len(rows), len(columns)), dtype=float)
