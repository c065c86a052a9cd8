"""Costs of nodes, `{label: cost}`: the costs of the H-loss and the volumes of other losses."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..base.checks import number
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import spelled

# Mapping[Label, float] would not accept a dict[str, float]: the key type is invariant.
Costs = Mapping[Any, float]
V = TypeVar("V")


def by_node(taxonomy: Taxonomy, costs: Costs | None, name: str) -> Callable[[int], float]:
    """A function from the index of a node to its cost, 1 by default, which is checked when used."""
    if costs is None:
        return lambda v: 1.0
    _check_mapping(costs, name)
    costs = known(taxonomy, costs)

    def cost(v: int) -> float:
        label = taxonomy._arrays.label(v)
        value = costs.get(label, 1.0)
        _check_value(label, value, name)
        return float(value)

    return cost


def known(taxonomy: Taxonomy, values: Mapping[Any, V]) -> Mapping[Any, V]:
    """The same mapping with its labels as in the taxonomy; unknown labels raise an error."""
    by_label = spelled(taxonomy, values)
    if by_label is not values:  # there is a path, or an unknown label
        for label in by_label:
            taxonomy.index(label)
    return by_label


def check(taxonomy: Taxonomy, costs: Costs | None, name: str) -> None:
    """Raise unless all labels are in the taxonomy and all values positive and finite."""
    check_values(costs, name)
    known(taxonomy, costs or {})


def check_values(costs: Costs | None, name: str) -> None:
    """Raise unless all values are positive and finite; labels may be added to a taxonomy later."""
    if costs is not None:
        _check_mapping(costs, name)
        for label, value in costs.items():
            _check_value(label, value, name)


def check_factors(missed: Any, spurious: Any) -> None:
    """Raise unless the weights of both errors are finite and at least 0, which ignores an error."""
    for name, value in (("missed", missed), ("spurious", spurious)):
        if isinstance(value, bool) or not 0.0 <= number(value) < math.inf:
            raise ValueError(f"`{name}` must be a finite number of at least 0, got {value!r}")


def is_positive(value: Any) -> bool:
    """Whether the value is a positive, finite number."""
    return not isinstance(value, bool) and 0.0 < number(value) < math.inf


def _check_mapping(costs: object, name: str) -> None:
    if not isinstance(costs, Mapping):
        raise TypeError(f"`{name}` must be {{label: number}}, got {type(costs).__name__}")


def _check_value(label: object, value: Any, name: str) -> None:
    if not is_positive(value):
        raise ValueError(f"`{name}[{label!r}]` must be a positive finite number, got {value!r}")
