import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, cholesky, solve_triangular

from .._core import Batch, Labels, Nodes, softmax
from .._core.features import by_name
from ..base.checks import check_positive
from ..base.explanation import Floats
from ..taxonomy import Edit, Part, Taxonomy, TaxonomyLike
from .dense import DenseModel
from .posterior import add_product, extended

UPDATE = 32  # examples between two updates of the covariance
UNSEEN = math.log(0.01)  # the score of a label without examples
DIGITS = 1e11  # the largest x^T C x; the covariance loses as many digits

Mask = NDArray[np.bool_]


class NewtonSoftmax(DenseModel):
    r"""Softmax regression by Newton steps, with one full covariance that all labels share.

    A learner for up to a few thousand dense features, such as random Fourier features: where
    `PathSoftmax` keeps a variance for each weight, this class keeps the whole matrix $C$, so that
    one pass comes close to the best weights in hindsight. The probabilities of the labels that have
    had examples are $p_v \propto \exp(w_v \cdot x)$. With
    $t_v$ = 1 for the true label and 0 for the others, an example moves

    $$w_v \leftarrow w_v + \frac{t_v - p_v}{1 + h \, x^\top C x} \, C x, \qquad
    h = \frac{1}{k} \sum_{v=1}^k p_v (1 - p_v),$$

    where h is the mean curvature of the log loss over the k labels, and adds the curvature to the
    precision, $C^{-1} \leftarrow C^{-1} + h \, x x^\top$. At first, $C$ is `prior_variance` times
    the identity. After a few examples it is updated every 32 only: much faster, and as accurate.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    prior_variance
        The variance of each weight before the first example. The default is for x of norm 1, as
        `RandomFourierFeatures` and `preprocessing.Normalizer` make them; for features of another
        scale, divide it by the mean of $\|x\|^2$.

    Notes
    -----
    The step is that of a Kalman filter for the log loss, or an online Newton step [^1], in which
    the curvature of each label is replaced by the mean over the labels, so that they share one
    covariance. A label without examples has the score log 0.01. The taxonomy does not change the
    weights. An example of weight w has the gradient and the curvature of w examples. Times its
    weight, $\|x\|^2$ may be 1e11 / `prior_variance` at most.

    With d features and n nodes, `learn_one` takes O(d² + n d), and every 32 examples O(32 d²) in
    one matrix product. A prediction takes O(n d). Memory is O(d² + n d).

    Examples
    --------
    >>> import numpy as np
    >>> from river_hier import feature_extraction, linear_model, probabilistic

    >>> X = np.random.default_rng(1).uniform(-2, 2, size=(2000, 2))
    >>> y = np.where(np.hypot(X[:, 0], X[:, 1]) < 1.2, "in", "out")
    >>> Z = feature_extraction.RandomFourierFeatures(n_components=200).transform_many(X)
    >>> for learner in (linear_model.PathSoftmax(), probabilistic.NewtonSoftmax()):
    ...     learner.learn_many(Z[:1000], y[:1000])
    ...     print((learner.predict_many(Z[1000:]) == y[1000:]).mean())
    0.985
    0.992

    References
    ----------
    [^1]: [Hazan, E., Agarwal, A. and Kale, S., 2007. Logarithmic regret algorithms for online
        convex optimization. Machine Learning, 69, pp. 169-192.](
        https://doi.org/10.1007/s10994-007-5016-8)
    """

    def __init__(self, taxonomy: TaxonomyLike = None, prior_variance: float = 10.0) -> None:
        super().__init__(taxonomy)
        check_positive("prior_variance", prior_variance)
        self.prior_variance = prior_variance
        self._largest_square = DIGITS / prior_variance
        self._covariance: Floats = np.zeros((0, 0))
        n = len(self._taxonomy)
        # The weights, (nodes, coordinates), and which labels have had examples.
        self._linear: tuple[Floats, Mask] = np.zeros((n, 0)), np.zeros(n, dtype=bool)
        self._curved: list[Floats] = []  # examples since the last update, times sqrt(h)
        self._n: int = 0  # examples

    @property
    def _d(self) -> int:
        return len(self._covariance)

    def _widen(self, d: int) -> None:
        old, (weights, seen) = self._d, self._linear
        if d <= old:
            return
        new = (0, max(d, old * 3 // 2) - old)
        covariance = np.pad(self._covariance, (new, new))
        np.fill_diagonal(covariance[old:, old:], self.prior_variance)
        weights, curved = np.pad(weights, ((0, 0), new)), [np.pad(x, new) for x in self._curved]
        self._covariance, self._linear, self._curved = covariance, (weights, seen), curved

    def _update(self, X: Floats, y: NDArray[np.intp], w: Floats) -> None:
        first = 0
        while first < len(X):
            some = slice(first, first + next_update(self._n) - self._n)
            self._steps(X[some], y[some].tolist(), w[some])
            first = some.stop

    _learns_parts = True

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        if type(y) is not Part:
            return super()._learn(x, y, w)
        branch = np.flatnonzero(y.mask(self._taxonomy._arrays) & self._linear[1])
        self._check(x, w)
        if len(branch):  # else there is no label to make more probable
            self._make_room(by_name(x))
            row = self._features.insert(x).dense(self._d)
            self._steps(row[None, :], [y.node], np.array([w], dtype=np.float64), branch)

    def _steps(
        self, X: Floats, y: list[int], w: Floats, branch: NDArray[np.intp] | None = None
    ) -> None:
        """Learn from rows between two updates of the covariance.

        If the label may be one of several, `branch`, the probabilities among them stay.
        """
        weights, seen = self._linear
        if len(X) == 1 < self._d:  # reads one half of the matrix, which takes all the time
            spread = blas.dsymv(1.0, self._covariance.T, X[0])[None, :]
        else:
            spread = X @ self._covariance
        inner, scores = spread @ X.T, X @ weights.T
        steps, h, seen = np.zeros_like(scores), np.empty(len(X)), seen.copy()
        for i, v in enumerate(y):
            true = [v] if branch is None else branch
            seen[true] = True  # and the scores, after the steps of the rows before
            s = np.where(seen, scores[i] + inner[i, :i] @ steps[:i], -np.inf)
            p = softmax(s)
            steps[i], together = -p, min(p[true].sum(), 1.0)
            steps[i, true] = (1.0 - together) / len(true)
            p[true[1:]], p[true[0]] = 0.0, together
            h[i] = w[i] * (p @ (1.0 - p)) / np.count_nonzero(seen)
            steps[i] *= w[i] / (1.0 + h[i] * max(inner[i, i], 0.0))
        covariance, n = self._covariance, self._n + len(X)
        curved = [*self._curved, *(np.sqrt(h)[:, None] * X)]
        if n == next_update(self._n):
            covariance, curved = with_curvature(covariance, np.array(curved)), []
        self._covariance, self._curved, self._n = covariance, curved, n
        add_product(weights, steps.T, spread)
        self._linear = weights, seen

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        weights, seen = self._linear
        return np.where(seen, weights @ self._features.find(x).dense(weights.shape[1]), UNSEEN)

    def _scores_many(self, X: Batch) -> Floats:
        weights, seen = self._linear
        scores: Floats = weights @ self._matrix(X, weights.shape[1]).T
        scores[~seen] = UNSEEN
        return scores

    def _forget(self, nodes: Nodes) -> None:
        weights, seen = self._linear[0].copy(), self._linear[1].copy()
        weights[nodes], seen[nodes] = 0.0, False
        self._linear = weights, seen

    def _edit(self, edit: Edit, labels: Labels) -> None:
        """Merged labels start, for each feature, with the largest of their weights."""
        weights, seen = self._linear
        rows = edit._rows(weights)
        for v, old in edit._merged.items():
            best = np.abs(weights[old]).argmax(axis=0)[None]
            rows[v] = np.take_along_axis(weights[old], best, 0)[0]
        now = np.zeros(len(rows), dtype=bool)
        now[edit._nodes[seen]] = True
        self._linear = rows, now

    _splits_share = False

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        weights, seen = self._linear
        self._linear = extended(weights, len(after)), np.pad(seen, (0, len(after) - before))


def next_update(n: int) -> int:
    """The number of examples at the next update after n: 1, 2, 4, 8, 16, 32, 64, 96, ..."""
    return 1 << n.bit_length() if n < UPDATE else (n // UPDATE + 1) * UPDATE


def with_curvature(covariance: Floats, rows: Floats) -> Floats:
    """`(covariance^-1 + rows^T rows)^-1`, by Woodbury's identity: O(rows * d^2)."""
    spread = rows @ covariance
    root = cholesky(np.eye(len(rows)) + spread @ rows.T, lower=True)
    half = solve_triangular(root, spread, lower=True)
    smaller = covariance.copy()
    add_product(smaller, -half.T, half)
    return smaller
