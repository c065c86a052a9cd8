from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .rankings import RankingMetric, read_ranking


class AveragePrecision(RankingMetric):
    r"""Average precision: the mean precision of a ranking, cut off at each relevant candidate.

    The mean over the examples of

    $$\frac{1}{|Y|} \sum_{y \in Y}
    \frac{|\{r \in Y : F(r) \ge F(y)\}|}{|\{r : F(r) \ge F(y)\}|}$$

    with the relevant candidates $Y$, as in section 6 of the paper[^1], after Schapire and
    Singer[^2]. Candidates with equal scores have the same rank; an example without relevant
    candidates counts as 1. An update takes O(relevant * candidates).

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
    >>> metric = metrics.AveragePrecision(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75})
    >>> metric
    AveragePrecision: 66.67%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Schapire, R.E. and Singer, Y., 2000. BoosTexter: a boosting-based system for text
        categorization. Machine Learning 39, 135-168.

    """

    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return average_precision(self.taxonomy_, y_true, y_pred, self.candidates)


def average_precision(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """Average precision: that of one ranking; see `metrics.AveragePrecision`.

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
    >>> losses.average_precision(t, "wolf", scores)
    0.333333
    >>> losses.average_precision(t, {"wolf", "whale"}, scores)
    0.833333

    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if not relevant.any():
        return 1.0
    as_high = scores >= scores[relevant, None]  # one row a relevant candidate
    return float((as_high[:, relevant].sum(axis=1) / as_high.sum(axis=1)).mean())
