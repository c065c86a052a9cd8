"""Parent one-accuracy: whether the top-ranked label has a right parent."""

from __future__ import annotations

import math
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
    r"""Parent one-accuracy: 1 if the top-ranked candidate has a right parent, otherwise 0.

    A parent is right if it is the parent of a relevant candidate, as in section 6 of the paper[^1].
    Among equal top scores the first candidate in taxonomy order counts. It is 0 if no candidate is
    relevant, or none has a score. Takes O(nodes that are on + candidates).

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label that is True while an
        ancestor is explicitly False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        `{label: score}`; higher scores rank first. Candidates without a score rank below all
        others; a score that is not a number raises a `ValueError`. `None`, no answer, has no
        scores.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

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
    if scores.max(initial=-math.inf) == -math.inf:
        return 0.0
    parents = taxonomy.parent_rows
    right = {p for v in nodes[relevant].tolist() for p in parents[v]}
    return float(not right.isdisjoint(parents[nodes[scores.argmax()]]))
