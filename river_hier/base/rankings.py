"""Parameters of label rankers: attributes and candidates, translated from labels to arrays."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._backend import Ranking, closures
from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates, candidate_nodes

# The t_v of all nodes, or {label: t_v}; `Any`, as the key type of a mapping is invariant.
Attributes = float | Mapping[Any, float]


def ranking_of(taxonomy: Taxonomy, t: Attributes, candidates: Candidates | None) -> Ranking:
    """The ranking by these attributes of these candidates; an error if any is invalid."""
    values = np.ones(len(taxonomy))
    if isinstance(t, Mapping):
        for label, value in t.items():
            values[taxonomy.index(label)] = _attribute(f"t[{label!r}]", value)
    else:
        values[:] = _attribute("t", t)
    nodes = np.array(candidate_nodes(taxonomy, candidates), dtype=np.intp)
    return Ranking(closures(taxonomy.arrays), values, nodes)


def _attribute(name: str, value: Any) -> float:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not 0.0 <= float(value) < math.inf:
        raise ValueError(f"`{name}` must be a finite number of at least 0, got {value!r}")
    return float(value)
