from __future__ import annotations

from typing import Any

from .._core import connected
from ..base.checks import check_positive
from .decoder import Decoder


class SymmetricDifferenceBayes(Decoder):
    r"""The multilabel with the least expected symmetric difference from the truth.

    This loss is a sum over nodes, so each node is decided on its own. It is on if

    $$\textrm{missed} \cdot P_i \ge \textrm{spurious} \cdot (1 - P_i)$$

    with $P_i$ the probability that it is on. As no node is more probable than its parent, the
    prediction respects the taxonomy. The weights of nodes (`volumes` in the metric) have no effect.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.
    missed
        The cost of a label that is missed.
    spurious
        The cost of a label that is wrongly predicted.

    Raises
    ------
    TypeError
        If `model` is not a multilabel model in a taxonomy.
    ValueError
        If a cost is not positive and finite.

    Notes
    -----
    On top of the model's probabilities, a prediction takes O(nodes) time.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HRLS(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.SymmetricDifferenceLoss(t))
    SymmetricDifferenceLoss: 1.973

    >>> model = decision.SymmetricDifferenceBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.SymmetricDifferenceLoss(t))
    SymmetricDifferenceLoss: 1.7375

    """

    def __init__(self, model: Any, missed: float = 1.0, spurious: float = 1.0) -> None:
        super().__init__(model)
        check_positive("missed", missed)
        check_positive("spurious", spurious)
        self.missed = missed
        self.spurious = spurious

    def _decide(self, marginals: Any) -> list[int]:
        # missed p >= spurious (1 - p)
        threshold = 1.0 / (1.0 + self.missed / self.spurious)
        return connected(self._labels, marginals, threshold, None)
