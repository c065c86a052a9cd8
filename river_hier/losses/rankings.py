"""Conversion of a ranking, `{label: score}`, and the truth to arrays over the candidates."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._backend import labels_of
from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates, candidate_nodes
from .costs import known


class Ranked(NamedTuple):
    """Scores, relevance and indices of the candidates, in taxonomy order."""

    scores: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    nodes: list[int]


def read_ranking(
    taxonomy: Taxonomy, y_true: Any, y_pred: Any, candidates: Candidates | None
) -> Ranked:
    """Read a ranking in O(nodes that are on + candidates); missing scores are minus infinity.

    `None`, no prediction, is a ranking without scores.
    """
    on = labels_of(taxonomy).closure(y_true)
    if y_pred is None:
        y_pred = {}
    if not isinstance(y_pred, Mapping):
        raise TypeError(f"a ranking must be {{label: score}}, got {type(y_pred).__name__}")
    y_pred = known(taxonomy, y_pred)
    nodes = candidate_nodes(taxonomy, candidates)
    scores = [y_pred.get(taxonomy.nodes[v], -math.inf) for v in nodes]
    if set(map(type, scores)) - {float, int} or any(map(math.isnan, scores)):
        scores = [_score(taxonomy.nodes[v], s) for v, s in zip(nodes, scores, strict=True)]
    return Ranked(np.array(scores, dtype=float), np.array([v in on for v in nodes], bool), nodes)


def _score(label: Any, value: Any) -> float:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or math.isnan(value):
        raise ValueError(
            f"the score of {label!r} is {value!r}, not a number to rank by; does the model return "
            "scores? evaluate.Ranked(model) does"
        )
    return float(value)
