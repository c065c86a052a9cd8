"""The learners that are built on least squares (Cesa-Bianchi, Gentile and Zaniboni, 2006)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Label, Taxonomy
from .feature_map import FeatureMap
from .labels import Labels
from .least_squares import LeastSquares
from .systems import System, Systems
from .visit import Visit

Mask = NDArray[np.bool_]

# Of ||x||^2 to l2. Beyond it, the digits of a float do not hold both.
LARGEST_RATIO = 1e12


def hrls_step(rls: LeastSquares, features: FeatureMap, labels: Labels, x: Any, y: Any) -> bool:
    """One round of H-RLS.

    False, and nothing has changed, if l2 is lost in rounding beside x.
    """
    on = labels.closed(y)
    if features.find(x).norm2 > LARGEST_RATIO * rls.l2:
        return False
    vector = features.insert(x)
    if vector.norm2 > 0.0:
        store_everywhere(rls, rls.visit(vector), labels.taxonomy, on, labels.learning)
    return True


def store_everywhere(
    rls: Systems, visit: Visit, taxonomy: Taxonomy, on: Mask, learning: Mask | None = None
) -> None:
    """H-RLS, Fig. 3: every node whose parents are truly on stores x, which is not zero."""
    for system in _active(rls, taxonomy, on.tolist(), learning):
        rls.append(system, visit, np.where(on[system.nodes], 1.0, -1.0))
    rls.tidy()


def shrls_step(
    rls: LeastSquares, c: float, t: int, features: FeatureMap, labels: Labels, x: Any, y: Any
) -> bool:
    """Round t of SH-RLS.

    False, and nothing has changed, if l2 is lost in rounding beside x.
    """
    on = labels.closed(y)
    if features.find(x).norm2 > LARGEST_RATIO * rls.l2:
        return False
    vector = features.insert(x)
    if vector.norm2 > 0.0:
        visit = rls.visit(vector)
        store_where_in_doubt(rls, c, t, visit, labels.taxonomy, on, labels.learning)
    return True


def store_where_in_doubt(
    rls: Systems,
    c: float,
    t: int,
    visit: Visit,
    taxonomy: Taxonomy,
    on: Mask,
    learning: Mask | None = None,
) -> None:
    """SH-RLS, section 8: the same nodes store x, but only if their scores are small."""
    most = 1.0 + visit.x.norm2 / rls.l2  # 1 + r is at most this
    for system in _active(rls, taxonomy, on.tolist(), learning):
        n = system.n_stored
        bound = math.sqrt(c * math.log(t) / n) if n else math.inf
        doubt = abs(float(system.solver.scores(visit)[0]))
        if doubt > bound * most:
            continue
        r, u = system.solver.solve(visit)
        if doubt <= bound * (1.0 + r):
            rls.store(system, visit, np.where(on[system.nodes], 1.0, -1.0), r, u)
    rls.tidy()


def least_squares_answer(
    rls: LeastSquares, features: FeatureMap, labels: Labels, x: Any
) -> dict[Label, bool]:
    """The multilabel of x."""
    return labels.answer(decided(rls, rls.visit(features.find(x)), labels.taxonomy))


def decided(rls: Systems, visit: Visit, taxonomy: Taxonomy) -> Mask:
    """The nodes that are switched on, from the top down."""
    yes = [True] + [False] * (len(taxonomy) - 1)
    for system in _active(rls, taxonomy, yes):  # 1 + r is positive: the sign needs only w . x
        for v, score in zip(system.nodes, system.solver.signs(visit).tolist(), strict=True):
            yes[v] = score >= 0.0
    return np.array(yes)


def _active(
    rls: Systems, taxonomy: Taxonomy, on: Sequence[bool], learning: Mask | None = None
) -> Iterator[System]:
    """The systems whose nodes' parents are all on, from the top down; of those, `learning` ones.

    The nodes of a system may be switched on as soon as it has been given.
    """
    parents = taxonomy.parent_indices
    for system in rls.systems:
        first = system.nodes[0] if system.nodes else 0
        if (learning is None or learning[first]) and all(on[p] for p in parents[first]):
            yield system
