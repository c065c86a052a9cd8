from __future__ import annotations

from typing import Any

from .. import losses
from .base import RankingMetric


class AveragePrecision(RankingMetric):
    r"""Average precision: the mean precision of a ranking, cut off at each relevant candidate.

    For each relevant candidate y, the precision is the share of relevant candidates among those
    with at least the score of y. It is averaged over the relevant candidates and over the examples,
    as in section 6 of the paper[^1], after Schapire and Singer[^2]; an example without relevant
    candidates counts as 1. An update takes O(relevant * candidates).

    It takes scores as predictions: `evaluate.Ranked(model)` makes a model return them.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

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
        return losses.average_precision(self.taxonomy_, y_true, y_pred, self.candidates)
