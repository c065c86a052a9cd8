"""Unseen nodes: those that were added to a trained model and have had no example since.

An example of a node is one whose label is the node or below it. Until its first example, an added
node is off, has probability 0 and does not compete with the true label, so that adding nodes does
not change the predictions for others or what is learned from them. Scores are not affected, and
neither are the nodes of a model that has learned nothing, which predicts as defined in its paper.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numpy.typing import NDArray

Unseen = frozenset[int]
A = TypeVar("A", bound=NDArray[Any])
NONE: Unseen = frozenset()


def replaced(values: A, nodes: Unseen, by: float) -> A:
    """A copy of values of nodes, (nodes, ...), in which those of some nodes are replaced."""
    if nodes:
        values = values.copy()
        values[[v for v in nodes if v < len(values)]] = by  # another thread may have added some
    return values
