import numpy as np
from numpy.typing import NDArray

from ..base import TopDownLearner
from ..base.checks import check_forgetting, check_positive
from ..base.explanation import Floats
from ..taxonomy import TaxonomyLike


class HAROW(TopDownLearner, compiled=("r", "forgetting")):
    """H-AROW: second-order online learning at the cost of a perceptron, from the top down.

    Adaptive regularisation of weights [^1] at every node of the taxonomy, trained as `HRLS` is:
    node i learns only from examples whose parents are truly on, and only from those with a margin
    $v_i \\, w_i \\cdot x < 1$. Each weight has its own variance, initially 1, which falls with
    every step that uses it, so that the weights of frequent features settle while those of rare
    ones still move:

    $$w_i \\leftarrow w_i + \\frac{v_i - w_i \\cdot x}{x^\\top \\Sigma_i x + r} \\, \\Sigma_i x,
    \\qquad \\Sigma_i \\leftarrow \\Sigma_i - \\frac{(\\Sigma_i x)^2}{x^\\top \\Sigma_i x + r}.$$

    If the stream drifts, settled weights hardly move. With `forgetting` $f < 1$ the precision that
    a weight has gained, $1 / \\Sigma$ less the initial 1, decays whenever the node learns from the
    weight's feature, before the step:

    $$\\frac{1}{\\Sigma_{ij}} \\leftarrow 1 + f \\Bigl(\\frac{1}{\\Sigma_{ij}} - 1\\Bigr) \\quad
    \\textrm{for } x_j \\ne 0.$$

    A weight remembers about the last $1 / (1 - f)$ examples with its feature.

    A step takes O(features of x * nodes) to score and O(features of x * nodes that learn) to learn;
    weights and variances take O(features * nodes) memory: 16 bytes for each pair with
    `dtype="float64"`, 8 with `"float32"`. Above 128 nodes, only pairs that were learned are stored.
    The flat counterpart is `HAROW(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    r
        The regularisation: the larger, the smaller the steps. The default is for x of norm 1; for
        features of another scale, multiply it by the mean of $\\|x\\|^2$, or normalise x.
    forgetting
        The factor f; 1 forgets nothing.
    intercept
        The value of a constant feature that is added to every x; 0 adds none. Values between 0.3
        and 3 hardly differ.

    Notes
    -----
    The paper [^1] has one full covariance matrix, no hierarchy and no intercept; here each node
    keeps the diagonal that the matrix would have after a step. Probabilities, and an x that is
    empty or zero, are treated as in `HPerceptron`.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.HAROW(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.557

    References
    ----------
    [^1]: [Crammer, K., Kulesza, A. and Dredze, M., 2009. Adaptive regularization of weight vectors.
        NIPS 22.](https://papers.nips.cc/paper/3848-adaptive-regularization-of-weight-vectors)
    """

    second_order = True

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        r: float = 1.0,
        dtype: str = "float64",
        forgetting: float = 1.0,
        intercept: float = 1.0,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_positive("r", r)
        check_forgetting(forgetting)
        self.r = r
        self.forgetting = forgetting

    def learns(self, score: Floats, y: Floats) -> NDArray[np.bool_]:
        """The nodes with a margin below 1."""
        return y * score < 1.0

    def rule(
        self, score: Floats, y: Floats, norm2: float, variance: Floats
    ) -> tuple[Floats, Floats]:
        """The step and the confidence of each node, from the variance of its score."""
        confidence = 1.0 / (variance + self.r)  # 1 / (x^T S x + r)
        return (y - score) * confidence, confidence
