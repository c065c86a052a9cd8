"""A tree over very many labels, by halving them again and again."""

from collections.abc import Mapping
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.features import read
from ..base.checks import check_integer
from ..taxonomy import Label, Taxonomy

Ints = NDArray[np.intp]
STEPS, POWER = 12, 6  # at most, and those of them that look for the longest axis


def balanced_tree(
    vectors: Mapping[Label, Mapping[Any, float]], branching: int = 16, seed: int = 0
) -> Taxonomy:
    """A balanced tree for labels that have none, in which similar ones are near each other.

    With `linear_model.HierarchicalSoftmax`, a step then moves O(branching * log(labels)) vectors.
    As in Parabel (Prabhu et al., 2018), labels are halved again and again by balanced 2-means, here
    from the longest axis of each group on: O(entries * log(labels)).

    Parameters
    ----------
    vectors
        `{label: features}`: a mean or sum of examples of each label, or features of its name, such
        as `LogTFIDF().transform_one(name)`. They are scaled to norm 1.
    branching
        The most children of a node. Inner nodes are "group 1", "group 2" ..., unless a label is.
    seed
        The seed of the first axes.

    Examples
    --------
    >>> from river_hier import induction

    >>> names = ["red shirt", "red boots", "blue shirt", "blue boots", "wool hat", "wool cap"]
    >>> vectors = {name: dict.fromkeys(name.split(), 1) for name in names}
    >>> t = induction.balanced_tree(vectors, branching=3)
    >>> t.distance("wool hat", "wool cap")
    2
    """
    check_integer("branching", branching, at_least=2)
    if not vectors:
        raise ValueError("`vectors` must have at least one label, got {}")
    columns: dict[Any, int] = {}
    features, values = [], []
    for x in vectors.values():
        of_x, norm2 = read(x)
        numbers = [columns.setdefault(name, len(columns)) for name in x]
        features.append(np.array(numbers, dtype=np.intp))
        values.append(of_x / np.sqrt(norm2 or 1.0))
    rows = np.repeat(np.arange(len(features)), list(map(len, features)))
    at, entries = np.concatenate(features), np.concatenate(values)
    group, rng = np.zeros(len(features), dtype=np.intp), np.random.default_rng(seed)
    rounds = max(-(-len(features) // branching) - 1, 0).bit_length()
    for _ in range(rounds):
        cells = np.unique(group[rows] * len(columns) + at, return_inverse=True)[1]
        group = 2 * group + _halves(rows, cells, entries, group, rng.random(len(group)))
    # Several rounds make a level: the last ones as many as `branching` allows.
    ends = [0, *reversed(range(rounds, 0, 1 - branching.bit_length()))]
    names = (name for i in count(1) if (name := f"group {i}") not in vectors)
    nodes = {(end, g): next(names) for end in ends for g in range(2**end)}
    upper = ((nodes[a, g >> (b - a)], nodes[b, g]) for a, b in pairwise(ends) for g in range(2**b))
    lower = ((nodes[rounds, g], v) for g, v in zip(group.tolist(), vectors, strict=True))
    return Taxonomy([*upper, *lower])


def _halves(rows: Ints, cells: Ints, entries: Any, group: Ints, score: Any) -> Ints:
    """The half, 0 or 1, of each label; `cells` are the pairs of its group and its features."""
    sizes, half = np.bincount(group), np.zeros_like(group)
    starts = sizes.cumsum() - sizes
    for step in range(STEPS):
        order = np.lexsort((score, group))
        own, before = group[order], half.copy()
        half[order] = 2 * (np.arange(len(group)) - starts[own]) >= sizes[own]
        side = 2.0 * half - 1.0  # equally large, so sums differ as means do
        if step < POWER:
            side = score - (np.bincount(group, score) / sizes)[group]
            side /= np.abs(side).max() or 1.0
        elif np.array_equal(half, before):
            break
        between = np.bincount(cells, entries * side[rows])
        score = np.bincount(rows, entries * between[cells], len(group))
    return half
