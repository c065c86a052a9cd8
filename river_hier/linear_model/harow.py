from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base import Floats, TopDownLearner, check_forgetting, check_positive
from ..taxonomy import TaxonomyLike

__all__ = ["HAROW"]


class HAROW(TopDownLearner, compiled=("r", "forgetting")):
    """H-AROW: second-order weights at a perceptron's cost, from the top down.

    Adaptive regularisation of weights [^1] at every node of the taxonomy, trained as `HRLS` is:
    node i learns only from examples whose parents are truly on, and of those only from the ones
    with a margin $v_i \\, w_i \\cdot x < 1$. Each weight has a variance of its own, 1 at first,
    which falls with every step that uses it, so that frequent features settle and rare ones still
    move:

    $$w_i \\leftarrow w_i + \\frac{v_i - w_i \\cdot x}{x^\\top \\Sigma_i x + r} \\, \\Sigma_i x,
    \\qquad \\Sigma_i \\leftarrow \\Sigma_i - \\frac{(\\Sigma_i x)^2}{x^\\top \\Sigma_i x + r}.$$

    Where the stream drifts, weights that have settled no longer move. With `forgetting` $f < 1$ the
    certainty that a weight has gained, its precision $1 / \\Sigma$ less the 1 it began with, fades
    whenever the node learns from its feature, before the step:

    $$\\frac{1}{\\Sigma_{ij}} \\leftarrow 1 + f \\Bigl(\\frac{1}{\\Sigma_{ij}} - 1\\Bigr) \\quad
    \\textrm{for } x_j \\ne 0.$$

    Weights stay as they are, and so do variances of features that do not come: the memory is one of
    about $1 / (1 - f)$ examples with the feature that the node learned from, and no stream can turn
    a weight to stone, or let a variance grow beyond 1.

    A step takes O(features of x * nodes) to score and O(features of x * nodes that learn) to learn;
    weights and variances take O(features * nodes) memory, whatever the length of the stream.

    Its flat counterpart is `HAROW(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive.
        An `OpenTaxonomy` grows along labels that are paths.
    r
        The regularisation: the larger, the smaller the steps.
    n_features
        A power of 2: hash the names of features into so many rows, in bounded memory for ever.
        Names that meet in a row are taken for one. `None` remembers every name.
    dtype
        What weights are stored in, `"float64"` or `"float32"`.
    forgetting
        What a step leaves of the precision that the steps before have given to the weights it uses;
        1 forgets nothing.

    Raises
    ------
    ValueError
        If `r` is not positive, `forgetting` not above 0 and at most 1, or `n_features` not a power
        of 2; from `learn_one` and `predict_one`, if a feature is not a finite number, a label is
        unknown, or a label is on whose ancestor is explicitly False.

    Notes
    -----
    The paper [^1] has one full covariance matrix and no hierarchy; here it is the diagonal, one a
    node, with the variances after a step as the paper's full matrix would have them on its
    diagonal. `predict_proba_one` passes the scores through a logistic function: the probabilities
    are ordered rightly and coherent, but not calibrated.

    An x that is empty, zero, or has only features never learned from has score 0 everywhere, and
    a score of 0 counts as on: all nodes are on. Learning from an x that is empty or zero
    changes nothing.

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
    HLoss: 0.

    References
    ----------
    [^1]: [Crammer, K., Kulesza, A. and Dredze, M., 2009. Adaptive regularization of weight vectors.
        In Advances in Neural Information Processing Systems 22, pp. 414-422.](
        https://papers.nips.cc/paper/3848-adaptive-regularization-of-weight-vectors)

    """

    second_order = True

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        r: float = 1.0,
        n_features: int | None = None,
        dtype: str = "float64",
        forgetting: float = 1.0,
    ) -> None:
        super().__init__(taxonomy, n_features, dtype)
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
