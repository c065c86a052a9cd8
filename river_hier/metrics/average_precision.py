from __future__ import annotations

from typing import Any

from .. import losses
from .rankings import RankingMetric

__all__ = ["AveragePrecision"]


class AveragePrecision(RankingMetric):
    r"""Average precision: how pure rankings are down to each of the relevant candidates.

    The mean over examples of the mean over relevant candidates y of the share of relevant ones
    among those that rank as high as y, as in section 6 of the paper[^1], after Schapire and
    Singer[^2]; 1 where no candidate is relevant. An update takes O(relevant * candidates).

    It reads scores: `evaluate.Ranked(model)` makes a model answer with them.

    Parameters
    ----------
    taxonomy
        The taxonomy. Labels that are not in it raise an `UnknownLabelError`; a ranking or a
        weight that is refused leaves the metric as it was.
    candidates
        The labels that are ranked; `None` for the leaves. Those that are on are relevant.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "whale"}, "owl"]
    >>> scores = [
    ...     {"wolf": 0.5, "whale": 1.0, "owl": 0.75},
    ...     {"wolf": 1.5, "whale": 1.0, "owl": 0.75},
    ...     {"wolf": 0.5, "whale": 0.25, "owl": 0.75},
    ... ]

    >>> metric = metrics.AveragePrecision(t)
    >>> for yt, yp in zip(y_true, scores):
    ...     metric.update(yt, yp)

    >>> metric
    AveragePrecision: 77.78%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Schapire, R.E. and Singer, Y., 2000. BoosTexter: a boosting-based system for text
        categorization. Machine Learning 39, 135-168.

    """

    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.average_precision(self.taxonomy, y_true, y_pred, self.candidates)
