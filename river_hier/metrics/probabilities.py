"""The label model: the probability of each node, given that its parent is on."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import labels_of
from ..taxonomy import Label, Taxonomy


def conditional(taxonomy: Taxonomy, probabilities: Mapping[Any, float]) -> Callable[[Label], float]:
    """A function from a label to P(V_i = 1 | parent on), for trees only.

    A probability is checked when it is used, since most expected losses use few of them.
    """
    if not isinstance(probabilities, Mapping):
        raise TypeError(
            "`probabilities` must be {label: probability that it is on if its parent is}, "
            f"got {type(probabilities).__name__}"
        )
    if len(taxonomy._arrays.parent_index) >= len(taxonomy):  # more edges than a tree has
        for label in taxonomy:
            taxonomy.parent(label)  # raises at a node with several parents

    def p(label: Label) -> float:
        try:
            value = probabilities[label]
        except KeyError:
            raise ValueError(
                f"label {label!r} has no probability; `probabilities` must hold every label "
                "but the root"
            ) from None
        if not isinstance(value, numbers.Real) or not 0.0 <= value <= 1.0:
            raise ValueError(f"`probabilities[{label!r}]` must be in [0, 1], got {value!r}")
        return float(value)

    return p


def read_marginals(taxonomy: Taxonomy, y_pred: Any) -> NDArray[np.float64]:
    """The probabilities `{label: P(on)}` of a prediction, by node; nan for nodes without one."""
    p = np.full(len(taxonomy), np.nan)
    if y_pred is None:
        return p
    if not isinstance(y_pred, Mapping):
        raise TypeError(
            f"probabilities must be {{label: p}}, got {type(y_pred).__name__}; "
            "evaluate.Probabilities(model) predicts those of multilabels"
        )
    found = labels_of(taxonomy).numbers(y_pred)
    if found is not None and not ((found < 0.0) | (found > 1.0)).any():
        return found
    for label, value in y_pred.items():
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not is_number or not 0.0 <= float(value) <= 1.0:
            raise ValueError(
                f"the probability of {label!r} is {value!r}, not a number between 0 and 1; does "
                "the model return probabilities? evaluate.Probabilities(model) does"
            )
        p[taxonomy.index(label)] = value
    return p
