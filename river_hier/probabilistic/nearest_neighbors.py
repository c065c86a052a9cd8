from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Nodes
from .._core.pickles import set_state
from ..base.checks import check_integer
from ..base.explanation import Floats
from ..taxonomy import Taxonomy, TaxonomyLike
from .dense import DenseModel

RIVAL = 1e-4  # votes of every label
SAME = 1e-12  # squared distances up to this share of the squares are rounding errors
ROWS = 64  # rows whose distances are computed at once


class Stored(NamedTuple):
    """The stored examples in a ring with room for more: their squares, nodes and weights."""

    examples: NDArray[Any]
    squares: NDArray[Any]
    nodes: NDArray[Any]
    weights: NDArray[Any]


class NearestNeighbors(DenseModel):
    r"""Votes of the nearest stored examples, weighted by their distances.

    The probability of a label is its share of the votes of the `n_neighbors` nearest of the stored
    examples, where an example at distance d has the vote $e^{-2 d^2 / d_k^2}$ and $d_k$ is the
    distance of the last of them; each label has another 0.0001 votes. The latest `budget`
    examples are stored. Features of x that no example has had do not count. Scale the features, as
    distances depend on it.

    Parameters
    ----------
    taxonomy
        As in `LinearDiscriminant`.
    n_neighbors
        The number of neighbours that vote.
    budget
        The number of examples to store; the oldest is replaced.

    Raises
    ------
    ValueError
        If `n_neighbors` or `budget` is below 1; otherwise as in `LinearDiscriminant`.

    Notes
    -----
    With d features and b stored examples, a prediction takes O(b d), a batch of rows one matrix
    product, and learning O(d). Memory is O(budget * d). Examples of weight w have w votes; a score
    is the logarithm of the votes.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import metrics, probabilistic
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> model = probabilistic.NearestNeighbors(stream.taxonomy)
    >>> error = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(1000), model, error)
    TreeInducedError: 1.495

    """

    def __init__(
        self, taxonomy: TaxonomyLike = None, n_neighbors: int = 8, budget: int = 10_000
    ) -> None:
        super().__init__(taxonomy)
        check_integer("n_neighbors", n_neighbors, at_least=1)
        check_integer("budget", budget, at_least=1)
        self.n_neighbors = n_neighbors
        self.budget = budget
        self._n: int = 0  # examples so far
        self._stored = Stored(np.zeros((0, 0)), np.zeros(0), np.zeros(0, np.intp), np.zeros(0))

    __setstate__ = set_state

    @property
    def _d(self) -> int:
        return int(self._stored.examples.shape[1])

    def _widen(self, d: int) -> None:
        if d > self._d:
            new = max(d, self._d * 3 // 2) - self._d
            wider = np.pad(self._stored.examples, ((0, 0), (0, new)))
            self._stored = self._stored._replace(examples=wider)

    def _learn_matrix(self, X: Floats, y: NDArray[np.intp], w: Floats) -> None:
        n, stored = self._n + len(X), self._stored
        room = min(n, self.budget)
        if room > len(stored.nodes):
            new = min(max(room, 2 * len(stored.nodes)), self.budget) - len(stored.nodes)
            stored = Stored(*(np.pad(a, ((0, new), (0, 0))[: a.ndim]) for a in stored))
        places = np.arange(self._n, n)[-self.budget :] % self.budget
        for kept, rows in zip(stored, (X, np.einsum("ij,ij->i", X, X), y, w), strict=True):
            kept[places] = rows[-self.budget :]
        self._stored, self._n = stored, n

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        stored = self._stored
        row = self._features.find(x).dense(stored.examples.shape[1])
        scores: Floats = self._scores(row[None, :], stored)[0]
        return scores

    def _scores_many(self, X: Batch) -> Floats:
        stored = self._stored
        matrix = self._matrix(X, stored.examples.shape[1])
        parts = [self._scores(matrix[i : i + ROWS], stored) for i in range(0, X.n, ROWS)]
        return np.concatenate(parts).T if parts else np.zeros((len(self._taxonomy), 0))

    def _scores(self, X: Floats, stored: Stored) -> Floats:
        """The logarithms of the votes, (rows, nodes)."""
        examples, squares, nodes, weights = (a[: self._n] for a in stored)
        k = min(self.n_neighbors, len(nodes))
        votes = np.full((len(X), len(self._taxonomy)), RIVAL)
        if k:
            sizes = np.einsum("ij,ij->i", X, X)[:, None] + squares
            far = sizes - 2.0 * (X @ examples.T)
            far[far < SAME * sizes] = 0.0
            nearest = np.argpartition(far, k - 1, axis=1)[:, :k]
            far = np.take_along_axis(far, nearest, axis=1)
            last = far.max(axis=1, keepdims=True)
            votes_of = weights[nearest] * np.exp(-2.0 * far / np.where(last > 0.0, last, 1.0))
            cells: Any = np.arange(len(X))[:, None], nodes[nearest]
            np.add.at(votes, cells, votes_of)
        scores: Floats = np.log(votes)
        return scores

    def _forget(self, nodes: Nodes) -> None:
        order = np.argsort(np.arange(self._n)[-self.budget :] % self.budget)
        kept = [i for i in np.argsort(order).tolist() if self._stored.nodes[i] not in nodes]
        self._stored, self._n = Stored(*(a[kept] for a in self._stored)), len(kept)

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """There is nothing to make room for."""
