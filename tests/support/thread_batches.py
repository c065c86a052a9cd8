"""Batches for tests of the thread pool."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from river_hier import Taxonomy

TREE = Taxonomy([((v - 1) // 3, v) for v in range(1, 40)])
ROWS = 240


def names(n: int) -> list[str]:
    return [f"f{j}" for j in range(n)]


def labels(rng: np.random.Generator) -> list[set[Any]]:
    return [set(rng.choice(TREE.nodes, 2).tolist()) for _ in range(ROWS)]


def words(rng: np.random.Generator) -> sparse.csr_array:
    """In dual variables for ever."""
    return sparse.random_array((ROWS, 2_000), density=0.01, rng=rng).tocsr()
