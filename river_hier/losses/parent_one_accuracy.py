"""Parent one-accuracy: is the label that ranks first at least under the right parent?"""

from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates
from .rankings import read_ranking


def parent_one_accuracy(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
) -> float:
    r"""Parent one-accuracy: 1 if the first candidate is a relevant one or a sibling of one.

    As in section 6 of the paper[^1]: 1 if a parent of the candidate that ranks first is a parent
    of a relevant candidate, otherwise 0. Of several with the top score the first in taxonomy
    order counts. Takes O(nodes that are on + candidates).

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

    >>> losses.parent_one_accuracy(t, "wolf", scores)
    1.0
    >>> losses.parent_one_accuracy(t, "owl", scores)
    0.0

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """
    scores, relevant, nodes = read_ranking(taxonomy, y_true, y_pred, candidates)
    if not relevant.any():
        return 0.0
    parents = taxonomy.parent_indices
    right = {p for v, on in zip(nodes, relevant, strict=True) if on for p in parents[v]}
    return float(not right.isdisjoint(parents[nodes[scores.argmax()]]))
