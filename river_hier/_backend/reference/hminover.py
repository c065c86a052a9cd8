"""The update of the hierarchical minover perceptron (Cai and Hofmann, 2007, section 4)."""

from __future__ import annotations

from typing import Any

from ...taxonomy import Taxonomy
from .feature_map import FeatureMap
from .rankings import Ranking, worst_pair
from .threshold import Threshold
from .weights import Weights


def hminover_step(
    w: Weights,
    threshold: Threshold,
    ranking: Ranking,
    margin: float,
    features: FeatureMap,
    taxonomy: Taxonomy,
    x: Any,
    y: Any,
) -> None:
    """The pair with the smallest margin moves apart if that is too small."""
    on = taxonomy.multilabel(y)
    w.check_range(features.find(x).norm2)
    vector = features.insert(x)
    nodes = ranking.candidates
    scores, relevant = ranking.scores(w.scores(vector))[nodes], on[nodes]
    threshold.learn(scores, relevant)
    pair = worst_pair(scores, relevant)
    if pair is not None and scores[pair[0]] - scores[pair[1]] < margin:
        differing, steps = ranking.step(int(nodes[pair[0]]), int(nodes[pair[1]]))
        w.add(vector, differing, len(differing) * steps)  # Delta = |anc(y) ^ anc(ybar)|
