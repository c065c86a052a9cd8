from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._backend import LARGEST_RATIO, FeatureIndex
from ..base.checks import check_positive
from ..base.explanation import Floats
from ..base.single_label import SingleLabelModel
from ..taxonomy import Label, NodeMapping, Taxonomy, TaxonomyLike
from .discriminant import Discriminant

__all__ = ["LinearDiscriminant"]


class LinearDiscriminant(SingleLabelModel):
    r"""Gaussian classes with a shared covariance, each mean shrunken towards that of its parent.

    The examples of label $v$ have a Gaussian distribution with mean $\mu_v$ and a covariance
    $\Sigma$ that all labels share, so the logarithm of the probability of $v$ is linear in x, up to
    a constant:

    $$\log P(v \mid x) = \mu_v^\top \Sigma^{-1} x - \tfrac{1}{2} \mu_v^\top \Sigma^{-1} \mu_v
    + \log(n_v + 1) + \textrm{const}.$$

    With $n_v$ examples of sum $s_v$ and the `shrinkage` $\kappa$,

    $$\mu_v = \frac{s_v + \kappa \, \mu_{parent(v)}}{n_v + \kappa}, \qquad
    \Sigma = \frac{1}{\nu + 1} \Bigl( l2 \, I
    + \sum_i (x_i - \bar{x}_{y_i}) (x_i - \bar{x}_{y_i})^\top \Bigr)$$

    where $\nu$ is the number of examples that were not the first of their label. The root is
    shrunken towards the first example of the stream, so shifting the features changes nothing. The
    mean of a rarely seen label is close to that of its parent; without examples it equals it.

    The model predicts the most probable label. Wrapped in `decision.TreeBayes`, it predicts the
    label with the smallest expected distance.

    Parameters
    ----------
    taxonomy
        A tree; its nodes are the labels. `None` starts from an open flat taxonomy, to which labels
        are added under the root as they arrive. An `OpenTaxonomy` grows with labels that are paths.
    shrinkage
        The number of examples that the parent's mean counts for.
    l2
        The value added to the diagonal of the scatter matrix, in units of squared features. With
        fewer examples than features, it alone makes $\Sigma$ invertible.

    Raises
    ------
    ValueError
        If `shrinkage` or `l2` is not positive or the taxonomy is not a tree; from `learn_one` and
        `predict_one`, if a feature is not a finite number or the label is unknown; from
        `learn_one`, if x is so far from the mean of its label that `l2` would be lost in rounding.

    Notes
    -----
    Linear discriminant analysis as in [^1], section 4.3, one example at a time, and exact: after
    every step the model is given by the formulas above, applied to all examples so far. A feature
    that is missing from x is 0.

    With d features and n nodes a prediction takes O(d² + n d), learning O(d²) for each node in the
    subtree of the label and O(n d) more, memory is O(d² + n d): use it with up to a thousand
    features.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import decision, metrics, probabilistic
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy

    >>> model = probabilistic.LinearDiscriminant(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.8025

    >>> model = decision.TreeBayes(probabilistic.LinearDiscriminant(t), t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.7455

    References
    ----------
    [^1]: Hastie, T., Tibshirani, R. and Friedman, J., 2009. The Elements of Statistical Learning.
        Springer.

    """

    @property
    def _may_refuse(self) -> bool:
        return True  # `l2` may be lost in rounding beside a distance from the means so far

    def __init__(
        self, taxonomy: TaxonomyLike = None, shrinkage: float = 1.0, l2: float = 1.0
    ) -> None:
        super().__init__(taxonomy)
        self._taxonomy.check_tree()
        check_positive("shrinkage", shrinkage)
        check_positive("l2", l2)
        self.shrinkage = shrinkage
        self.l2 = l2
        self._features = FeatureIndex()
        parents = _parents(self._taxonomy)
        self._discriminant = Discriminant(parents, float(shrinkage), float(l2))

    def _learn(self, x: Mapping[Any, Any], y: int, w: float) -> None:
        label = self._taxonomy.nodes[y]
        known = self._features.find(x)
        distance2 = self._discriminant.squared_distance(known, y)
        if distance2 > LARGEST_RATIO * self.l2:
            raise ValueError(
                f"`l2` = {self.l2} is lost in rounding beside the squared distance of x from the "
                f"mean of {label!r}, {distance2:.3g}; scale x, e.g. with river's "
                "preprocessing.StandardScaler, or choose a larger `l2`"
            )
        self._discriminant.make_room(len(self._features) + len(x) - len(known.rows))
        index = self._taxonomy.label_index
        subtree = [index[below] for below in self._taxonomy.subtree(label)]
        self._discriminant.learn(self._features.insert(x), y, subtree)

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return self._taxonomy.nodes[int(np.argmax(self._scores_one(x)))]

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._discriminant.scores(self._features.find(x))

    def _remap(self, change: NodeMapping) -> None:
        change.after.check_tree()
        self._discriminant = self._discriminant.remapped(change.sources, _parents(change.after))

    def _add_nodes(self, before: int, after: int) -> None:
        self._discriminant.add_nodes([0] * after)

    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        return f"Prediction: {self.predict_one(x)!r}, the likeliest label"


def _parents(taxonomy: Taxonomy) -> list[int]:
    return [0, *(above[0] for above in taxonomy.parent_indices[1:])]
