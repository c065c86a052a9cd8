"""Which shards need an example: those with nodes that it trains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Multilabels
from ..taxonomy import Arrays
from .plan import last_parents


class Routes:
    """The shards with nodes below each node.

    A node is trained if its parents are on, and may be predicted to be on if they are. So a shard
    needs the examples that have a node on whose children it has; in a DAG, a node counts as a child
    of its last parent.
    """

    def __init__(self, taxonomy: Arrays, owners: Sequence[int], n_shards: int) -> None:
        self.below: NDArray[np.bool_] = np.zeros((n_shards, taxonomy.n), dtype=bool)
        self.below[owners[1:], last_parents(taxonomy)] = True

    def split(self, X: Batch, y: Multilabels) -> list[tuple[Batch, Multilabels]]:
        """The rows that each shard needs, with their multilabels."""
        rows = y.rows
        needed = (distinct(rows[below[y.nodes]]) for below in self.below)
        return [(rows_of(X, kept), y.keep_rows(kept)) for kept in needed]


def distinct(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The distinct numbers of an ascending list."""
    return rows[np.diff(rows, prepend=-1) > 0]


def rows_of(X: Batch, kept: NDArray[np.intp]) -> Batch:
    """Some of the rows, without the names of columns that have no entry in them."""
    return without_empty_columns(X if len(kept) == X.n else X.keep(kept))


def without_empty_columns(X: Batch) -> Batch:
    """The same rows, without the names of columns that have no entry in them."""
    if X.columns is None:
        return X
    used = np.zeros(len(X.names), dtype=bool)
    used[X.columns] = True
    if used.all():
        return X
    columns = (np.cumsum(used) - 1)[X.columns].astype(np.uint32)
    names = X.names[used] if isinstance(X.names, np.ndarray) else list(compress(X.names, used))
    return replace(X, names=names, columns=columns)
