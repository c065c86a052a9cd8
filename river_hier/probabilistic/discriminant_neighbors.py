from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Labels, Nodes
from .._core.pickles import set_state
from ..base.checks import check_integer
from ..base.explanation import Floats
from ..taxonomy import Edit, Taxonomy, TaxonomyLike
from .dense import DenseModel

RIVAL = 1e-4  # votes of every label
SAME = 1e-12  # squared distances up to this share of the squares are rounding errors
ROWS = 64  # rows whose distances are computed at once
FIRST = 16  # examples before the first estimate of a metric
RIDGE = 0.03  # of the mean diagonal


class Stored(NamedTuple):
    """The stored examples in a ring with room for more: their squares, nodes and weights."""

    examples: NDArray[Any]
    squares: NDArray[Any]
    nodes: NDArray[Any]
    weights: NDArray[Any]
    metric: NDArray[Any] | None = None  # squares and products are in this one

    def moved(self, X: Floats) -> Floats:
        """The rows whose products with others are those of the metric."""
        return X if self.metric is None else X @ self.metric


class DiscriminantNeighbors(DenseModel):
    r"""Votes of the nearest stored examples, in the metric of a linear discriminant.

    The probability of a label is its share of the votes of the `n_neighbors` nearest of the stored
    examples, where an example at distance r has the vote $e^{-2 r^2 / r_k^2}$ and $r_k$ is the
    distance of the last of them; each label has another 0.0001 votes. The latest `budget`
    examples are stored. Features of x that no example has had do not count.

    With the scatter W of the stored examples within labels and B of the means of the labels, the
    squared distance of x and z is

    $$(x - z)^T (W^{-1} + W^{-1} B W^{-1}) (x - z),$$

    so that directions count in which labels differ and the examples of a label do not. This is the
    metric of [^1] (Eq. 6 with $\epsilon = 1$), which its authors estimate anew around each x; here
    it is the same for all x. It is estimated whenever half as many examples again have been
    learned, from those that are stored. Distances are Euclidean before the first 16 examples.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    n_neighbors
        The number of neighbours that vote.
    budget
        The number of examples to store; the oldest is replaced.

    Notes
    -----
    With d features and b stored examples, a prediction takes O(b d + d²), a batch of rows one
    matrix product, and learning O(d² + d³ / n) on average after n examples, since estimates take
    O(b d² + d³). Memory is O(budget * d + d²). W is the weighted mean of squares, plus 3 % of its
    mean diagonal on the diagonal. Examples of weight w have w votes; a score is the logarithm of
    the votes. A batch is learned as in a loop, except that all its features are known from its
    first row on.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import metrics, probabilistic
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> model = probabilistic.DiscriminantNeighbors(stream.taxonomy)
    >>> error = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(1000), model, error)
    TreeInducedError: 1.628

    References
    ----------
    [^1]: [Hastie, T. and Tibshirani, R., 1996. Discriminant adaptive nearest neighbor
        classification. IEEE Transactions on Pattern Analysis and Machine Intelligence, 18(6),
        pp. 607-616.](https://doi.org/10.1109/34.506411)
    """

    def __init__(
        self, taxonomy: TaxonomyLike = None, n_neighbors: int = 4, budget: int = 10_000
    ) -> None:
        super().__init__(taxonomy)
        check_integer("n_neighbors", n_neighbors, at_least=1)
        check_integer("budget", budget, at_least=1)
        self.n_neighbors = n_neighbors
        self.budget = budget
        self._n: int = 0  # examples so far
        self._next: int = FIRST  # the number of examples at the next estimate
        self._stored = Stored(np.zeros((0, 0)), np.zeros(0), np.zeros(0, np.intp), np.zeros(0))

    __setstate__ = set_state

    @property
    def _d(self) -> int:
        return int(self._stored.examples.shape[1])

    def _widen(self, d: int) -> None:
        if d > self._d:
            new = max(d, self._d * 3 // 2) - self._d
            wider = np.pad(self._stored.examples, ((0, 0), (0, new)))
            metric = self._stored.metric
            metric = None if metric is None else np.pad(metric, (0, new))
            self._stored = self._stored._replace(examples=wider, metric=metric)

    def _update(self, X: Floats, y: NDArray[np.intp], w: Floats) -> None:
        first = 0
        while first < len(X):
            last = first + max(self._next - self._n, 1)
            self._store(X[first:last], y[first:last], w[first:last])
            if self._n >= self._next:
                examples, metric = self._stored.examples, self._estimate()
                squares = np.einsum("ij,ij->i", examples @ metric, examples)
                self._stored = self._stored._replace(squares=squares, metric=metric)
                self._next = self._n * 3 // 2
            first = last

    def _estimate(self) -> Floats:
        examples, _, nodes, weights = (a[: self._n] for a in self._stored[:4])
        w = weights / weights.sum()
        _, groups = np.unique(nodes, return_inverse=True)
        shares = np.bincount(groups, w)
        means = np.zeros((len(shares), self._d))
        np.add.at(means, groups, examples * w[:, None])
        means /= shares[:, None]
        within, between = examples - means[groups], means - w @ examples
        W, B = within.T @ (within * w[:, None]), between.T @ (between * shares[:, None])
        size = W.trace() / len(W)
        if size > 0.0:  # else no label has two different examples
            inverse = np.linalg.inv(W / size + RIDGE * np.eye(len(W)))
            with np.errstate(over="ignore", invalid="ignore"):
                metric: Floats = inverse + inverse @ (B / size) @ inverse
                metric /= metric.max()
            if np.isfinite(metric).all():
                return (metric + metric.T) / 2.0
        return np.eye(self._d)

    def _store(self, X: Floats, y: NDArray[np.intp], w: Floats) -> None:
        n, stored = self._n + len(X), self._stored
        room = min(n, self.budget)
        if room > len(stored.nodes):
            new = min(max(room, 2 * len(stored.nodes)), self.budget) - len(stored.nodes)
            rings = (np.pad(a, ((0, new), (0, 0))[: a.ndim]) for a in stored[:4])
            stored = Stored(*rings)._replace(metric=stored.metric)
        places = np.arange(self._n, n)[-self.budget :] % self.budget
        squares = np.einsum("ij,ij->i", stored.moved(X), X)
        for kept, rows in zip(stored[:4], (X, squares, y, w), strict=True):
            kept[places] = rows[-self.budget :]
        self._stored, self._n = stored, n

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        stored = self._stored
        row = self._features.find(x).dense(stored.examples.shape[1])
        return self._scores(row[None, :], stored)[0]

    def _scores_many(self, X: Batch) -> Floats:
        stored = self._stored
        matrix = self._matrix(X, stored.examples.shape[1])
        parts = [self._scores(matrix[i : i + ROWS], stored) for i in range(0, X.n, ROWS)]
        return np.concatenate(parts).T if parts else np.zeros((len(self._taxonomy), 0))

    def _scores(self, X: Floats, stored: Stored) -> Floats:
        """The logarithms of the votes, (rows, nodes)."""
        examples, squares, nodes, weights = (a[: self._n] for a in stored[:4])
        k = min(self.n_neighbors, len(nodes))
        votes = np.full((len(X), len(self._taxonomy)), RIVAL)
        if k:
            moved = stored.moved(X)
            sizes = np.einsum("ij,ij->i", moved, X)[:, None] + squares
            far = sizes - 2.0 * (moved @ examples.T)
            far[far < SAME * sizes] = 0.0
            nearest = np.argpartition(far, k - 1, axis=1)[:, :k]
            far = np.take_along_axis(far, nearest, axis=1)
            last = far.max(axis=1, keepdims=True)
            votes_of = weights[nearest] * np.exp(-2.0 * far / np.where(last > 0.0, last, 1.0))
            cells: Any = np.arange(len(X))[:, None], nodes[nearest]
            np.add.at(votes, cells, votes_of)
        return np.log(votes)

    def _forget(self, nodes: Nodes) -> None:
        order = np.argsort(np.arange(self._n)[-self.budget :] % self.budget)
        kept = [i for i in np.argsort(order).tolist() if self._stored.nodes[i] not in nodes]
        rings = (a[kept] for a in self._stored[:4])
        self._stored = Stored(*rings)._replace(metric=self._stored.metric)
        self._n = len(kept)

    def _edit(self, edit: Edit, labels: Labels) -> None:
        self._stored = self._stored._replace(nodes=edit._nodes[self._stored.nodes])

    _splits_share = False

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """There is nothing to make room for."""
