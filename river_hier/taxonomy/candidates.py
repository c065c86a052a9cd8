"""The nodes that are ranked: the leaves, or the given candidates."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .nodes import Nodes

# Collection[Label] would refuse a list[str] in places where the type is invariant.
Candidates = Collection[Any]


def candidate_nodes(taxonomy: Nodes, candidates: Candidates | None) -> list[int]:
    """The indices of the candidates, in taxonomy order; `None` means the leaves.

    The root is always on, so it is not ranked; a taxonomy without other nodes has no candidates.
    """
    if candidates is None:
        return [v for v, below in enumerate(taxonomy.child_indices) if v and not below]
    if isinstance(candidates, str | bytes) or not isinstance(candidates, Collection):
        raise TypeError(
            "`candidates` must be a collection of labels, such as taxonomy.leaves, "
            f"got {candidates!r}"
        )
    nodes = sorted({taxonomy.index(label) for label in candidates})
    if not nodes:
        raise ValueError("`candidates` must not be empty; name labels, or leave it out")
    if nodes[0] == 0:
        raise ValueError(f"`candidates` must not hold the root, {taxonomy.root!r}: it is always on")
    return nodes
