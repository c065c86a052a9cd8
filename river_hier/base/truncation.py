"""Answers that stop early: at a depth, or above what is not likely enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._backend import deepest, subtree_sums
from .._backend.reference.paths import top_down
from ..taxonomy import Label, Taxonomy
from .checks import check_integer, check_probability
from .classifiers import probabilities
from .model import Floats


def truncate_multilabel(
    model: Any,
    taxonomy: Taxonomy,
    x: Mapping[Any, Any],
    threshold: float | None,
    max_depth: int | None,
    kwargs: dict[str, Any],
) -> dict[Label, bool]:
    """The nodes that are likely enough or, without a threshold, on; none of them deeper."""
    check_truncation(threshold, max_depth)
    labels = taxonomy.nodes[1:]
    if threshold is None:
        answer = model.predict_one(x, **kwargs)
        yes = np.array([True, *(answer[label] for label in labels)])
    else:
        likely = model.predict_proba_one(x, **kwargs)
        yes = np.array([True, *(likely[label][True] >= threshold for label in labels)])
    if max_depth is not None:
        yes &= taxonomy.arrays.depth <= max_depth
    on = top_down(yes, taxonomy.arrays)  # a model around a flat one need not be coherent
    return dict(zip(labels, on[1:].tolist(), strict=True))


def truncate_label(
    model: Any,
    taxonomy: Taxonomy,
    x: Mapping[Any, Any],
    threshold: float | None,
    max_depth: int | None,
    kwargs: dict[str, Any],
) -> Label:
    """The deepest node that is likely enough or, without a threshold, the answer; not deeper."""
    check_truncation(threshold, max_depth)
    if threshold is None:
        v = taxonomy.index(model.predict_one(x, **kwargs))
    else:
        below = subtree_probabilities(taxonomy, probabilities(model, x, kwargs))
        v = deepest(below, taxonomy.arrays.depth, float(threshold))
    while max_depth is not None and taxonomy.arrays.depth[v] > max_depth:
        v = taxonomy.parent_indices[v][0]
    return taxonomy.nodes[v]


def subtree_probabilities(taxonomy: Taxonomy, likely: Mapping[Label, float]) -> Floats:
    """Of each node the probability that the label is the node or below it."""
    p = np.zeros(len(taxonomy))
    for label, value in likely.items():
        p[taxonomy.index(label)] = value
    return subtree_sums(p, taxonomy.arrays)


def check_truncation(threshold: Any, max_depth: Any) -> None:
    """The keywords of `predict_one`."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is not None:
        check_integer("max_depth", max_depth, at_least=0)
