"""One-accuracy: is the label that ranks first relevant?"""

from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates
from .rankings import read_ranking


def one_accuracy(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
) -> float:
    r"""One-accuracy: 1 if the candidate that ranks first is relevant, otherwise 0.

    As in section 6 of the paper[^1]. Of several with the top score the first in taxonomy order
    counts; where no candidate is relevant it is 0. Takes O(nodes that are on + candidates).

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

    >>> losses.one_accuracy(t, "wolf", scores)
    0.0
    >>> losses.one_accuracy(t, {"wolf", "whale"}, scores)
    1.0

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    return float(relevant.any() and relevant[scores.argmax()])
