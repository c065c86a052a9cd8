from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import check_positive
from .decoder import Decoder

__all__ = ["SymmetricDifferenceBayes"]


class SymmetricDifferenceBayes(Decoder):
    r"""The multilabel with the least expected symmetric difference from the truth.

    Here every node counts for itself, so it is on if

    $$\textrm{missed} \cdot P_i \ge \textrm{spurious} \cdot (1 - P_i)$$

    with $P_i$ the probability that it is on. As no node is likelier than its parent, the answer
    respects the taxonomy. What a node weighs (`volumes` in the metric) makes no difference.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.
    missed
        What a label that is missed costs.
    spurious
        What a label that is wrongly on costs.

    Raises
    ------
    TypeError
        If `model` is no multilabel model in a taxonomy.
    ValueError
        If a cost is not positive and finite.

    Notes
    -----
    Beside the model's probabilities an answer takes O(nodes).

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

    def _decide(self, likely: Sequence[float]) -> list[int]:
        return [v for v, p in enumerate(likely) if self.missed * p >= self.spurious * (1.0 - p)]
