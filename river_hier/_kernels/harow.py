"""The update of H-AROW: adaptive regularisation of weights at every node, from the top down."""

from __future__ import annotations

from typing import Any

import numpy as np

from .gaussian_weights import GaussianWeights
from .labels import Labels
from .names import Names
from .paths import trained_nodes


def harow_step(
    w: GaussianWeights, r: float, features: Names, labels: Labels, x: Any, y: Any
) -> None:
    """Every node whose parents are truly on learns if its margin is below 1."""
    on = labels.closed(y)
    w.check_range(features.find(x).norm2)
    vector = features.insert(x)
    if vector.norm2 == 0.0:
        return
    nodes = trained_nodes(on, labels.arrays)
    v = np.where(on[nodes], 1.0, -1.0)
    scores = w.scores(vector)[nodes]
    doubt = v * scores < 1.0
    nodes, v, scores = nodes[doubt], v[doubt], scores[doubt]
    values = vector.values[:, None]
    moves = (1.0 + w.s.cells(vector, nodes)) * values  # S x
    confidence = 1.0 / ((moves * values).sum(axis=0) + r)  # 1 / (x^T S x + r)
    w.add_cells(vector, nodes, (v - scores) * confidence * moves)
    w.s.add_cells(vector, nodes, -confidence * moves**2)
