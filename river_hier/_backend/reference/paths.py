"""Sums along paths and decisions from the top down, level by level."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def path_sums(values: Floats, tree: Arrays, in_place: bool = False) -> Floats:
    """The sum of the values along each node's path, including the root: O(nodes)."""
    sums = values if in_place else values.copy()
    for a, b in zip(tree.level_ptr[1:], tree.level_ptr[2:], strict=False):
        sums[a:b] += sums[_parents(tree, a, b)]
    return sums


def subtree_sums(values: Floats, tree: Arrays) -> Floats:
    """The sum of the values over each node's subtree, including itself: O(nodes)."""
    sums = values.copy()
    for a, b in zip(tree.level_ptr[-2:0:-1], tree.level_ptr[:1:-1], strict=True):
        np.add.at(sums, _parents(tree, a, b), sums[a:b])
    return sums


def top_down(yes: Mask, taxonomy: Arrays) -> Mask:
    """Switch on the nodes of `yes` whose parents are all on: O(nodes + edges)."""
    on = yes.copy()
    on[0] = True
    for a, b in zip(taxonomy.level_ptr[1:], taxonomy.level_ptr[2:], strict=False):
        on[a:b] &= _all_on(on, taxonomy, a, b)
    return on


def top_down_probabilities(given: Floats, taxonomy: Arrays, in_place: bool = False) -> Floats:
    """P(node on) from P(node on | all its parents on), for every node: O(nodes + edges).

    With several parents, the least probable one counts, so no node is more probable than a parent.
    """
    marginals = given if in_place else given.copy()
    marginals[0] = 1.0
    for a, b in zip(taxonomy.level_ptr[1:], taxonomy.level_ptr[2:], strict=False):
        above = marginals[_parents(taxonomy, a, b)]
        marginals[a:b] *= (
            above if len(above) == b - a else _reduce(np.minimum, above, taxonomy, a, b)
        )
    return marginals


def conditional_probabilities(marginals: Floats, taxonomy: Arrays) -> Floats:
    """P(node on | all its parents on) from P(node on), for every node: O(nodes + edges)."""
    given = marginals.copy()
    if len(given) > 1:
        above = _reduce(np.minimum, marginals[taxonomy.parent_index], taxonomy, 1, len(given))
        given[1:] = np.divide(marginals[1:], above, out=np.zeros_like(above), where=above > 0.0)
    return given


def trained_nodes(on: Mask, taxonomy: Arrays) -> NDArray[np.intp]:
    """The nodes whose parents are all on, in taxonomy order; the root is not trained."""
    if len(on) == 1:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(_all_on(on, taxonomy, 1, len(on))) + 1


def _parents(tree: Arrays, a: int, b: int) -> NDArray[np.intp]:
    return tree.parent_index[tree.parent_ptr[a] : tree.parent_ptr[b]]


def _all_on(on: Mask, taxonomy: Arrays, a: int, b: int) -> Mask:
    """For each node of the slice a:b, whether all its parents are on."""
    above: Mask = on[_parents(taxonomy, a, b)]
    return above if len(above) == b - a else _reduce(np.logical_and, above, taxonomy, a, b)


def _reduce(how: np.ufunc, above: Any, taxonomy: Arrays, a: int, b: int) -> Any:
    """Reduce the values of the parents of each node of the slice a:b to one value per node."""
    return how.reduceat(above, taxonomy.parent_ptr[a:b] - taxonomy.parent_ptr[a])
