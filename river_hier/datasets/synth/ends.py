"""Where the paths of a label end, and what becomes of it if they end elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...taxonomy import Taxonomy


def path_ends(taxonomy: Taxonomy, y: Any) -> list[int]:
    """The most specific nodes of y: those that are on without any child.

    A single label is its own end; where nothing is on the end is the root.
    """
    if not isinstance(y, Mapping):
        return [taxonomy.index(y)]
    on = np.flatnonzero(taxonomy.multilabel(y)).tolist()
    passed = {p for v in on for p in taxonomy.parent_indices[v]}
    return [v for v in on if v not in passed]


def renamed(taxonomy: Taxonomy, y: Any, new: Mapping[int, int]) -> Any:
    """A copy of y with some of its ends taken for others of their families.

    All of a family have the same ancestors, so the answer is closed upwards as y is.
    """
    nodes = taxonomy.nodes
    if not isinstance(y, Mapping):
        v = taxonomy.index(y)
        return nodes[new.get(v, v)]
    return {**y, **{nodes[v]: False for v in new}, **{nodes[v]: True for v in new.values()}}


def families(taxonomy: Taxonomy) -> dict[int, tuple[list[int], int]]:
    """Of every node that has siblings its family, itself included, and its place there.

    A family is all nodes with the very same parents; in a tree, the children of one node.
    """
    groups = [group.tolist() for group in taxonomy.arrays.groups if len(group) > 1]
    return {v: (group, place) for group in groups for place, v in enumerate(group)}
