"""The average of all hypotheses: the last one, w, less what the average lags behind it.

After m examples, with step $s_i$ in round i, that is $w - l / (m + 1)$; `lag` holds l, the sum of
$i s_i$.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Label
from .feature_map import FeatureMap
from .labels import Labels
from .paths import path_sums, top_down
from .weights import Weights

Floats = NDArray[np.float64]


def averaged_scores(w: Weights, lag: Weights, m: int, x: Any) -> Floats:
    """The average times x, for every node; of many vectors, one a column."""
    scores: Floats = w.scores(x) - lag.scores(x) / (m + 1)
    return scores


def averaged_hieron_answer(
    w: Weights, lag: Weights, m: int, features: FeatureMap, labels: Labels, x: Any
) -> Label:
    """The first of the labels with the largest score."""
    scores = path_sums(averaged_scores(w, lag, m, features.find(x)), labels.arrays)
    return labels.taxonomy.nodes[int(scores.argmax())]


def averaged_top_down_answer(
    w: Weights, lag: Weights, m: int, features: FeatureMap, labels: Labels, x: Any
) -> dict[Label, bool]:
    """The multilabel of x."""
    scores = averaged_scores(w, lag, m, features.find(x))
    return labels.answer(top_down(scores >= 0.0, labels.arrays))
