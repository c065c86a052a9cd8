"""The classifier that regret is measured against: top-down with the true weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from river import base

from ...taxonomy import Label, Taxonomy

if TYPE_CHECKING:
    from .linear_labels import LinearLabels


class ReferenceClassifier(base.MultiLabelClassifier):
    """The reference classifier of a stream.

    A node is on if its parents are predicted on and its true score is at least 0[^1]. That makes
    the best decision at every node, though not always the one with the least expected H-loss.

    It learns nothing, but it counts its calls of `learn_one`: where the stream drifts, it answers
    with the weights of the step that it has come to.

    Parameters
    ----------
    stream
        The stream.

    Examples
    --------

    >>> from river_hier import Taxonomy
    >>> from river_hier.datasets import synth

    >>> stream = synth.LinearLabels(Taxonomy.flat(["wolf", "owl"]), seed=42)
    >>> model = stream.reference

    >>> hits = 0
    >>> for x, y in stream.take(1000):
    ...     hits += y == model.predict_one(x)
    ...     model.learn_one(x, y)
    >>> hits
    407

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7,
        pp.31-54, Eq. 4.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(self, stream: LinearLabels) -> None:
        self.stream = stream
        self.step = 0

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the stream."""
        return self.stream.taxonomy

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        self.step += 1

    def score_one(self, x: dict[Any, Any]) -> dict[Label, float]:
        """The true score of every node but the root."""
        return self.stream.scores(x, self.step)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, bool]:
        taxonomy = self.taxonomy
        y_pred: dict[Any, bool] = {taxonomy.root: True}
        for label, score in self.score_one(x).items():  # Eq. 4
            y_pred[label] = score >= 0 and all(y_pred[p] for p in taxonomy.parents(label))
        del y_pred[taxonomy.root]
        return y_pred

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, dict[bool, float]]:
        """The true probability of every node but the root: the product along its ancestors."""
        taxonomy = self.taxonomy
        given = self.stream.probabilities(x, self.step)
        y_pred = {}
        for label, p in given.items():
            p *= math.prod(given[above] for above in taxonomy.ancestors(label)[1:])  # Eq. 2
            y_pred[label] = {False: 1 - p, True: p}
        return y_pred
