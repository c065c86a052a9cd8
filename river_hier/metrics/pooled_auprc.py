from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import CandidateMetric
from .rankings import read_ranking

Floats = NDArray[np.float64]

DROPPED = np.int64(52 - 10)  # of the 52 bits after the point of a float64
MAGNITUDE = np.int64(2**63 - 1)  # all bits but the sign


class PooledAUPRC(CandidateMetric):
    r"""Area under the pooled precision-recall curve, common in hierarchical multilabel papers.

    Every pair of an example and a label is one decision. As the threshold decreases,

    $$P = \frac{\sum_v TP_v}{\sum_v (TP_v + FP_v)}, \qquad
    R = \frac{\sum_v TP_v}{\sum_v (TP_v + FN_v)}$$

    give one curve for all labels, whose area Vens et al.[^1] call $AU(\overline{PRC})$. It is
    interpolated as there, after Davis and Goadrich[^2]: between two thresholds false positives grow
    linearly with true positives, so labels of equal score count as if in random order.
    (scikit-learn's `average_precision_score(average="micro")` uses steps.) The area of a random
    ranking is the share of pairs that are on; it is 0 if there are none.

    It takes scores as predictions. Their order counts, also between different labels, so use
    `evaluate.Probabilities(model)`; the scores of `evaluate.Ranked(model)` are conditional on the
    parents in top-down learners. A ranking need not respect the taxonomy.

    Scores are counted in bins, 1,024 between consecutive powers of two: scores that differ by less
    than a thousandth may count as equal. An update takes O(labels * log(labels)), `get`
    O(bins * log(bins)); memory holds the nonempty bins.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    candidates
        The labels to evaluate; `None` for all but the root. Those without a score rank last.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.PooledAUPRC(t)
    >>> metric.update("wolf", {"mammal": 0.9, "wolf": 0.5, "whale": 0.3, "bird": 0.1})
    >>> metric.update({"wolf", "whale"}, {"mammal": 0.8, "wolf": 0.8, "whale": 0.4, "bird": 0.2})
    >>> metric.update("owl", {"mammal": 0.6, "wolf": 0.2, "whale": 0.1, "bird": 0.4, "owl": 0.3})
    >>> metric
    PooledAUPRC: 89.35%

    References
    ----------
    [^1]: [Vens et al., 2008. Machine Learning 73, section 5.](https://doi.org/10.1007/s10994-008-5077-3)
    [^2]: Davis and Goadrich, 2006. The relationship between precision-recall and ROC curves. ICML.
    """

    _fmt = ".2%"
    _reads = "probabilities"

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        pooled: Any = self.candidates
        if pooled is None:
            pooled = np.arange(1, len(self.taxonomy_))
        ranked = read_ranking(self.taxonomy_, y_true, y_pred, pooled)
        for on, chosen in ((True, ranked.relevant), (False, ~ranked.relevant)):
            numbers, n = np.unique(bins(ranked.scores[chosen]), return_counts=True)
            for number, count in zip(numbers.tolist(), n.tolist(), strict=True):
                yield (number, on), float(count)

    def get(self) -> float:
        """Return the current value of the metric."""
        numbers = sorted({number for number, _ in self._sums}, reverse=True)
        true, false = (np.array([self._sums[n, on] for n in numbers]) for on in (True, False))
        return area(true, false)


def bins(scores: Floats) -> NDArray[np.int64]:
    """The number of each score's bin: 1,024 between consecutive powers of two.

    The bits of a float64, read as an integer, have the order of the floats, apart from the sign. So
    the bin of a score does not depend on the range of the others, and the order is preserved.
    """
    bits = scores.view(np.int64)
    return np.where(bits < 0, -(bits & MAGNITUDE), bits) >> DROPPED


def area(true: Floats, false: Floats) -> float:
    r"""The area under the curve of Davis and Goadrich; 0 if nothing is true.

    `true` and `false` are the weights of positives and negatives in each bin, by decreasing score.
    Within a bin, all positive predictions grow linearly from n to m and true positives from t to t
    + d. With $b = (m - n) / d$, its share of the area times the total number of positives is

    $$\int \frac{\tau}{\nu} \, d\tau
    = \frac{1}{b} \left( (t - n / b) \ln \frac{m}{n} + \frac{m - n}{b} \right).$$
    """
    grows = true > 0.0
    if not grows.any():
        return 0.0
    d = true[grows]
    t = np.cumsum(true)[grows] - d
    m = np.cumsum(true + false)[grows]
    width = d + false[grows]
    n = m - width
    b = width / d
    n_ = np.where(n > 0.0, n, 1.0)  # where n is 0, t is 0 as well
    shares = ((t - n / b) * np.log1p(np.where(n > 0.0, width / n_, 0.0)) + d) / b
    return float(shares.sum() / true.sum())
