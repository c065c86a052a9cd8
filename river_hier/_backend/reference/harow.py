"""The update of H-AROW: adaptive regularisation of weights at every node, from the top down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .feature_map import FeatureMap
from .gaussian_weights import GaussianWeights
from .labels import Labels

Floats = NDArray[np.float64]


def harow_step(
    w: GaussianWeights,
    r: float,
    forgetting: float,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    y: Any,
) -> None:
    """Every node whose parents are truly on learns if its margin is below 1."""
    on = labels.closed(y)
    w.check_range(features.find(x).norm2)
    vector = features.insert(x)
    if vector.norm2 == 0.0:
        return
    nodes = labels.trained(on)
    v = np.where(on[nodes], 1.0, -1.0)
    scores = w.scores(vector)[nodes]
    doubt = v * scores < 1.0
    nodes, v, scores = nodes[doubt], v[doubt], scores[doubt]
    values = vector.values[:, None]
    before = w.s.cells(vector, nodes)
    s = np.where(values != 0.0, faded(before, forgetting), before)
    moves = (1.0 + s) * values  # S x
    # Added up in the same order however many nodes there are, which `sum` does not.
    variances = np.add.accumulate(moves * values)[-1]
    confidence = 1.0 / (variances + r)  # 1 / (x^T S x + r)
    w.add_cells(vector, nodes, (v - scores) * confidence * moves)
    w.s.add_cells(vector, nodes, s - before - confidence * moves**2)


def faded(s: Floats, forgetting: float) -> Floats:
    """S less 1 when 1 / S less 1 has been multiplied by `forgetting`."""
    return forgetting * s / (1.0 + (1.0 - forgetting) * s)
