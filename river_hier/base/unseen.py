"""Unseen nodes: those that were added to a trained model and have had no example since.

An example of a node is one whose label is the node or below it. Until its first example, an added
node is off, has probability 0 and does not compete with the true label, so that adding nodes does
not change the predictions for others or what is learned from them. Scores are not affected, and
neither are the nodes of a model that has learned nothing, which predicts as defined in its paper.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
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


def switched_off(given: A, unseen: Unseen) -> A:
    """P(on | parents on) or a mask, (nodes, ...), in which unseen nodes are off."""
    return replaced(given, unseen, 0)


def without_scores(scores: A, unseen: Unseen) -> A:
    """The scores, (nodes, ...), in which those of unseen nodes are -inf."""
    return replaced(scores, unseen, -np.inf)


def seen_nodes(n: int, unseen: Unseen) -> NDArray[np.intp]:
    """The nodes that are not unseen, in order."""
    return np.delete(np.arange(n), list(unseen))
