"""The update of H-PERC (Cesa-Bianchi, Gentile and Zaniboni, 2006, section 8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .feature_map import FeatureMap
from .labels import Labels
from .weights import Weights


def hperceptron_step(w: Weights, features: FeatureMap, labels: Labels, x: Any, y: Any) -> None:
    """Every node whose parents are truly on learns from its mistake."""
    on = labels.closed(y)
    w.check_range(features.find(x).norm2)
    vector = features.insert(x)
    wrong = (w.scores(vector) >= 0.0) != on
    nodes = labels.trained(on)
    nodes = nodes[wrong[nodes]]
    w.add(vector, nodes, np.where(on[nodes], 1.0, -1.0))  # w + v x
