import math
from collections.abc import Hashable, Iterable
from typing import Any

from .._core import labels_of
from ..base.checks import check_integer
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import TaxonomyMetric
from .costs import is_positive


class ClosureMetric(TaxonomyMetric):
    """Base class of hierarchical precision and recall: the overlap of two closures."""

    _of: str  # the closure whose share is the value

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        average: str = "micro",
        depth: int | None = None,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(taxonomy)
        if average not in ("micro", "macro"):
            raise ValueError(f'`average` must be "micro" or "macro", got {average!r}')
        if depth is not None:
            check_integer("depth", depth, 1)
        if not (zero_division in (0, 1) or math.isnan(zero_division)):
            raise ValueError(f"`zero_division` must be 0, 1 or nan, got {zero_division!r}")
        self.average = average
        self.depth = depth
        self.zero_division = zero_division

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = labels_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.given(() if y_pred is None else y_pred)
        if self.depth is not None:
            depth = self.taxonomy_._arrays.depth
            true, pred = ({0, *(v for v in c if depth[v] == self.depth)} for c in (true, pred))
        # The root is in both and does not count.
        both, n_true, n_pred = len(true & pred) - 1.0, len(true) - 1.0, len(pred) - 1.0
        if self.average == "micro":
            return ("both", both), ("true", n_true), ("pred", n_pred)
        value = self._value(both, n_true, n_pred)
        return () if math.isnan(value) else (("score", value), ("weight", 1.0))

    def _value(self, both: float, true: float, pred: float) -> float:
        """The value of these numbers of nodes."""
        whole = true if self._of == "true" else pred
        return both / whole if whole else float(self.zero_division)

    def get(self) -> float:
        """Return the current value of the metric."""
        sums = self._sums
        if self.average == "micro":
            return self._value(sums["both"], sums["true"], sums["pred"])
        return sums["score"] / sums["weight"] if sums["weight"] else float(self.zero_division)


class HPrecision(ClosureMetric):
    r"""Hierarchical precision: the share of the predicted nodes that are true.

    $$hP = \frac{\sum_t w_t |C_t \cap \hat{C}_t|}{\sum_t w_t |\hat{C}_t|}$$

    where $C_t$ and $\hat{C}_t$ are the closures of truth and prediction without the root[^1]; 0 if
    nothing was predicted. Ancestors of a predicted label count as predicted, even if they are set
    to False. An update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    average
        `"micro"`, as above, or `"macro"`: the mean over the examples, as in HiClass.
    depth
        The depth of the nodes that count; `None` for all.
    zero_division
        The value where nothing is predicted: 0, 1 or nan. A mean leaves out nan. With 1, so has a
        model that never predicts a label.

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
        The taxonomy.
    average
        `"micro"`, as above, or `"macro"`: the mean over the examples, as in HiClass.
    depth
        The depth of the nodes that count; `None` for all.
    zero_division
        The value where nothing is true: 0, 1 or nan. A mean leaves out nan.

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


class HF1(ClosureMetric):
    """Hierarchical F1: the harmonic mean of precision and recall, `HFBeta` with `beta=1`.

    Parameters
    ----------
    taxonomy
        The taxonomy.
    average
        `"micro"`, as above, or `"macro"`: the mean over the examples, as in HiClass.
    depth
        The depth of the nodes that count; `None` for all.
    zero_division
        The value where precision and recall are both 0: 0, 1 or nan. A mean leaves out nan. With
        1, so has a model that is always wrong.

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

    beta: float = 1.0

    def _value(self, both: float, true: float, pred: float) -> float:
        b2 = self.beta**2
        return (1 + b2) * both / (b2 * true + pred) if both else float(self.zero_division)


class HFBeta(HF1):
    r"""Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall.

    $$hF_\beta = \frac{(1 + \beta^2)\, hP\, hR}{\beta^2 hP + hR}
    = \frac{(1 + \beta^2) \sum_t w_t |C_t \cap \hat{C}_t|}
    {\sum_t w_t (\beta^2 |C_t| + |\hat{C}_t|)}$$

    with the closures, the source and the cost of `HPrecision`; 0 where both are empty.

    Parameters
    ----------
    taxonomy
        The taxonomy.
    average
        `"micro"`, as above, or `"macro"`: the mean over the examples, as in HiClass.
    depth
        The depth of the nodes that count; `None` for all.
    zero_division
        The value where precision and recall are both 0: 0, 1 or nan.
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

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        beta: float,
        average: str = "micro",
        depth: int | None = None,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(taxonomy, average, depth, zero_division)
        if not is_positive(beta):
            raise ValueError(f"`beta` must be a positive finite number, got {beta!r}")
        self.beta = beta
