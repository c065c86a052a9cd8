from __future__ import annotations

from typing import Any

from .. import losses
from .base import RankingMetric


class RankingLoss(RankingMetric):
    r"""Ranking loss: the mean share of misordered pairs of a relevant and an irrelevant candidate.

    As in section 6 of the paper[^1], after Schapire and Singer[^2]. Equal scores are misordered;
    an example without such pairs counts as 0. An update takes O(relevant * candidates).

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

    >>> metric = metrics.RankingLoss(t)
    >>> for yt, yp in zip(y_true, scores):
    ...     metric.update(yt, yp)

    >>> metric
    RankingLoss: 33.33%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Schapire, R.E. and Singer, Y., 2000. BoosTexter: a boosting-based system for text
        categorization. Machine Learning 39, 135-168.

    """

    bigger_is_better: bool = False
    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.ranking_loss(self.taxonomy_, y_true, y_pred, self.candidates)
