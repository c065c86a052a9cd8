"""Parameters of label rankers: attributes and candidates, translated from labels to arrays."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import Ranking, closure_of, closure_sums
from ..base.answer import Unseen
from ..base.checks import number
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates, candidate_nodes

# The t_v of all nodes, or {label: t_v}; `Any`, as the key type of a mapping is invariant.
Attributes = float | Mapping[Any, float]


def ranking_of(
    taxonomy: Taxonomy, t: Attributes, candidates: Candidates | None, unseen: Unseen = frozenset()
) -> Ranking:
    """The ranking by these attributes of these candidates; an error if any is invalid.

    Unseen nodes are not ranked; `None` stands for the leaves of the taxonomy without them.
    """
    values = np.ones(len(taxonomy))
    if isinstance(t, Mapping):
        for label, value in t.items():
            values[taxonomy.index(label)] = _attribute(f"t[{label!r}]", value)
    else:
        values[:] = _attribute("t", t)
    arrays = taxonomy._arrays
    ranked = np.zeros(len(taxonomy), dtype=bool)
    if candidates is None:
        ranked[1:] = True
        ranked[list(unseen)] = False
        learned = np.repeat(ranked, np.diff(arrays.parent_ptr))  # for each edge, its child
        ranked[arrays.parent_index[learned]] = False
    else:
        ranked[candidate_nodes(taxonomy, candidates)] = True
        ranked[list(unseen)] = False
    return Ranking(arrays, values, np.flatnonzero(ranked))


def unit_norm(taxonomy: Taxonomy, ranking: Ranking) -> Ranking:
    """Attributes with which those of each candidate have norm 1, the root's left out.

    They are divided by the largest norm of a candidate's attributes; then each candidate's own
    attribute is enlarged until their norm is 1. With t = 1 in a tree these are 1 / sqrt(D) and, for
    a candidate of depth d, sqrt(1 - (d - 1) / D), where D is the largest depth.
    """
    squares = ranking.t**2
    squares[0] = 0.0  # the root's attribute is in the score of every label
    norms2 = closure_sums(squares, ranking.taxonomy)[ranking.candidates]
    squares /= norms2.max(initial=0.0) or 1.0
    own = ranking.candidates
    is_candidate = np.zeros(len(squares), dtype=bool)
    is_candidate[own] = True
    for y in own:
        above = [int(v) for v in closure_of(y, ranking.taxonomy) if is_candidate[v] and v != y]
        if above:
            names = taxonomy.nodes[above[0]], taxonomy.nodes[y]
            raise ValueError(
                f"with `unit_norm` no candidate may be above another, but {names[0]!r} is above "
                f"{names[1]!r}; leave `candidates` out to rank the leaves, to which "
                "`taxonomy.MiscLeaves` adds one for each inner node"
            )
    above2 = closure_sums(squares, ranking.taxonomy)[own] - squares[own]
    squares[own] = (1.0 - above2).clip(0.0)
    return ranking._replace(t=np.sqrt(squares))


def _attribute(name: str, value: Any) -> float:
    if isinstance(value, bool) or not 0.0 <= number(value) < math.inf:
        raise ValueError(f"`{name}` must be a finite number of at least 0, got {value!r}")
    return float(value)
