"""The base class of the metrics of rankings, and the conversion of a ranking to arrays."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import labels_of
from ..taxonomy import OpenTaxonomy, Taxonomy
from ..taxonomy.multilabel import Candidates, candidate_nodes
from .base import MeanScore
from .costs import known

Ints = NDArray[np.intp]


class RankingMetric(MeanScore):
    """Base class of the metrics of rankings, `{label: score}`; a subclass defines `_eval`.

    A prediction of `None`, no answer, is a ranking without scores, in which all candidates tie. An
    `OpenTaxonomy` needs `candidates`.

    """

    _reads = "scores"

    def __init__(
        self, taxonomy: Taxonomy | OpenTaxonomy, candidates: Candidates | None = None
    ) -> None:
        super().__init__(taxonomy)
        self._check_candidates(candidates)
        self.candidates = candidates


class Ranked(NamedTuple):
    """Scores, relevance and indices of the candidates, in taxonomy order."""

    scores: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    nodes: Ints


def read_ranking(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | Ints | None,
) -> Ranked:
    """Read a ranking of candidates, labels or nodes: O(nodes that are on + scores + candidates).

    `None`, no prediction, is a ranking without scores.
    """
    on = labels_of(taxonomy).closure(y_true)
    if y_pred is None:
        y_pred = {}
    if not isinstance(y_pred, Mapping):
        raise TypeError(
            f"a ranking must be {{label: score}}, got {type(y_pred).__name__}; "
            "evaluate.Ranked(model) predicts one"
        )
    nodes = _nodes(taxonomy, candidates)
    relevant = np.zeros(len(taxonomy), dtype=bool)
    relevant[list(on)] = True
    if (numbers := labels_of(taxonomy).numbers(y_pred)) is not None:
        scores = np.nan_to_num(numbers[nodes], nan=-math.inf, posinf=math.inf, neginf=-math.inf)
    else:
        given, labels = known(taxonomy, y_pred), [taxonomy._label(v) for v in nodes]
        scores = np.array([_score(label, given.get(label, -math.inf)) for label in labels], float)
    return Ranked(scores, relevant[nodes], nodes)


def _nodes(taxonomy: Taxonomy, candidates: Candidates | Ints | None) -> Ints:
    if isinstance(candidates, np.ndarray):
        return candidates
    if candidates is None:  # without a loop in Python
        leaves = np.ones(len(taxonomy), dtype=bool)
        leaves[0] = False
        leaves[taxonomy._arrays.parent_index] = False
        return np.flatnonzero(leaves)
    return np.array(candidate_nodes(taxonomy, candidates), dtype=np.intp)


def _score(label: Any, value: Any) -> float:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or math.isnan(value):
        raise ValueError(
            f"the score of {label!r} is {value!r}, not a number to rank by; does the model return "
            "scores? evaluate.Ranked(model) does"
        )
    return float(value)
