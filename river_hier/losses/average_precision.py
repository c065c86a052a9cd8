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
    r"""Average precision: the mean precision of a ranking, cut off at each relevant candidate.

    $$\frac{1}{|Y|} \sum_{y \in Y}
    \frac{|\{r \in Y : F(r) \ge F(y)\}|}{|\{r : F(r) \ge F(y)\}|}$$

    as in section 6 of the paper[^1], after Schapire and Singer[^2]. Candidates with equal scores
    have the same rank. It is 1 if no candidate is relevant. Takes O(relevant * candidates).

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
