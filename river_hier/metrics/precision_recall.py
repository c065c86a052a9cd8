from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from .._core import labels_of
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import TaxonomyMetric
from .costs import is_positive


class ClosureMetric(TaxonomyMetric):
    """Base class of hierarchical precision and recall: the overlap of two closures."""

    _of: str  # the closure whose share is the value

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = labels_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.given(() if y_pred is None else y_pred)
        yield "both", len(true & pred) - 1  # the root is in both and does not count
        yield "true", len(true) - 1
        yield "pred", len(pred) - 1

    def get(self) -> float:
        """Return the current value of the metric."""
        whole = self._sums[self._of]
        return self._sums["both"] / whole if whole else 0.0


class HPrecision(ClosureMetric):
    r"""Hierarchical precision: the share of the predicted nodes that are true.

    $$hP = \frac{\sum_t w_t |C_t \cap \hat{C}_t|}{\sum_t w_t |\hat{C}_t|}$$

    where $C_t$ and $\hat{C}_t$ are the closures of truth and prediction without the root[^1]; 0
    if nothing was predicted. The sums run over all examples (micro-average). Ancestors of a
    predicted label count as predicted, even if the prediction explicitly sets them to False. An
    update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HPrecision(t)
    >>> metric.update("wolf", "whale")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    HPrecision: 80.00%

    References
    ----------
    [^1]: Kiritchenko, S., Matwin, S., Nock, R. and Famili, A.F., 2006. Learning and evaluation in
        the presence of class hierarchies: application to text categorization. Canadian AI.

    """

    _of = "pred"


class HRecall(ClosureMetric):
    r"""Hierarchical recall: the share of the true nodes that are predicted.

    $$hR = \frac{\sum_t w_t |C_t \cap \hat{C}_t|}{\sum_t w_t |C_t|}$$

    with the closures, the source and the cost of `HPrecision`; 0 if nothing was true.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HRecall(t)
    >>> metric.update("wolf", "whale")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    HRecall: 66.67%

    """

    _of = "true"


class HFBeta(ClosureMetric):
    r"""Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall.

    $$hF_\beta = \frac{(1 + \beta^2)\, hP\, hR}{\beta^2 hP + hR}
    = \frac{(1 + \beta^2) \sum_t w_t |C_t \cap \hat{C}_t|}
    {\sum_t w_t (\beta^2 |C_t| + |\hat{C}_t|)}$$

    with the closures, the source and the cost of `HPrecision`; 0 where both are empty.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    beta
        The importance of recall relative to precision, positive.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HFBeta(t, beta=2)
    >>> metric.update("wolf", "whale")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    HFBeta: 68.97%

    """

    def __init__(self, taxonomy: Taxonomy | OpenTaxonomy, beta: float) -> None:
        super().__init__(taxonomy)
        if not is_positive(beta):
            raise ValueError(f"`beta` must be a positive finite number, got {beta!r}")
        self.beta = beta

    def get(self) -> float:
        """Return the current value of the metric."""
        b2 = self.beta**2
        whole = b2 * self._sums["true"] + self._sums["pred"]
        return (1 + b2) * self._sums["both"] / whole if whole else 0.0


class HF1(HFBeta):
    """Hierarchical F1: the harmonic mean of precision and recall, `HFBeta` with `beta=1`.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HF1(t)
    >>> metric.update("wolf", "whale")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    HF1: 72.73%

    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy, beta=1.0)
