"""The learners that are built on least squares (Cesa-Bianchi, Gentile and Zaniboni, 2006)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..taxonomy import Label
from .labels import Labels
from .least_squares import LeastSquares, System
from .names import Names

# Of ||x||^2 to l2. Beyond it, the digits of a float do not hold both.
LARGEST_RATIO = 1e12


def hrls_step(rls: LeastSquares, features: Names, labels: Labels, x: Any, y: Any) -> bool:
    """H-RLS, Fig. 3: every node whose parents are truly on stores x.

    False, and nothing has changed, if l2 is lost in rounding beside x.
    """
    on = labels.closed(y)
    if features.find(x).norm2 > LARGEST_RATIO * rls.l2:
        return False
    vector = features.insert(x)
    if vector.norm2 > 0.0:
        visit = rls.visit(vector)
        for system in _active(rls, labels, on.tolist()):
            rls.append(system, visit, np.where(on[system.nodes], 1.0, -1.0))
        rls.tidy()
    return True


def shrls_step(
    rls: LeastSquares, c: float, t: int, features: Names, labels: Labels, x: Any, y: Any
) -> bool:
    """SH-RLS, section 8: it stores x only if its score is small, in round t.

    False, and nothing has changed, if l2 is lost in rounding beside x.
    """
    on = labels.closed(y)
    if features.find(x).norm2 > LARGEST_RATIO * rls.l2:
        return False
    vector = features.insert(x)
    if vector.norm2 == 0.0:
        return True
    most = 1.0 + vector.norm2 / rls.l2  # 1 + r is at most this
    visit = rls.visit(vector)
    for system in _active(rls, labels, on.tolist()):
        n = system.n_stored
        bound = math.sqrt(c * math.log(t) / n) if n else math.inf
        doubt = abs(float(system.solver.scores(visit)[0]))
        if doubt > bound * most:
            continue
        r, u = system.solver.solve(visit)
        if doubt <= bound * (1.0 + r):
            rls.store(system, visit, np.where(on[system.nodes], 1.0, -1.0), r, u)
    rls.tidy()
    return True


def least_squares_answer(
    rls: LeastSquares, features: Names, labels: Labels, x: Any
) -> dict[Label, bool]:
    """The multilabel of x, from the top down."""
    visit = rls.visit(features.find(x))
    on = np.zeros(len(labels.taxonomy), dtype=bool)
    on[0] = True
    yes = on.tolist()
    for system in _active(rls, labels, yes):  # 1 + r is positive: the sign needs only w . x
        for v, score in zip(system.nodes, system.solver.signs(visit).tolist(), strict=True):
            yes[v] = score >= 0.0
    return labels.answer(np.array(yes))


def _active(rls: LeastSquares, labels: Labels, on: Sequence[bool]) -> Iterator[System]:
    """The systems whose nodes' parents are all on, from the top down.

    The nodes of a system may be switched on as soon as it has been given.
    """
    parents = labels.taxonomy.parent_indices
    for system in rls.systems:
        above = parents[system.nodes[0]] if system.nodes else (0,)
        if all(on[p] for p in above):
            yield system
