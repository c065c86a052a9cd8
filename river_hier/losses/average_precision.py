"""Average precision of a ranking of labels."""

from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates
from .rankings import read_ranking


def average_precision(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
) -> float:
    r"""Average precision: how pure the ranking is down to each of the relevant candidates.

    $$\frac{1}{|Y|} \sum_{y \in Y}
    \frac{|\{r \in Y : F(r) \ge F(y)\}|}{|\{r : F(r) \ge F(y)\}|}$$

    as in section 6 of the paper[^1], after Schapire and Singer[^2]. Candidates with equal scores
    all count as high; where no candidate is relevant it is 1, since none is misplaced. Takes
    O(relevant * candidates).

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label on whose ancestor is
        explicitly False raises a `ValueError`, an unknown one an `UnknownLabelError`.
    y_pred
        `{label: score}`, the higher the more likely. Candidates that it does not hold rank below
        all others; a candidate's score that is no number raises a `ValueError`.
    candidates
        The labels that are ranked; `None` for the leaves. Those that are on are relevant.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}

    >>> losses.average_precision(t, "wolf", scores)
    0.333333
    >>> losses.average_precision(t, {"wolf", "whale"}, scores)
    0.833333

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Schapire, R.E. and Singer, Y., 2000. BoosTexter: a boosting-based system for text
        categorization. Machine Learning 39, 135-168.

    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if not relevant.any():
        return 1.0
    as_high = scores >= scores[relevant, None]  # one row a relevant candidate
    return float((as_high[:, relevant].sum(axis=1) / as_high.sum(axis=1)).mean())
