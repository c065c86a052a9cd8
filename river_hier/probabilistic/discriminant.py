"""Counts, sums and the scatter within classes, for Gaussian classes with a shared covariance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from .._core.pickles import set_state
from ..taxonomy import Arrays
from .dense import BLOCK
from .posterior import Means, Posterior, Rates, Step, extended

Floats = NDArray[np.float64]
Nodes = NDArray[np.intp]
TINY = 1e-140  # squares up to this count as zero: their inverses might overflow for a large x
ROOM = 1.5  # growth factor of the arrays
ROWS = 64  # rows of the scatter that are added at once
COSTLY = 32  # features per step: with more steps, computing the posterior from the sums is faster


class Latest:
    """The posterior before some examples; that after them is computed when it is needed.

    Learning replaces this object; predictions complete it, so they cannot lose an example.
    """

    def __init__(self, before: Posterior | None = None, steps: Sequence[Step] = ()) -> None:
        self.before = before  # None: to be computed from the sums
        self.steps = steps
        self.posterior: Posterior | None = None if steps else before


class Discriminant:
    """The sums of the examples of each node, from which everything else is computed.

    The first example, `origin`, is subtracted from all. `rates` has the total weights of the
    examples of the nodes and `sums` their weighted sums; `kept` has both for what has been
    forgotten below a node. The upper triangle of `scatter`, with the `rows` not yet added, is that
    within classes; `low` and `high` are the bounds of each feature.
    """

    def __init__(self, tree: Arrays, shrinkage: float, l2: float) -> None:
        self.tree: Arrays = tree
        self.shrinkage = shrinkage
        self.l2 = l2
        self.rates: Rates = Rates(tree)
        self.origin: Floats | None = None
        self.sums: Floats = np.zeros((tree.n, 0))
        self.kept: dict[int, tuple[float, Floats]] = {}
        self.scatter: Floats = np.zeros((0, 0))
        self.rows: list[Floats] = []
        self.low: Floats = np.zeros(0)
        self.high: Floats = np.zeros(0)
        self.free: float = 1.0  # degrees of freedom of the scatter, and one for the ridge
        self._latest: Latest = Latest()

    @property
    def n(self) -> Floats:
        return self.rates.n

    def learn(self, x: Floats, v: int, w: float) -> None:
        """Learn from an example of node v: O(d^2) in blocks; an error changes nothing."""
        latest = self._latest
        if latest.posterior is not None:
            latest = Latest(latest.posterior)
        if len(self.rows) == ROWS:
            scatter = self._whole_scatter()
            self.scatter, self.rows = scatter, []
        origin = x if self.origin is None else self.origin
        x = x - origin
        n = self.n[v]
        # Welford: beside examples of weight n, one of weight w adds n w / (n + w) to the scatter.
        row = (x - self.sums[v] / n) * np.sqrt(n * (w / (n + w))) if n else None
        low, high, total = np.minimum(self.low, x), np.maximum(self.high, x), self.sums[v] + w * x
        free = self.free + float(_freedom(n + w) - _freedom(n))
        if latest.before is not None:
            steps = [*latest.steps, Step(v, w, x, row, self._ridge(low, high), free)]
            many = COSTLY * len(steps) > max(len(x), 2 * COSTLY)
            latest = Latest() if many else Latest(latest.before, steps)
        else:
            latest = Latest()
        rows, sums = self.rows if row is None else [*self.rows, row], self.sums[v]
        self.rates.learn(v, w)
        sums[...] = total
        self.origin, self.low, self.high = origin, low, high
        self.rows, self.free = rows, free
        self._latest = latest

    def learn_many(self, X: Floats, y: Nodes, w: Floats) -> None:
        """Learn from rows, all or none: one matrix product for the scatter, O(rows * d^2)."""
        origin = self.origin if self.origin is not None else X[0].astype(np.float64)
        labels = y
        nodes, y = np.unique(labels, return_inverse=True)
        n, sums, low, high = self.n[nodes], self.sums[nodes], self.low, self.high
        scatter = self.scatter.copy()
        for first in range(0, len(X), BLOCK):
            order, slices = turns(y[first : first + BLOCK])
            order += first
            x, v, more = X[order] - origin, y[order], w[order]
            low, high = np.minimum(low, x.min(axis=0)), np.maximum(high, x.max(axis=0))
            rows = np.empty_like(x)
            for a, z in slices:  # rows of different nodes, each as in `learn`
                u, added = v[a:z], more[a:z]
                before, total = n[u], sums[u]
                rows[a:z] = total / np.where(before > 0.0, -before, 1.0)[:, None]
                rows[a:z] += x[a:z]
                rows[a:z] *= np.sqrt(before * (added / (before + added)))[:, None]
                total += x[a:z] if (added == 1.0).all() else added[:, None] * x[a:z]
                n[u], sums[u] = before + added, total
            add_scatter(scatter, rows)
        free = self.free + float(_freedom(n).sum() - _freedom(self.n[nodes]).sum())
        rates = self.rates.copied()
        rates.learn_many(labels, w)
        self.sums[nodes] = sums
        self.free, self.rates = free, rates
        self.origin, self.low, self.high, self.scatter = origin, low, high, scatter
        self._latest = Latest()

    @property
    def posterior(self) -> Posterior:
        """The posterior, in O(d^2 + n d) for each of few new examples, else in O(d^3 + n d^2)."""
        latest = self._latest
        if latest.posterior is None:
            found = None if latest.before is None else latest.before.after(latest.steps)
            if found is None:
                n, sums = self._with_kept() if self.kept else (self.n, self.sums)
                means = Means(self.tree, self.shrinkage, n, sums)
                scatter, ridge = self._whole_scatter(), self._ridge(self.low, self.high)
                found = Posterior(means, self.rates, scatter, ridge, self.free, self.origin)
            latest.posterior = found
        return latest.posterior

    def forget(self, nodes: NDArray[np.uint32]) -> None:
        """Forget the examples of some nodes, which contribute to their parents as in `Means`."""
        forgotten = set(nodes.tolist())
        n, sums = self._with_kept()
        kept = {v: found for v, found in self.kept.items() if v not in forgotten}
        for u in sorted(forgotten, reverse=True):
            if n[u]:
                share = self.shrinkage / (n[u] + self.shrinkage)
                above = int(self.tree.parent_index[u - 1])
                if above in forgotten:
                    n[above] += share * n[u]
                    sums[above] += share * sums[u]
                else:
                    before, total = kept.get(above, (0.0, 0.0))
                    kept[above] = before + share * n[u], total + share * sums[u]
        rates, own = self.rates.copied(), self.sums.copy()
        rates.forget(nodes)
        own[nodes] = 0.0
        self.rates, self.sums, self.kept, self._latest = rates, own, kept, Latest()

    def add_up(self, parts: Sequence[tuple[Discriminant, Nodes, Nodes]]) -> None:
        """Become the sum of parts: what they have learned since the first, and that once.

        A part comes with the places of its nodes and features here.
        """
        n, d = self.tree.n, len(self.low)
        origins = [wide(p.origin[: len(r)], (d,), r) for p, _, r in parts if p.origin is not None]
        self.origin = origins[0] if origins else None
        start, sums = parts[0][0].rates.m, list[dict[str, Any]]()
        for part, nodes, rows in parts:
            k = len(rows)
            shift = np.zeros(d)
            if part.origin is not None and self.origin is not None:
                shift = wide(part.origin[:k], (d,), rows) - self.origin
                low, high = (wide(a[:k], (d,), rows) for a in (part.low, part.high))
                self.low = np.minimum(self.low, low + shift)
                self.high = np.maximum(self.high, high + shift)
            weight, kept_weight, kept = wide(part.n, (n,), nodes), np.zeros(n), np.zeros((n, d))
            for v, (forgotten, total) in part.kept.items():
                kept_weight[nodes[v]], kept[nodes[v], rows] = forgotten, total[:k]
            own = wide(part.sums[:, :k], (n, d), nodes, rows) + np.outer(weight, shift)
            upper = wide(np.triu(part._whole_scatter()[:k, :k]), (d, d), rows, rows)
            rates, m = part.rates, part.rates.m
            since = wide(m - rates.since, (n,), nodes)
            sums.append(
                {
                    "n": weight,
                    "sums": own,
                    "moments": upper + upper.T - np.diag(upper.diagonal()) + _squares(own, weight),
                    "free": part.free - _freedom(weight).sum(),
                    "kept_n": kept_weight,
                    "kept": kept + np.outer(kept_weight, shift),
                    "m": m,
                    # A part without the label counts as a whole.
                    "counted": np.where(weight > 0.0, since, m - start),
                    "latest": weight - wide(rates.earlier, (n,), nodes),
                }
            )
        first, *others = sums
        all_ = {key: first[key] + sum(of[key] - first[key] for of in others) for key in first}
        learned = all_["n"] > 0.0
        self.sums, self.scatter = all_["sums"], all_["moments"] - _squares(all_["sums"], all_["n"])
        self.free = float(all_["free"] + _freedom(all_["n"]).sum())
        forgotten_below = np.flatnonzero(all_["kept_n"]).tolist()
        self.kept = {v: (float(all_["kept_n"][v]), all_["kept"][v]) for v in forgotten_below}
        self.rates.n, self.rates.m = all_["n"], float(all_["m"])
        self.rates.k = 1.0 + np.count_nonzero(learned)
        self.rates.since = np.where(learned, all_["m"] - all_["counted"], 0.0)
        self.rates.earlier = np.where(learned, all_["n"] - all_["latest"], 0.0)

    def _with_kept(self) -> tuple[Floats, Floats]:
        """The weights and sums of the nodes, with what has been forgotten below them."""
        n, sums = self.n.copy(), self.sums.copy()
        for v, (weight, total) in self.kept.items():
            n[v] += weight
            sums[v] += total
        return n, sums

    def make_room(self, d: int) -> None:
        """Make room for d features; nothing changes if memory does not suffice."""
        old = len(self.low)
        if d <= old:
            return
        wider = (0, max(d, int(ROOM * old)) - old)  # new features were 0 in all examples
        scatter = np.pad(self._whole_scatter(), (wider, wider))
        low, high = np.pad(self.low, wider), np.pad(self.high, wider)
        sums = np.pad(self.sums, ((0, 0), wider))
        kept = {v: (n, np.pad(total, wider)) for v, (n, total) in self.kept.items()}
        origin = None if self.origin is None else np.pad(self.origin, wider)
        self.origin, self.sums, self.kept, self.low, self.high = origin, sums, kept, low, high
        self.scatter, self.rows = scatter, []
        self._latest = Latest()

    def add_nodes(self, tree: Arrays) -> None:
        latest = self._latest
        known = latest.posterior is not None or latest.before is not None
        latest = Latest(self.posterior.with_nodes(tree) if known else None)
        sums = extended(self.sums, tree.n)
        self.rates.add_nodes(tree)
        self.sums, self.tree, self._latest = sums, tree, latest

    def _ridge(self, low: Floats, high: Floats) -> Floats:
        """The values added to the diagonal of the scatter, 1 for features that have not varied."""
        reach = np.square(np.maximum(high, -low))  # the largest squares
        varied = reach > TINY
        return np.where(varied, self.l2 * np.count_nonzero(varied) * reach, 1.0)

    def _whole_scatter(self) -> Floats:
        scatter = self.scatter.copy()
        if self.rows:
            add_scatter(scatter, np.array(self.rows))
        return scatter

    def __getstate__(self) -> dict[str, Any]:
        """With the posterior, which has other roundings if it is computed from the sums again."""
        latest = Latest() if self.origin is None else Latest(self.posterior)
        return vars(self) | {"_latest": latest}

    __setstate__ = set_state


def _freedom(n: Any) -> Any:
    """The degrees of freedom of the scatter of a class with examples of weight n."""
    return np.maximum(n - 1.0, 0.0)


def wide(array: Any, shape: tuple[int, ...], *places: Nodes) -> Floats:
    """An array of this shape: zeros, and the given numbers at these places."""
    found = np.zeros(shape)
    found[np.ix_(*places)] = array
    return found


def _squares(sums: Floats, n: Floats) -> Floats:
    """The sum of n mean mean^T over the nodes."""
    scaled = sums / np.sqrt(np.where(n > 0.0, n, 1.0))[:, None]
    return scaled.T @ scaled


def turns(y: Nodes) -> tuple[Nodes, list[tuple[int, int]]]:
    """The order: the first row of each node, then the second ones, ...; and the slices of these."""
    order = np.argsort(y, kind="stable")
    starts = np.flatnonzero(np.diff(y[order], prepend=-1))
    rank = np.arange(len(y)) - np.repeat(starts, np.diff(starts, append=len(y)))
    by_rank = np.argsort(rank, kind="stable")
    ends = [0, *(np.flatnonzero(np.diff(rank[by_rank])) + 1).tolist(), len(y)]
    return order[by_rank], list(pairwise(ends))


def add_scatter(scatter: Floats, rows: Floats) -> None:
    """Add the upper triangle of rows^T rows, in place."""
    if scatter.size:
        blas.dsyrk(1.0, rows.T, 1.0, scatter.T, lower=1, overwrite_c=1)
