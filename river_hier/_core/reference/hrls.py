"""H-RLS and SH-RLS (Cesa-Bianchi, Gentile and Zaniboni, 2006)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Taxonomy
from ..batch import Multilabels
from .feature_map import FeatureMap
from .labels import Labels
from .least_squares import Change, LeastSquares
from .vectors import Vectors

Mask = NDArray[np.bool_]

# Of ||x||^2 to l2; beyond it, l2 is lost in rounding.
LARGEST_RATIO = 1e12


def least_squares_step(
    rls: LeastSquares,
    c: float,
    t: float,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    y: Any,
    weight: float = 1.0,
    changed: Sequence[int] = (),
    how: Change | None = None,
) -> bool:
    """Round t of SH-RLS or, where c is infinite, of H-RLS.

    Afterwards the systems `changed` are changed; x is not zero then. Returns False, without
    changes, if l2 would be lost in rounding beside x.
    """
    on = labels.taxonomy._closure_mask(y)
    if weight * features.find(x).norm2 > LARGEST_RATIO * rls.l2:
        return False
    vector = features.insert(x).ordered(weight)
    if vector.norm2 > 0.0:
        update(rls, vector, c, t, labels.taxonomy, on, labels.learning)
    for s in changed:
        rls.change(s, how)
    return True


def update(
    rls: Any,
    x: Any,
    c: float,
    t: float,
    taxonomy: Taxonomy,
    on: Mask,
    learning: Mask | None = None,
) -> None:
    """Fig. 3: nodes whose parents are truly on store x, which is not zero, if they are in doubt."""
    for s in _active(rls, taxonomy, on, learning):
        system = rls.systems[s]
        if _in_doubt(system, x, rls.l2, c, t):
            rls.store(s, x, np.where(on[system.nodes], x.root, -x.root))
    rls.end_step()


def _in_doubt(system: Any, x: Any, l2: float, c: float, t: float) -> bool:
    """Whether |w_t . x_t| is small: section 8. In H-RLS it always is."""
    if math.isinf(c) or not system.n_stored:
        return True
    bound = math.sqrt(c * math.log(max(1.0, t)) / system.n_stored)
    score, weight = abs(float(system.scores(x)[0])) / x.root, x.weight
    most = 1.0 + x.norm2 / weight / l2  # 1 + r is at most this
    return score <= bound * most and bool(score <= bound * (1.0 + system.r(x) / weight))


def least_squares_nodes(
    rls: LeastSquares, features: FeatureMap, labels: Labels, x: Any
) -> list[int]:
    """The nodes but the root that are on, in order."""
    on = predicted_nodes(rls, features.find(x).ordered(), labels.taxonomy)
    nodes: list[int] = np.flatnonzero(on)[1:].tolist()
    return nodes


def predicted_nodes(rls: Any, x: Any, taxonomy: Taxonomy) -> Mask:
    """Fig. 3, step 2: a node is on if its parents are and w . x >= 0; 1 + r is positive."""
    on = np.zeros(len(taxonomy), dtype=bool)
    on[0] = True
    for s in _active(rls, taxonomy, on):
        on[rls.systems[s].nodes] = rls.systems[s].scores(x) >= 0.0
    return on


def _active(rls: Any, taxonomy: Taxonomy, on: Mask, learning: Mask | None = None) -> Iterator[int]:
    """The systems whose nodes' parents are all on, top-down; with `learning`, only those.

    The caller may switch on the nodes of a system before requesting the next one.
    """
    for s, system in enumerate(rls.systems):
        first = system.nodes[0] if system.nodes else 0
        mine = learning is None or learning[first]
        if mine and all(on[p] for p in taxonomy._parent_indices[first]):
            yield s


# Mini-batches: plain loops over the rows


def least_squares_steps(
    rls: LeastSquares,
    c: float,
    t: float,
    features: FeatureMap,
    labels: Labels,
    X: Vectors,
    first: int,
    Y: Multilabels,
    n_threads: int = 1,
) -> int:
    """The rounds of the rows from `first` on that have a multilabel, after examples of weight t.

    Returns the next row. Threads are used by the compiled backend.
    """
    for i, y in enumerate(Y.labels(labels), start=first):
        weight = X.batch.weight(i)
        t += weight
        least_squares_step(rls, c, t, features, labels, X.batch.row(i), y, weight)
        first = i + 1
    return first


def least_squares_answers(rls: LeastSquares, labels: Labels, X: Vectors) -> Mask:
    on = [predicted_nodes(rls, x.ordered(), labels.taxonomy) for x in X]
    return np.array(on, dtype=bool).reshape(len(X), len(labels.taxonomy))
