"""The weights of linear models that have learned apart become those of one model.

The models have learned n_k examples each since they were copies of the start w_0, with variances
S_0. Weights become the mean of the w_k, weighted by n_k (McDonald, Hall and Mann, 2010). Uncertain
weights become a mean that is weighted by the precision gained since, g_k = 1 / S_k - 1 / S_0, and
precisions add up:

    w = w_0 + sum_k (a + g_k) (w_k - w_0) / (a + sum_k g_k),    1 / S = 1 / S_0 + sum_k g_k

a is the precision that w_0 has as a prior of all parts. With a = 1 / S_0 this is Bayes' rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._native import FeatureIndex, Labels, LinearState

CELLS = 2**20  # features times weight vectors that are merged at once


def merged(labels: Labels, parts: list[tuple[LinearState, Any]], prior: float) -> LinearState:
    """The merged model: O(size of all models).

    A part is a model with, for each of its weight vectors, the merged one. The last part is the
    start.
    """
    saved, columns = [state.saved() for state, _ in parts], [places for _, places in parts]
    *_, intercept, dtype, n_planes, vectors, before, _, averaged = saved[-1]
    features = FeatureIndex([], intercept)
    rows = [features.insert(dict.fromkeys(names, 1.0)).rows for _, names, *_ in saved]
    height, width = len(features), vectors * len(labels.taxonomy)
    n, examples = before, np.zeros((len(parts) - 1, width))
    for of_part, places, state in zip(examples, columns, saved, strict=False):
        of_part[places] = state[6] - before
        n += state[6] - before
    tables = [state[7] for state in saved]
    averages = None
    if averaged is not None:
        tables += [state[8][4] for state in saved]
        averages = _Averages([state[8] for state in saved], columns, width)
    entries = [
        _Entries(table, places, own, (height, width))
        for table, places, own in zip(tables, rows * 2, columns * 2, strict=False)
    ]
    of_weights, of_updates = _Table(n_planes), _Table(1)
    step = max(1, CELLS // width)
    place = np.empty(step * width, dtype=np.intp)  # of each cell among those with numbers
    for first in range(0, height, step):
        blocks = [each.block(first, first + step) for each in entries]
        touched = np.zeros(step * width, dtype=bool)
        for found, _ in blocks:
            touched[found] = True
        cells = np.flatnonzero(touched)
        place[cells] = np.arange(len(cells))
        planes = [
            [_spread(plane, place[found], len(cells)) for plane in of] for found, of in blocks
        ]
        at = cells % width
        weights, updates = planes[: len(parts)], planes[len(parts) :]
        w = [plane for plane, *_ in weights]
        if n_planes == 1:
            mixed = [_mean(w, examples[:, at])]
        else:
            mixed = _mean_by_precision(w, [s for _, s in weights], prior)
        of_weights.add(first + cells // width, at, mixed)
        if averages is not None:
            found = averages.updates(at, mixed[0], w, [u for (u,) in updates])
            of_updates.add(first + cells // width, at, [found])
    average = None if averages is None else (*averages.merged, of_updates.saved(height))
    state = intercept, dtype, n_planes, vectors, n, of_weights.saved(height), average
    return LinearState(labels, features.names(), *state)


def _mean(w: list[Any], examples: Any) -> Any:
    """The mean of weights by numbers of examples."""
    moves, total = np.zeros_like(w[-1]), np.zeros_like(w[-1])
    for of_part, n in zip(w[:-1], examples, strict=True):
        moves += n * (of_part - w[-1])
        total += n
    return w[-1] + moves / np.where(total > 0.0, total, 1.0)


def _mean_by_precision(w: list[Any], s: list[Any], prior: float) -> list[Any]:
    """The mean of uncertain weights, and their variances less 1."""
    before = 1.0 / (1.0 + s[-1])
    moves, gained = np.zeros_like(before), np.zeros_like(before)
    for of_part, variance in zip(w[:-1], s[:-1], strict=True):
        gain = np.maximum(1.0 / (1.0 + variance) - before, 0.0)
        moves += (prior + gain) * (of_part - w[-1])
        gained += gain
    return [w[-1] + moves / (prior + gained), 1.0 / (before + gained) - 1.0]


class _Averages:
    """The averages of weight vectors, each over its hypotheses in all parts.

    The updates are those that lead to the merged weights: the hypotheses of r rounds have the sum
    r w - u. A part counts if its average has begun, or if none has; and so does the start, which
    all parts contain.
    """

    def __init__(self, saved: list[Any], columns: list[Any], width: int) -> None:
        whole, self.m, *_ = saved[-1]
        self.rounds = np.zeros((len(saved), width))
        self.counts = np.zeros((len(saved), width), dtype=bool)
        begun = np.full(width, whole)
        for (_, m, since, began, _), places, rounds, counts in zip(
            saved, columns, self.rounds, self.counts, strict=True
        ):
            rounds[places] = m - since
            counts[places] = began
            begun |= counts
        for _, m, *_ in saved[:-1]:
            self.m += m - saved[-1][1]
        self.counts = self.counts == begun
        self.n = self._sum(list(self.rounds), self.counts)
        self.since = self.m - self.n
        self.merged = whole, self.m, self.since, begun

    def updates(self, at: Any, mixed: Any, w: list[Any], u: list[Any]) -> Any:
        """The updates of the merged weights at some weight vectors."""
        sums = [r[at] * of_part - by for r, of_part, by in zip(self.rounds, w, u, strict=True)]
        return (self.m - self.since[at]) * mixed - self._sum(sums, self.counts[:, at])

    @staticmethod
    def _sum(values: list[Any], counts: Any) -> Any:
        """The sum over the parts that count, in which the start counts once."""
        before = np.where(counts[-1], values[-1], 0.0)
        total = before.copy()
        for value, counted in zip(values[:-1], counts[:-1], strict=True):
            total += np.where(counted, value - before, 0.0)
        return total


class _Entries:
    """The entries of a part, by the features and weight vectors of the merged model."""

    def __init__(self, saved: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> None:
        start, nodes, *self.planes = saved
        own = np.full(shape[0], len(start) - 1)  # an empty row, for features that it lacks
        known = rows[: len(start) - 1]
        own[known] = np.arange(len(known))
        numbers, ends = np.arange(len(nodes)), np.append(start, start[-1])
        self.table = sparse.csr_array((numbers, columns[nodes], ends), (len(start), shape[1]))[own]

    def block(self, first: int, last: int) -> tuple[Any, list[Any]]:
        """The numbers of the cells of some rows, and those in the planes."""
        table = self.table[first:last]
        n_rows, width = table.shape
        cells = np.repeat(np.arange(n_rows), np.diff(table.indptr)) * width + table.indices
        return cells, [plane[table.data] for plane in self.planes]


def _spread(numbers: Any, places: Any, n: int) -> NDArray[np.float64]:
    """Numbers in their places among n, of which the others are 0."""
    values = np.zeros(n)
    values[places] = numbers
    return values


class _Table:
    """Entries of merged rows, as a `LinearState` reads them."""

    def __init__(self, n_planes: int) -> None:
        self.rows, self.nodes = [np.zeros(0, np.intp)], [np.zeros(0, np.uint32)]
        self.planes = [[np.zeros(0)] for _ in range(n_planes)]

    def add(self, rows: Any, nodes: Any, planes: list[Any]) -> None:
        kept = np.any(planes, axis=0)
        self.rows.append(rows[kept])
        self.nodes.append(nodes[kept].astype(np.uint32))
        for all_, plane in zip(self.planes, planes, strict=True):
            all_.append(plane[kept])

    def saved(self, height: int) -> tuple[Any, ...]:
        counts = np.bincount(np.concatenate(self.rows), minlength=height)
        start = np.append(0, counts.cumsum())
        return start, np.concatenate(self.nodes), *map(np.concatenate, self.planes)
