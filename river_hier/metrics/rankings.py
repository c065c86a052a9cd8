"""Metrics of rankings, `{label: score}`: one ranking of the candidates an example."""

import functools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import labels_of
from ..base.checks import number
from ..taxonomy import OpenTaxonomy, Taxonomy
from ..taxonomy.multilabel import Candidates, candidate_nodes
from .base import CandidateMetric, MeanScore
from .costs import Costs, by_node, check_factors, known

Ints = NDArray[np.intp]


class RankingMetric(CandidateMetric, MeanScore):
    """Base class of the metrics of rankings, `{label: score}`; in `None`, all candidates tie."""

    _fmt = ".2%"
    _reads = "scores"
    _options: tuple[str, ...] = ("candidates",)


class Ranked(NamedTuple):
    """Scores, relevance and indices of the candidates, in taxonomy order."""

    scores: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    nodes: Ints


def read_ranking(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | Ints | None
) -> Ranked:
    """Read a ranking of candidates, labels or nodes: O(nodes that are on + scores + candidates)."""
    on = labels_of(taxonomy).closure(y_true)
    if y_pred is None:
        y_pred = {}
    if not isinstance(y_pred, Mapping):
        raise TypeError(
            f"a ranking must be {{label: score}}, got {type(y_pred).__name__}; "
            "evaluate.Ranked(model) predicts one"
        )
    if not isinstance(candidates, np.ndarray):
        candidates = candidate_nodes(taxonomy, candidates)
    nodes, relevant = candidates, np.zeros(len(taxonomy), dtype=bool)
    relevant[list(on)] = True
    if (given := labels_of(taxonomy).numbers(y_pred)) is not None:
        scores = np.nan_to_num(given[nodes], nan=-math.inf, posinf=math.inf, neginf=-math.inf)
    else:
        ranked, labels = known(taxonomy, y_pred), [taxonomy._arrays.label(v) for v in nodes]
        scores = np.array([_score(label, ranked.get(label, -math.inf)) for label in labels], float)
    return Ranked(scores, relevant[nodes], nodes)


def _score(label: Any, value: Any) -> float:
    if isinstance(value, bool) or math.isnan(number(value)):
        raise ValueError(
            f"the score of {label!r} is {value!r}, not a number to rank by; does the model return "
            "scores? evaluate.Ranked(model) does"
        )
    return float(value)


