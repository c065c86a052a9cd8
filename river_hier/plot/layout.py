"""Where the nodes of a taxonomy stand: layers from left to right, a row for each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Taxonomy

Floats = NDArray[np.float64]

# In characters: from a node to the line that leads to its children, and from there to their names.
STEM = 2.0
GAP = 3.0


class Layout(NamedTuple):
    """Positions: x in characters, y in rows, the first row on top."""

    x: Floats
    y: Floats
    width: float
    n_rows: int


def layered(taxonomy: Taxonomy, names: Sequence[str]) -> Layout:
    """Inner nodes stand in the middle of what is below them, their names to their left.

    So no name meets a line or another name: a layer is as wide as its longest name, the name of a
    leaf has its row for itself, and siblings are a row apart or more. In a DAG a node hangs under
    its first parent.
    """
    arrays = taxonomy.arrays
    below = _below_first_parents(taxonomy)
    y = np.zeros(len(names))
    n_rows = 0
    stack = [0]
    while stack:
        v = stack.pop()
        stack += reversed(below[v])
        if not below[v]:
            y[v] = n_rows
            n_rows += 1
    for v in range(len(names) - 1, -1, -1):  # children before their parents
        if below[v]:
            y[v] = (y[below[v][0]] + y[below[v][-1]]) / 2
    x_of, x, end = [], 0.0, 0.0
    for d in range(taxonomy.height + 1):
        layer = np.flatnonzero(arrays.depth == d).tolist()
        x += max((len(names[v]) for v in layer if below[v]), default=0) + STEM + GAP
        x_of.append(x)
        end = max([end, *(x + GAP + len(names[v]) for v in layer if not below[v])])
    return Layout(np.array(x_of)[arrays.depth], y, max(end, x + GAP), n_rows)


def _below_first_parents(taxonomy: Taxonomy) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in taxonomy.nodes]
    for v, above in enumerate(taxonomy.parent_indices):
        if above:
            below[above[0]].append(v)
    return below
