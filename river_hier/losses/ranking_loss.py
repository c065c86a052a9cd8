"""Ranking loss: the share of misordered pairs of a relevant and an irrelevant label."""

from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates
from .rankings import read_ranking


def ranking_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
) -> float:
    r"""Ranking loss: the share of misordered pairs of a relevant and an irrelevant candidate.

    $$\frac{|\{(y, \bar y) \in Y \times \bar Y : F(y) \le F(\bar y)\}|}{|Y| \, |\bar Y|}$$

    over the relevant candidates $Y$ and the irrelevant ones $\bar Y$, as in section 6 of the
    paper[^1], after Schapire and Singer[^2]. Equal scores are misordered. The loss is 0 if there
    are no pairs. Takes O(relevant * candidates).

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label that is True while an
        ancestor is explicitly False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        `{label: score}`; higher scores rank first. Candidates without a score rank below all
        others; a score that is not a number raises a `ValueError`. With `None`, no answer, all
        candidates tie.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}

    >>> losses.ranking_loss(t, "owl", scores)
    0.5
    >>> losses.ranking_loss(t, {"wolf", "whale"}, scores)
    0.5

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Schapire, R.E. and Singer, Y., 2000. BoosTexter: a boosting-based system for text
        categorization. Machine Learning 39, 135-168.

    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if relevant.all() or not relevant.any():
        return 0.0
    return float((scores[relevant, None] <= scores[~relevant]).mean())
