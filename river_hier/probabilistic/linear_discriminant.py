from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Nodes
from ..base.checks import check_positive
from ..base.explanation import Floats
from ..taxonomy import Taxonomy, TaxonomyLike
from .dense import DenseModel
from .discriminant import Discriminant


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
        A tree; its nodes are the labels. `None` starts from an open flat taxonomy, to which labels
        are added under the root as they arrive. An `OpenTaxonomy` grows with labels that are paths.
    shrinkage
        The number of examples that the parent's mean counts for.
    l2
        The weight of the diagonal matrix $D$ in the covariance, in examples per feature.

    Raises
    ------
    ValueError
        If `shrinkage` or `l2` is not positive, or the taxonomy is not a tree; from `learn_one` and
        `predict_one`, if a feature is not a finite number or the label is unknown; from
        `learn_one`, if a square would overflow or the weight is negative or nan.

    Notes
    -----
    Linear discriminant analysis as in [^1], section 4.3, learned one example at a time without
    approximation. A feature that is missing from x is 0. An example of weight w counts as w
    examples.

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
        self._discriminant = Discriminant(self._taxonomy._arrays, float(shrinkage), float(l2))

    @property
    def _d(self) -> int:
        return len(self._discriminant.low)

    def _widen(self, d: int) -> None:
        self._discriminant.make_room(d)

    def _update(self, X: Floats, y: NDArray[np.intp], w: Floats) -> None:
        if len(X) == 1:
            self._discriminant.learn(X[0].astype(np.float64), int(y[0]), float(w[0]))
        else:
            self._discriminant.learn_many(X, y, w)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        posterior = self._discriminant.posterior
        return posterior.scores_one(self._features.find(x).dense(len(posterior.ridge)))

    def _scores_many(self, X: Batch) -> Floats:
        posterior = self._discriminant.posterior
        return posterior.scores(self._matrix(X, len(posterior.ridge))).T

    def _forget(self, nodes: Nodes) -> None:
        self._discriminant.forget(nodes)

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        self._discriminant.add_nodes(after._arrays)
