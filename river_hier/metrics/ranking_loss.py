from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .rankings import RankingMetric, read_ranking


class RankingLoss(RankingMetric):
    r"""Ranking loss: the mean share of misordered pairs of a relevant and an irrelevant candidate.

    The mean over the examples of

    $$\frac{|\{(y, \bar y) \in Y \times \bar Y : F(y) \le F(\bar y)\}|}{|Y| \, |\bar Y|}$$

    with the relevant candidates $Y$ and the irrelevant ones $\bar Y$, as in section 6 of the
    paper[^1], after Schapire and Singer[^2]. Equal scores are misordered; an example without such
    pairs counts as 0. An update takes O(relevant * candidates).

    It takes scores as predictions: `evaluate.Ranked(model)` makes a model return them.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.RankingLoss(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75})
    >>> metric
    RankingLoss: 50.00%

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
        return ranking_loss(self.taxonomy_, y_true, y_pred, self.candidates)


def ranking_loss(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """Ranking loss: the share of misordered pairs of one ranking; see `metrics.RankingLoss`.

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        A label, an iterable of labels or `{label: bool}`. A label that is True below one that is
        False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        `{label: score}`; candidates without a score rank last. A score that is not a number raises
        a `ValueError`. With `None`, no answer, all candidates tie.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}
    >>> losses.ranking_loss(t, "owl", scores)
    0.5

    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if relevant.all() or not relevant.any():
        return 0.0
    return float((scores[relevant, None] <= scores[~relevant]).mean())
