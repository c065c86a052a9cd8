"""Mini-batches: rows with the same columns, and their labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._native import Labels

Floats = NDArray[np.float64]
Nodes = NDArray[np.uint32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Batch:
    """Rows of finite values: a dense matrix or, with `columns` and `start`, sparse rows.

    Names are distinct, and so are the columns of a sparse row. Row i is `start[i]:start[i + 1]`.
    Without `weights`, each row has weight 1.
    """

    names: list[Hashable]
    values: Floats  # (rows, columns), or (entries,)
    columns: NDArray[np.uint32] | None = None
    start: NDArray[np.int64] | None = None
    weights: Floats | None = None  # above 0, (rows,)
    numbers: NDArray[np.intp] | None = None  # of the rows in the whole batch, if these are some

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
    def stored_names(self) -> list[Hashable]:
        """The names of the columns with entries."""
        if self.columns is None:
            return self.names
        return [self.names[c] for c in np.unique(self.columns).tolist()]

    def row(self, i: int) -> dict[Hashable, float]:
        """A row as `learn_one` takes it."""
        if self.start is None or self.columns is None:
            return dict(zip(self.names, self.values[i].tolist(), strict=True))
        here = slice(self.start[i], self.start[i + 1])
        names = [self.names[c] for c in self.columns[here]]
        return dict(zip(names, self.values[here].tolist(), strict=True))

    def __iter__(self) -> Iterator[dict[Hashable, float]]:
        return map(self.row, range(self.n))

    def each_weight(self) -> Iterable[float]:
        """The weight of each row."""
        return repeat(1.0, self.n) if self.weights is None else self.weights.tolist()

    def number(self, i: int) -> int:
        """The number of row i in the whole batch, for messages."""
        return i if self.numbers is None else int(self.numbers[i])

    def part(self, first: int, last: int) -> Batch:
        """The rows first:last."""
        rest = self._of_rows(np.arange(first, last))
        if self.start is None or self.columns is None:
            return Batch(self.names, self.values[first:last], None, None, *rest)
        start = self.start[first : last + 1]
        here = slice(start[0], start[-1])
        return Batch(self.names, self.values[here], self.columns[here], start - start[0], *rest)

    def keep(self, kept: NDArray[np.intp]) -> Batch:
        """Some of the rows."""
        rest = self._of_rows(kept)
        if self.start is None or self.columns is None:
            return Batch(self.names, self.values[kept], None, None, *rest)
        shape = self.n, len(self.names)
        rows = sparse.csr_array((self.values, self.columns, self.start), shape)[kept]
        columns, start = rows.indices.astype(np.uint32), rows.indptr.astype(np.int64)
        return Batch(self.names, rows.data, columns, start, *rest)

    def _of_rows(self, rows: NDArray[np.intp]) -> tuple[Floats | None, NDArray[np.intp]]:
        """The weights and the numbers of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return weights, rows if self.numbers is None else self.numbers[rows]


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

    def __getitem__(self, rows: slice) -> Multilabels:
        """Consecutive rows."""
        first, last, _ = rows.indices(len(self.start) - 1)
        start = self.start[first : last + 1]
        return Multilabels(start - start[0], self.nodes[start[0] : start[-1]])

    def labels(self, labels: Labels) -> Iterator[list[Any]]:
        """The labels of each row."""
        for i in range(len(self.start) - 1):
            nodes = self.nodes[self.start[i] : self.start[i + 1]].tolist()
            yield [labels.taxonomy.nodes[v] for v in nodes]
