from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from .._core import Batch, Labels, Nodes
from .._core.pickles import set_state
from ..base.checks import check_positive
from ..base.explanation import Floats
from ..taxonomy import Edit, Taxonomy, TaxonomyLike
from .dense import BLOCK, DenseModel
from .posterior import Means, Posterior, Rates, Step, extended

Ints = NDArray[np.intp]
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


class LinearDiscriminant(DenseModel):
    r"""Gaussian classes with a shared covariance, each mean shrunk towards that of its parent.

    A learner for hundreds of dense features, and up to thousands of labels. The examples of label
    $v$ have a Gaussian distribution with mean $\mu_v$ and a covariance $\Sigma$ that all labels
    share, so the logarithm of the probability of $v$ is linear in x, up to a constant:

    $$\log P(v \mid x) = \mu_v^\top \Sigma^{-1} x - \tfrac{1}{2} \mu_v^\top \Sigma^{-1} \mu_v
    + \log \frac{n_v + 0.01}{m_v + k} + \textrm{const}$$

    where $n_v$ is the number of examples of label v, $m_v$ that of all examples since the first one
    of v or of a label below it, so that late labels are predicted after as few examples as early
    ones, and k - 1 the number of labels with examples. The mean of a node has a Gaussian prior
    around the mean of its parent, with covariance $\Sigma / \kappa$, where $\kappa$ is the
    `shrinkage`. The $\mu_v$ are the posterior means, which minimise

    $$\sum_i \lVert x_i - \mu_{y_i} \rVert^2
    + \kappa \sum_v \lVert \mu_v - \mu_{parent(v)} \rVert^2.$$

    With plain means $\bar{x}_v$,

    $$\Sigma = \frac{1}{\nu + 1} \Bigl( l2 \, d \, D
    + \sum_i (x_i - \bar{x}_{y_i}) (x_i - \bar{x}_{y_i})^\top \Bigr)$$

    where $\nu = \sum_v \max(n_v - 1, 0)$, d is the number of features that vary, and $D$ is a
    diagonal matrix with the largest squared distance of each feature from its value in the first
    example. Shifting and scaling features changes nothing, so they need not be standardised.

    Parameters
    ----------
    taxonomy
        A tree, or `None` or an `OpenTaxonomy`, to which labels are added as they arrive.
    shrinkage
        The number of examples that the parent's mean counts for.
    l2
        The weight of the diagonal matrix $D$ in the covariance, in examples per feature.

    Notes
    -----
    Linear discriminant analysis as in [^1], section 4.3, learned one example at a time without
    approximation. A feature that is missing from x is 0. An example of weight w counts as w
    examples. A feature whose square would overflow raises a `ValueError`.

    With d features and n nodes, `learn_one` takes O(d²); `learn_many` takes as much per row, in one
    matrix product. A prediction takes O(d² + n d), plus the same for each example since the last
    prediction, or O(d³ + n d²) after a batch or many examples. `predict_many` then takes O(n d) per
    row, in one matrix product, in float32 for an array of float32. Memory is O(d² + n d).

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import metrics, probabilistic
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy
    >>> model = probabilistic.LinearDiscriminant(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.7575

    References
    ----------
    [^1]: Hastie, T., Tibshirani, R. and Friedman, J., 2009. The Elements of Statistical Learning.
        Springer.
    """

    _keeps_float32 = True

    def __init__(
        self, taxonomy: TaxonomyLike = None, shrinkage: float = 5.0, l2: float = 0.03
    ) -> None:
        super().__init__(taxonomy)
        check_positive("shrinkage", shrinkage)
        check_positive("l2", l2)
        self.shrinkage = shrinkage
        self.l2 = l2
        # The sums of the examples of each node, from which everything else is computed.
        self._tree = self._taxonomy._arrays
        self._rates: Rates = Rates(self._tree)  # with the total weights of the examples
        self._origin: Floats | None = None  # the first example, which is subtracted from all
        self._sums: Floats = np.zeros((self._tree.n, 0))
        self._kept: dict[int, tuple[float, Floats]] = {}  # weights and sums, forgotten below a node
        self._scatter: Floats = np.zeros((0, 0))  # the upper triangle of that within classes
        self._rows: list[Floats] = []  # not yet added to it
        self._low: Floats = np.zeros(0)  # the bounds of each feature
        self._high: Floats = np.zeros(0)
        self._free: float = 1.0  # degrees of freedom of the scatter, and one for the ridge
        self._latest: Latest = Latest()

    @property
    def _d(self) -> int:
        return len(self._low)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        posterior = self._posterior
        return posterior.scores_one(self._features.find(x).dense(len(posterior.ridge)))

    def _scores_many(self, X: Batch) -> Floats:
        posterior = self._posterior
        return posterior.scores(self._matrix(X, len(posterior.ridge))).T

    @property
    def _n(self) -> Floats:
        return self._rates.n

    def _update(self, X: Floats, y: Ints, w: Floats) -> None:
        if len(X) == 1:
            self._add(X[0].astype(np.float64), int(y[0]), float(w[0]))
        else:
            self._add_rows(X, y, w)

    def _add(self, x: Floats, v: int, w: float) -> None:
        """Learn from an example of node v: O(d^2) in blocks; an error changes nothing."""
        latest = self._latest
        if latest.posterior is not None:
            latest = Latest(latest.posterior)
        if len(self._rows) == ROWS:
            scatter = self._whole_scatter()
            self._scatter, self._rows = scatter, []
        origin = x if self._origin is None else self._origin
        x = x - origin
        n = self._n[v]
        # Welford: beside examples of weight n, one of weight w adds n w / (n + w) to the scatter.
        row = (x - self._sums[v] / n) * np.sqrt(n * (w / (n + w))) if n else None
        low, high = np.minimum(self._low, x), np.maximum(self._high, x)
        total = self._sums[v] + w * x
        free = self._free + float(_freedom(n + w) - _freedom(n))
        if latest.before is not None:
            steps = [*latest.steps, Step(v, w, x, row, self._ridge(low, high), free)]
            many = COSTLY * len(steps) > max(len(x), 2 * COSTLY)
            latest = Latest() if many else Latest(latest.before, steps)
        else:
            latest = Latest()
        rows, sums = self._rows if row is None else [*self._rows, row], self._sums[v]
        self._rates.learn(v, w)
        sums[...] = total
        self._origin, self._low, self._high = origin, low, high
        self._rows, self._free = rows, free
        self._latest = latest

    def _add_rows(self, X: Floats, y: Ints, w: Floats) -> None:
        """Learn from rows, all or none: one matrix product for the scatter, O(rows * d^2)."""
        origin = self._origin if self._origin is not None else X[0].astype(np.float64)
        labels = y
        nodes, y = np.unique(labels, return_inverse=True)
        n, sums, low, high = self._n[nodes], self._sums[nodes], self._low, self._high
        scatter = self._scatter.copy()
        for first in range(0, len(X), BLOCK):
            order, slices = turns(y[first : first + BLOCK])
            order += first
            x, v, more = X[order] - origin, y[order], w[order]
            low, high = np.minimum(low, x.min(axis=0)), np.maximum(high, x.max(axis=0))
            rows = np.empty_like(x)
            for a, z in slices:  # rows of different nodes, each as in `_add`
                u, added = v[a:z], more[a:z]
                before, total = n[u], sums[u]
                rows[a:z] = total / np.where(before > 0.0, -before, 1.0)[:, None]
                rows[a:z] += x[a:z]
                rows[a:z] *= np.sqrt(before * (added / (before + added)))[:, None]
                total += x[a:z] if (added == 1.0).all() else added[:, None] * x[a:z]
                n[u], sums[u] = before + added, total
            add_scatter(scatter, rows)
        free = self._free + float(_freedom(n).sum() - _freedom(self._n[nodes]).sum())
        rates = self._rates.copied()
        rates.learn_many(labels, w)
        self._sums[nodes] = sums
        self._free, self._rates = free, rates
        self._origin, self._low, self._high, self._scatter = origin, low, high, scatter
        self._latest = Latest()

    @property
    def _posterior(self) -> Posterior:
        """The posterior, in O(d^2 + n d) for each of few new examples, else in O(d^3 + n d^2)."""
        latest = self._latest
        if latest.posterior is None:
            posterior = None if latest.before is None else latest.before.after(latest.steps)
            if posterior is None:
                n, sums = self._with_kept() if self._kept else (self._n, self._sums)
                means = Means(self._tree, self.shrinkage, n, sums)
                scatter, ridge = self._whole_scatter(), self._ridge(self._low, self._high)
                posterior = Posterior(means, self._rates, scatter, ridge, self._free, self._origin)
            latest.posterior = posterior
        return latest.posterior

    def _forget(self, nodes: Nodes) -> None:
        """Forget the examples of some nodes, which contribute to their parents as in `Means`."""
        forgotten = set(nodes.tolist())
        n, sums = self._with_kept()
        kept = {v: row for v, row in self._kept.items() if v not in forgotten}
        for u in sorted(forgotten, reverse=True):
            if u and n[u]:
                share = self.shrinkage / (n[u] + self.shrinkage)
                above = int(self._tree.parent_index[u - 1])
                if above in forgotten:
                    n[above] += share * n[u]
                    sums[above] += share * sums[u]
                else:
                    before, total = kept.get(above, (0.0, 0.0))
                    kept[above] = before + share * n[u], total + share * sums[u]
        rates, own = self._rates.copied(), self._sums.copy()
        rates.forget(nodes)
        own[nodes] = 0.0
        self._rates, self._sums, self._kept, self._latest = rates, own, kept, Latest()

    def _add_up(self, parts: Sequence[tuple[LinearDiscriminant, Ints, Ints]]) -> None:
        """Become the sum of parts: what they have learned since the first, and that once.

        A part comes with the places of its nodes and features here.
        """
        n, d = self._tree.n, len(self._low)
        origins = [wide(p._origin[: len(r)], (d,), r) for p, _, r in parts if p._origin is not None]
        self._origin = np.min(origins, axis=0) if origins else None  # whatever their order
        start, sums = parts[0][0]._rates.m, list[dict[str, Any]]()
        for part, nodes, rows in parts:
            k = len(rows)
            shift = np.zeros(d)
            if part._origin is not None and self._origin is not None:
                shift = wide(part._origin[:k], (d,), rows) - self._origin
                low, high = (wide(a[:k], (d,), rows) for a in (part._low, part._high))
                self._low = np.minimum(self._low, low + shift)
                self._high = np.maximum(self._high, high + shift)
            weight, kept_weight, kept = wide(part._n, (n,), nodes), np.zeros(n), np.zeros((n, d))
            for v, (forgotten, total) in part._kept.items():
                kept_weight[nodes[v]] += forgotten
                kept[nodes[v], rows] += total[:k]
            each = wide(part._sums[:, :k], (part._tree.n, d), np.arange(part._tree.n), rows)
            each += np.outer(part._n, shift)
            own = wide(each, (n, d), nodes, np.arange(d))
            upper = wide(np.triu(part._whole_scatter()[:k, :k]), (d, d), rows, rows)
            rates, m = part._rates, part._rates.m
            since = wide(m - rates.since, (n,), nodes, by=np.maximum)
            sums.append(
                {
                    "n": weight,
                    "sums": own,
                    "moments": upper
                    + upper.T
                    - np.diag(upper.diagonal())
                    + _squares(each, part._n),
                    "free": part._free - _freedom(part._n).sum(),
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
        self._sums = all_["sums"]
        self._scatter = all_["moments"] - _squares(self._sums, all_["n"])
        self._free = float(all_["free"] + _freedom(all_["n"]).sum())
        forgotten_below = np.flatnonzero(all_["kept_n"]).tolist()
        self._kept = {v: (float(all_["kept_n"][v]), all_["kept"][v]) for v in forgotten_below}
        self._rates.n, self._rates.m = all_["n"], float(all_["m"])
        self._rates.k = 1.0 + np.count_nonzero(learned)
        self._rates.since = np.where(learned, all_["m"] - all_["counted"], 0.0)
        self._rates.earlier = np.where(learned, all_["n"] - all_["latest"], 0.0)

    def _with_kept(self) -> tuple[Floats, Floats]:
        """The weights and sums of the nodes, with what has been forgotten below them."""
        n, sums = self._n.copy(), self._sums.copy()
        for v, (weight, total) in self._kept.items():
            n[v] += weight
            sums[v] += total
        return n, sums

    def _widen(self, d: int) -> None:
        """Make room for d features; nothing changes if memory does not suffice."""
        old = len(self._low)
        if d <= old:
            return
        wider = (0, max(d, int(ROOM * old)) - old)  # new features were 0 in all examples
        scatter = np.pad(self._whole_scatter(), (wider, wider))
        low, high = np.pad(self._low, wider), np.pad(self._high, wider)
        sums = np.pad(self._sums, ((0, 0), wider))
        kept = {v: (n, np.pad(total, wider)) for v, (n, total) in self._kept.items()}
        origin = None if self._origin is None else np.pad(self._origin, wider)
        self._origin, self._sums, self._kept, self._low, self._high = origin, sums, kept, low, high
        self._scatter, self._rows = scatter, []
        self._latest = Latest()

    def _edit(self, edit: Edit, labels: Labels) -> None:
        """Sums and moments add up, as if there had always been the new tree."""
        fresh = self.clone({"taxonomy": edit.after})
        fresh._features, every = self._features, np.arange(len(self._features))
        fresh._widen(self._d)
        fresh._add_up([(fresh, np.arange(len(edit.after)), every), (self, edit._nodes, every)])
        vars(self).update(vars(fresh))

    _splits_share = False

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        tree = after._arrays
        latest = self._latest
        known = latest.posterior is not None or latest.before is not None
        latest = Latest(self._posterior.with_nodes(tree) if known else None)
        sums = extended(self._sums, tree.n)
        self._rates.add_nodes(tree)
        self._sums, self._tree, self._latest = sums, tree, latest

    def _ridge(self, low: Floats, high: Floats) -> Floats:
        """The values added to the diagonal of the scatter, 1 for features that have not varied."""
        reach = np.square(np.maximum(high, -low))  # the largest squares
        varied = reach > TINY
        return np.where(varied, self.l2 * np.count_nonzero(varied) * reach, 1.0)

    def _whole_scatter(self) -> Floats:
        scatter = self._scatter.copy()
        if self._rows:
            add_scatter(scatter, np.array(self._rows))
        return scatter

    def __getstate__(self) -> dict[str, Any]:
        """With the posterior, which has other roundings if it is computed from the sums again."""
        latest = Latest() if self._origin is None else Latest(self._posterior)
        return vars(self) | {"_latest": latest}

    __setstate__ = set_state


def _freedom(n: Any) -> Any:
    """The degrees of freedom of the scatter of a class with examples of weight n."""
    return np.maximum(n - 1.0, 0.0)


def wide(array: Any, shape: tuple[int, ...], *places: Ints, by: Any = np.add) -> Floats:
    """An array of this shape: zeros, and the sums of the given numbers at these places."""
    sums = np.zeros(shape)
    by.at(sums, np.ix_(*places), array)
    return sums


def _squares(sums: Floats, n: Floats) -> Floats:
    """The sum of n mean mean^T over the nodes."""
    scaled = sums / np.sqrt(np.where(n > 0.0, n, 1.0))[:, None]
    return scaled.T @ scaled


def turns(y: Ints) -> tuple[Ints, list[tuple[int, int]]]:
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
