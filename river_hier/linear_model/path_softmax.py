from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, LabelProbabilities, Nodes, Vectors, path_sums
from ..base.checks import check_forgetting, check_positive
from ..base.explanation import Floats
from ..base.linear import LinearLearner, pays, score_blocks, scores_by_product
from ..base.single_label import SingleLabelModel
from ..taxonomy import Arrays, Label, TaxonomyLike


class PathSoftmax(LinearLearner, SingleLabelModel, compiled=("prior_variance", "forgetting")):
    """Softmax regression in a tree, learned by second-order steps in one pass.

    Each node u on the path of a label v, except for the root, has a vector $w_u$ that the labels of
    its subtree share, and each inner node has a vector $o_v$ for itself as a label. All nodes are
    labels, the root included, and their probabilities are the softmax of their scores:

    $$s_v = o_v \\cdot x + \\sum_{u \\in P(v)} w_u \\cdot x, \\qquad p_v = \\frac{e^{s_v}}{\\sum_z
    e^{s_z}}.$$

    The weights are independent normal variables, at first with mean 0 and variance
    `prior_variance`. For each example they move to the most probable weights given the example, and
    their variances shrink according to the curvature there. Let $P_u$ be the probability of the
    labels that share $w_u$ (for $o_v$, that of v alone), $t_u$ be 1 if the true label is among them
    and 0 otherwise, and $\\Sigma_u$ the diagonal matrix of the variances. Then

    $$w_u \\leftarrow w_u + (t_u - P_u) \\, \\Sigma_u x, \\qquad \\Sigma_u \\leftarrow \\Sigma_u -
    \\frac{h_u (\\Sigma_u x)^2}{1 + h_u \\, x^\\top \\Sigma_u x}, \\qquad h_u = P_u (1 - P_u),$$

    where $P_u$ is the probability *after* the step, computed by at most 30 damped Newton steps,
    whose time does not depend on the number of features. One example of norm 1 in a hundred is then
    still wrong by more than the tolerance of 0.01, and more if x is much larger. A vector does not
    move if its probability is wrong by less than 0.01.

    A step takes O(features of x * nodes) to score and O(features of x * vectors that move) to
    learn; weights and variances take O(features * nodes) memory. The flat counterpart is
    `PathSoftmax(taxonomy.flatten())`, softmax regression.

    Parameters
    ----------
    taxonomy, dtype
        As in `Hieron`.
    prior_variance
        The variance of each weight before the first step. The default is for x of norm 1; for
        features of another scale, divide it by the mean of $\\|x\\|^2$, or normalise x.
    forgetting
        As in `HAROW`.
    intercept
        The value of a constant feature that is added to every x; 0 adds none. The default is small
        compared with an x of norm 1.

    Raises
    ------
    ValueError
        If a parameter is out of range; otherwise as in `Hieron`.

    Notes
    -----
    Each step is a Laplace approximation of the posterior with a diagonal covariance, as in online
    Bayesian logistic regression [^1] [^2]; `HAROW` does the same for the hinge loss. The weight of
    an example multiplies its log-likelihood. "Hierarchical softmax" usually means a product of
    decisions along a path; here a single softmax compares all labels.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.PathSoftmax(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 0.184

    References
    ----------
    [^1]: [Spiegelhalter, D. J. and Lauritzen, S. L., 1990. Sequential updating of conditional
        probabilities on directed graphical structures. Networks, 20(5), pp. 579-605.](
        https://doi.org/10.1002/net.3230200507)
    [^2]: [MacKay, D. J. C., 1992. The evidence framework applied to classification networks. Neural
        Computation, 4(5), pp. 720-736.](https://doi.org/10.1162/neco.1992.4.5.720)

    """

    second_order = True
    _vectors = 2

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        prior_variance: float = 32.0,
        dtype: str = "float64",
        forgetting: float = 1.0,
        intercept: float = 0.1,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_positive("prior_variance", prior_variance)
        check_forgetting(forgetting)
        self.prior_variance = prior_variance
        self.forgetting = forgetting

    @property
    def own_weights(self) -> dict[Label, dict[Any, float]]:
        """The weight vector of each label alone, $o_v$: `{label: {feature: weight}}`."""
        names, first = self._features.names(), self._features.first_row
        found = {}
        for v, label in enumerate(self._taxonomy.nodes):
            w = self._scale * self._state.column(2 * v + 1)[first:]
            found[label] = {names[i]: float(w[i]) for i in np.flatnonzero(w)}
        return found

    @property
    def _scale(self) -> float:
        return math.sqrt(self.prior_variance)  # weights are stored for a variance of 1

    def _weights(self, nodes: Iterable[int]) -> Iterator[Floats]:
        return (self._scale * self._state.column(2 * v) for v in nodes)

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return self._state.best_path(x, False, self._first_label)

    def _answers(self, X: Batch) -> NDArray[np.uint32]:
        if pays(self, X):
            tree = self._taxonomy._arrays
            best = [self._best_of(label_scores(s, tree)) for s in score_blocks(self, X)]
            return np.concatenate(best).astype(np.uint32)
        return self._state.best_paths(Vectors(self._features, X), False, self._first_label)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._scale * self._state.path_scores(x, False)

    def _scores_many(self, X: Batch) -> Floats:
        if pays(self, X):
            columns = scores_by_product(self, X)
        else:
            columns = self._state.scores_many(Vectors(self._features, X))
        return self._scale * label_scores(columns, self._taxonomy._arrays)

    def _softmax(
        self, x: Mapping[Any, Any], sharp: float = 1.0, flat: float = 0.0, share: float = 0.0
    ) -> LabelProbabilities:
        slopes = self._scale * sharp, self._scale * flat, share
        return LabelProbabilities(self._state, x, False, self._first_label, *slopes)

    def _forget(self, nodes: Nodes) -> None:
        if len(nodes) == len(self._taxonomy) - 1:  # of the root, its label too
            nodes = np.append(np.uint32(0), nodes)
        super()._forget(nodes)


def label_scores(columns: Floats, tree: Arrays) -> Floats:
    """The score of every label, (nodes, ...), from those of the columns, (2 nodes, ...)."""
    return path_sums(columns[::2], tree) + columns[1::2]
