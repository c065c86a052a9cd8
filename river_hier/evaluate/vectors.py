"""From weights as users hold them to a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Label, Taxonomy


def weight_matrix(
    taxonomy: Taxonomy, weights: Mapping[Label, Mapping[Any, float]]
) -> tuple[dict[Any, int], NDArray[np.float64]]:
    """The column of each feature, and a row of weights for each node in taxonomy order."""
    columns: dict[Any, int] = {}
    for w in weights.values():
        for name in w:
            columns.setdefault(name, len(columns))
    matrix = np.zeros((len(taxonomy), len(columns)))
    for label, w in weights.items():
        v = taxonomy.index(label)
        for name, value in w.items():
            matrix[v, columns[name]] = value
    return columns, matrix
