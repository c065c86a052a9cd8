from __future__ import annotations

import math
from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .rankings import RankingMetric, read_ranking


class OneAccuracy(RankingMetric):
    r"""One-accuracy: the share of examples whose top-ranked candidate is relevant.

    As in section 6 of the paper[^1]. Among equal top scores the first candidate in taxonomy order
    counts. An example counts as 0 if no candidate is relevant, or none has a score. An update takes
    O(nodes that are on + candidates).

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
    >>> metric = metrics.OneAccuracy(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75})
    >>> metric
    OneAccuracy: 50.00%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """

    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return one_accuracy(self.taxonomy_, y_true, y_pred, self.candidates)


class ParentOneAccuracy(RankingMetric):
    r"""Parent one-accuracy: the share of examples whose top-ranked candidate has a right parent.

    A parent is right if it is the parent of a relevant candidate. Otherwise as `OneAccuracy`; also
    from section 6 of the paper[^1].

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
    >>> metric = metrics.ParentOneAccuracy(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75})
    >>> metric
    ParentOneAccuracy: 100.00%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """

    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return parent_one_accuracy(self.taxonomy_, y_true, y_pred, self.candidates)


def one_accuracy(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """One-accuracy: 1 if the top-ranked candidate is relevant; see `metrics.OneAccuracy`.

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        A label, an iterable of labels or `{label: bool}`. A label that is True below one that is
        False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        `{label: score}`; candidates without a score rank last. A score that is not a number raises
        a `ValueError`. `None`, no answer, has no scores.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}
    >>> losses.one_accuracy(t, "wolf", scores), losses.one_accuracy(t, "whale", scores)
    (0.0, 1.0)

    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if scores.max(initial=-math.inf) == -math.inf:
        return 0.0
    return float(relevant[scores.argmax()])


def parent_one_accuracy(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """Parent one-accuracy: 1 if the parent is right; see `metrics.ParentOneAccuracy`.

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        A label, an iterable of labels or `{label: bool}`. A label that is True below one that is
        False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        `{label: score}`; candidates without a score rank last. A score that is not a number raises
        a `ValueError`. `None`, no answer, has no scores.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}
    >>> losses.parent_one_accuracy(t, "wolf", scores), losses.parent_one_accuracy(t, "owl", scores)
    (1.0, 0.0)

    """
    scores, relevant, nodes = read_ranking(taxonomy, y_true, y_pred, candidates)
    if scores.max(initial=-math.inf) == -math.inf:
        return 0.0
    parents = taxonomy._parent_rows
    right = {p for v in nodes[relevant].tolist() for p in parents[v]}
    return float(not right.isdisjoint(parents[nodes[scores.argmax()]]))
