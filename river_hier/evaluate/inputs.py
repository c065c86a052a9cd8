"""Checks and conversions of the arguments that the functions here share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river.datasets.base import SyntheticDataset

from ..datasets.synth.transformed import Transformed
from ..taxonomy import Label, Taxonomy


def check_ends(dataset: Any) -> None:
    """Raise an error if a stream that must be read to its end has none."""
    while isinstance(dataset, Transformed):
        dataset = dataset.stream
    if isinstance(dataset, SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"{type(dataset).__name__} is endless; give a prefix of it, such as .take(1000)"
        )


def weight_matrix(
    taxonomy: Taxonomy, weights: Mapping[Label, Mapping[Any, float]]
) -> tuple[dict[Any, int], NDArray[np.float64]]:
    """The column of each feature, and a matrix with the weights of each node as a row."""
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
