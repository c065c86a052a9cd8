from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from ..losses.rankings import read_ranking
from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates, candidate_nodes
from .base import SumMetric
from .precision_recall import area, bins

__all__ = ["PooledAUPRC"]


class PooledAUPRC(SumMetric):
    r"""Area under the pooled precision-recall curve: the measure of hierarchical multilabel papers.

    Every pair of an example and a label is one decision; from high to low thresholds, all labels
    together,

    $$P = \frac{\sum_v TP_v}{\sum_v (TP_v + FP_v)}, \qquad
    R = \frac{\sum_v TP_v}{\sum_v (TP_v + FN_v)}$$

    give one curve, whose area Vens et al.[^1] call $AU(\overline{PRC})$. Between two thresholds it
    is drawn as there, after Davis and Goadrich[^2]: false positives grow evenly with true ones, so
    that labels of equal score count as if in random order. (scikit-learn's
    `average_precision_score(average="micro")` draws steps instead; on thousands of decisions the
    two are close.) A random ranking has the share of pairs that are on; no pair on, 0.

    It reads scores, of which only the order counts, that of different labels among each other
    included: it wants `evaluate.Probabilities(model)`, which makes a model answer with the
    probability that each label is on. The scores of `evaluate.Ranked(model)` are read as well, but
    those of a learner that decides from the top down say how likely a label is once its parents
    are on. A ranking that respects the taxonomy has no label above its ancestors; that is not
    asked for, and an incoherent ranking is scored as it is.

    Scores are counted in bins, 1,024 between each power of two and the next, whatever their range:
    two scores that differ by less than a thousandth of themselves may count as equal. An update
    takes O(labels * log(labels)), `get` O(bins * log(bins)); memory is that of the bins that were
    met, at most one for each score.

    Parameters
    ----------
    taxonomy
        The taxonomy. Labels that are not in it raise an `UnknownLabelError`; a ranking or a
        weight that is refused leaves the metric as it was.
    candidates
        The labels that are pooled; `None` for all but the root, which is always on. Those without
        a score rank below all others.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "whale"}, "owl"]
    >>> scores = [
    ...     {"mammal": 0.9, "wolf": 0.5, "whale": 0.3, "bird": 0.1},
    ...     {"mammal": 0.8, "wolf": 0.8, "whale": 0.4, "bird": 0.2},
    ...     {"mammal": 0.6, "wolf": 0.2, "whale": 0.1, "bird": 0.4, "owl": 0.3},
    ... ]

    >>> metric = metrics.PooledAUPRC(t)
    >>> for yt, yp in zip(y_true, scores):
    ...     metric.update(yt, yp)

    >>> metric
    PooledAUPRC: 89.35%

    In River's loop:

    >>> from river_hier import evaluate, linear_model
    >>> from river_hier.datasets import synth
    >>> from river.evaluate import progressive_val_score

    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> model = evaluate.Probabilities(linear_model.HRLS(t))
    >>> progressive_val_score(stream.take(1000), model, metrics.PooledAUPRC(t))
    PooledAUPRC: 63.86%

    References
    ----------
    [^1]: Vens, C., Struyf, J., Schietgat, L., Džeroski, S. and Blockeel, H., 2008. Decision trees
        for hierarchical multi-label classification. Machine Learning 73, 185-214. Section 5.
    [^2]: Davis, J. and Goadrich, M., 2006. The relationship between precision-recall and ROC
        curves. ICML.

    """

    _fmt = ".2%"

    def __init__(self, taxonomy: Taxonomy, candidates: Candidates | None = None) -> None:
        super().__init__(taxonomy)
        candidate_nodes(taxonomy, candidates)
        self.candidates = candidates

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        pooled = self.candidates
        if pooled is None and len(self.taxonomy) > 1:
            pooled = self.taxonomy.nodes[1:]
        ranked = read_ranking(self.taxonomy, y_true, y_pred, pooled)
        for on, chosen in ((True, ranked.relevant), (False, ~ranked.relevant)):
            found, n = np.unique(bins(ranked.scores[chosen]), return_counts=True)
            for number, count in zip(found.tolist(), n.tolist(), strict=True):
                yield (number, on), float(count)

    def get(self) -> float:
        """Return the current value of the metric."""
        numbers = sorted({number for number, _ in self._sums}, reverse=True)
        true, false = (np.array([self._sums[n, on] for n in numbers]) for on in (True, False))
        return area(true, false)
