"""Priors and conditionals at the door: dicts of counts or probabilities -> joint probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._backend.reference.feature_index import read
from ..losses.costs import is_positive
from .divergence import Joint

# Mapping[Label, float] would refuse a dict[str, float]: the type of the keys is invariant.
Priors = Mapping[Any, float]
Conditionals = Mapping[Any, Mapping[Any, float]]


def read_counts(x: Mapping[Any, Any]) -> NDArray[np.float64]:
    """The values of x, which must be numbers of at least 0."""
    values, _ = read(x)
    if len(values) and values.min() < 0.0:
        name = list(x)[int(values.argmin())]
        raise ValueError(
            f"feature {name!r} is {x[name]!r}; a count must be at least 0, as those of river's "
            "feature_extraction.BagOfWords and preprocessing.MinMaxScaler are"
        )
    return values


def joints(priors: Priors, conditionals: Conditionals) -> list[Joint]:
    """`pi_c p_c` of every class, in the order of the priors; both are normalised here."""
    _check(priors, conditionals)
    whole = float(sum(priors.values()))
    columns: dict[Any, int] = {}
    found: list[tuple[list[int], NDArray[np.float64]]] = []
    for label, prior in priors.items():
        p = conditionals[label]
        try:
            values = read_counts(p)
        except (TypeError, ValueError) as error:  # only now is it worth naming the place
            raise type(error)(f"`conditionals[{label!r}]`: {error}") from None
        if not values.any():
            raise ValueError(f"`conditionals[{label!r}]` has no feature above 0")
        indices = [columns.setdefault(name, len(columns)) for name in p]
        found.append((indices, values * (prior / whole / values.sum())))
    return [Joint.of(_row(indices, values, len(columns))) for indices, values in found]


def _check(priors: Priors, conditionals: Conditionals) -> None:
    for name, given in (("priors", priors), ("conditionals", conditionals)):
        if not isinstance(given, Mapping):
            raise TypeError(f"`{name}` must be a dict by class, got {type(given).__name__}")
    if not priors:
        raise ValueError("`priors` is empty; give at least one class")
    for label, prior in priors.items():
        if not is_positive(prior):
            raise ValueError(f"`priors[{label!r}]` must be positive and finite, got {prior!r}")
        if label not in conditionals:
            raise ValueError(f"class {label!r} has a prior, but is not in `conditionals`")
    for label in conditionals:
        if label not in priors:
            raise ValueError(f"class {label!r} is in `conditionals`, but has no prior")


def _row(indices: list[int], values: NDArray[np.float64], d: int) -> sparse.csr_array:
    held = values > 0.0
    parts = (values[held], np.array(indices)[held], [0, int(held.sum())])
    row = sparse.csr_array(parts, shape=(1, d))
    row.sort_indices()  # sums are faster then
    return row