def average_precision(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """Average precision: that of one ranking; see `metrics.AveragePrecision` and `losses`.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.average_precision(t, "wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    0.333333
    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if not relevant.any():
        return 1.0
    as_high = scores >= scores[relevant, None]  # one row a relevant candidate
    return float((as_high[:, relevant].sum(axis=1) / as_high.sum(axis=1)).mean())


class AveragePrecision(RankingMetric):
    r"""Average precision: the mean precision of a ranking, cut off at each relevant candidate.

    The mean over the examples of

    $$\frac{1}{|Y|} \sum_{y \in Y}
    \frac{|\{r \in Y : F(r) \ge F(y)\}|}{|\{r : F(r) \ge F(y)\}|}$$

    with the relevant candidates $Y$, as in section 6 of the paper[^1], after Schapire and
    Singer[^2]. Equal scores have the same rank; an example without relevant candidates counts as 1.
    An update takes O(relevant * candidates). Predictions are those of `evaluate.Ranked(model)`.

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
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.
    [^2]: Schapire, R.E. and Singer, Y., 2000. BoosTexter: a boosting-based system for text
        categorization. Machine Learning 39, pp. 135-168.
    """

    _loss = staticmethod(average_precision)


def one_accuracy(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """One-accuracy: 1 if the first candidate is relevant; see `metrics.OneAccuracy` and `losses`.

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


class OneAccuracy(RankingMetric):
    r"""One-accuracy: the share of examples whose top-ranked candidate is relevant.

    As `AveragePrecision`, from the same section. Among equal top scores the first candidate in
    taxonomy order counts. An example counts as 0 if no candidate is relevant, or none has a score.
    An update takes O(nodes that are on + candidates).

    Parameters
    ----------
    taxonomy
        The taxonomy.
    candidates
        The labels to rank; `None` for the leaves.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.OneAccuracy(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75})
    >>> metric
    OneAccuracy: 50.00%
    """

    _loss = staticmethod(one_accuracy)


def parent_one_accuracy(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """Parent one-accuracy: 1 if the parent is right; see `metrics.ParentOneAccuracy` and `losses`.

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
    parents = taxonomy._arrays.rows
    right = {p for v in nodes[relevant].tolist() for p in parents[v]}
    return float(not right.isdisjoint(parents[nodes[scores.argmax()]]))


class ParentOneAccuracy(RankingMetric):
    r"""Parent one-accuracy: the share of examples whose top-ranked candidate has a right parent.

    A parent is right if it is the parent of a relevant candidate. Otherwise it is `OneAccuracy`.

    Parameters
    ----------
    taxonomy
        The taxonomy.
    candidates
        The labels to rank; `None` for the leaves.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.ParentOneAccuracy(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75})
    >>> metric
    ParentOneAccuracy: 100.00%
    """

    _loss = staticmethod(parent_one_accuracy)


def ranking_loss(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None = None
) -> float:
    """Ranking loss: the share of misordered pairs; see `metrics.RankingLoss` and `losses`.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.ranking_loss(t, "owl", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    0.5
    """
    scores, relevant, _ = read_ranking(taxonomy, y_true, y_pred, candidates)
    if relevant.all() or not relevant.any():
        return 0.0
    return float((scores[relevant, None] <= scores[~relevant]).mean())


class RankingLoss(RankingMetric):
    r"""Ranking loss: the mean share of misordered pairs of a relevant and an irrelevant candidate.

    The mean over the examples of

    $$\frac{|\{(y, \bar y) \in Y \times \bar Y : F(y) \le F(\bar y)\}|}{|Y| \, |\bar Y|}$$

    with the relevant candidates $Y$ and the irrelevant ones $\bar Y$, as in the papers [^1] [^2]; 0
    without such pairs, and equal scores are misordered. An update takes O(relevant * candidates).

    Parameters
    ----------
    taxonomy
        The taxonomy.
    candidates
        The labels to rank; `None` for the leaves.

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
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.
    [^2]: Schapire and Singer, 2000. BoosTexter. Machine Learning 39, pp. 135-168.
    """

    bigger_is_better: bool = False
    _loss = staticmethod(ranking_loss)


def maximal_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    """Maximal loss: the largest distance of a misordered pair; see `metrics.MaximalLoss`.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.maximal_loss(t, "wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    4.0
    """
    volume = by_node(taxonomy, volumes, "volumes")
    check_factors(missed, spurious)
    scores, relevant, nodes = read_ranking(taxonomy, y_true, y_pred, candidates)
    above = functools.cache(lambda i: labels_of(taxonomy).closure([taxonomy.nodes[nodes[i]]]))
    worst = 0.0
    for i in np.flatnonzero(relevant).tolist():
        for j in np.flatnonzero(~relevant & (scores >= scores[i])).tolist():
            delta = missed * math.fsum(map(volume, above(i) - above(j)))
            delta += spurious * math.fsum(map(volume, above(j) - above(i)))
            worst = max(worst, delta)
    return worst


class MaximalLoss(RankingMetric):
    r"""Maximal loss: the mean distance between the labels of the worst misordered pair.

    The mean over the examples of

    $$\max \{\Delta(y, \bar y) : y \in Y, \bar y \in \bar Y, F(y) \le F(\bar y)\}, \qquad
    \Delta(y, \bar y) = |anc(y) \,\triangle\, anc(\bar y)|$$

    with the relevant candidates $Y$ and the irrelevant ones $\bar Y$, 0 if none are misordered, as
    equal scores are; in a tree $\Delta$ is their distance. This is the loss of section 3 of the
    paper [^1], with the volumes and costs of section 2; the experiments use `missed=0.5,
    spurious=0.5`. An update takes O(misordered pairs * depth).

    Parameters
    ----------
    taxonomy
        The taxonomy.
    candidates
        The labels to rank; `None` for the leaves.
    volumes
        `{label: volume}`, positive and finite; the default is 1.
    missed
        The weight of ancestors of the relevant candidate only, at least 0.
    spurious
        The weight of ancestors of the irrelevant candidate only, at least 0.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.MaximalLoss(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75}, w=0.5)
    >>> metric
    MaximalLoss: 2.666667

    References
    ----------
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.
    """

    bigger_is_better: bool = False
    _fmt = ",.6f"
    _loss = staticmethod(maximal_loss)
    _options = ("candidates", "volumes", "missed", "spurious")

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        candidates: Candidates | None = None,
        volumes: Costs | None = None,
        missed: float = 1.0,
        spurious: float = 1.0,
    ) -> None:
        super().__init__(taxonomy, candidates)
        self._set_volumes(volumes, missed, spurious)
