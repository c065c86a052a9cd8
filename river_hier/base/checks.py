"""Checks of constructor arguments."""

import math
import numbers
from typing import Any

from ..taxonomy import Evidence
from ..taxonomy.errors import short

# The range of intercepts, in which their squares neither underflow nor overflow.
SMALLEST, LARGEST = 1e-6, 1e6


def number(value: Any) -> float:
    """A number as a float; nan for anything else, and for an int that is larger than any float."""
    try:
        real = type(value) is float or isinstance(value, numbers.Real)  # the latter is slow
        return float(value) if real else math.nan
    except OverflowError:
        return math.nan


def check(fine: bool, name: str, value: Any, wanted: str) -> None:
    """Raise an error unless the value of a parameter is fine."""
    if not fine:
        text = ", a text: give a number" * isinstance(value, str)
        raise ValueError(f"`{name}` must be {wanted}, got {short(value)}{text}")


def check_positive(name: str, value: Any) -> None:
    """Raise an error unless a parameter is a positive, finite number."""
    check(0.0 < number(value) < math.inf, name, value, "positive")


def check_cap(name: str, value: Any) -> None:
    """Raise an error unless a cap is a positive number; infinity means no cap."""
    check(number(value) > 0.0, name, value, "positive, or math.inf for no cap")


def check_integer(name: str, value: Any, at_least: int) -> None:
    """Raise an error unless a parameter is an integer of at least this size."""
    if type(value) is not int and (
        isinstance(value, bool) or not isinstance(value, numbers.Integral)
    ):
        raise TypeError(f"`{name}` must be an integer, got {short(value)}")
    if value < at_least:
        raise ValueError(f"`{name}` must be at least {at_least}, got {value}")


def check_probability(name: str, value: Any) -> None:
    """Raise an error unless a parameter is a probability."""
    check(0.0 <= number(value) <= 1.0, name, value, "between 0 and 1")


def check_forgetting(value: Any) -> None:
    """Raise an error unless a parameter is a forgetting factor, above 0 and at most 1."""
    fine = not isinstance(value, bool) and 0.0 < number(value) <= 1.0
    check(fine, "forgetting", value, "above 0 and at most 1, where nothing is forgotten")


def check_power_of_two(name: str, value: Any) -> None:
    """Raise an error unless the size of a hash table is a power of 2."""
    check_integer(name, value, 2)
    if int(value) & (int(value) - 1) or value > 2**31:
        raise ValueError(f"`{name}` must be a power of 2 up to 2**31, e.g. 2**18, got {value}")


def check_intercept(value: Any) -> None:
    """Raise an error unless an intercept is 0 or in the range of valid values."""
    fine = number(value) == 0.0 or SMALLEST <= number(value) <= LARGEST
    wanted = f"0, for none, or between {SMALLEST} and {LARGEST:.0e}"
    check(fine, "intercept", value, wanted)


def check_whole(model: Any, y: Any) -> None:
    """Raise an error if y is known only in part."""
    if isinstance(y, Evidence):
        raise TypeError(
            f"{type(model).__name__} learns whole labels only, got {short(y)}; leave the example "
            "out, or use e.g. linear_model.PathSoftmax or, for several labels, HAROW"
        ) from None


def check_single_label(model: Any, y: Any) -> None:
    """Raise an error that names multilabel learners if a refused y is a multilabel."""
    check_whole(model, y)
    if isinstance(y, set | frozenset | list | dict):
        raise TypeError(
            f"y is {short(y)}, and {type(model).__name__} learns one label of each example; "
            "several labels are learned by linear_model.HAROW or HPerceptron, or by local.PerNode "
            "with any classifier of River"
        ) from None


def check_answer(
    model: Any, method: str, what: str, answer: Any, given: Any, of: str = "nodes"
) -> None:
    """Raise an error unless a rule of one's own has returned as many as it was given."""
    if answer.shape != given.shape:
        raise ValueError(
            f"`{method}` of {type(model).__name__} must return {what} for each of the "
            f"{given.size} {of} that it is given, got an array of shape {answer.shape}"
        )


LARGEST_WEIGHT = 1e12  # limit of the weight of an example


def checked_weight(w: Any) -> float:
    """The weight of an example as a float; an error if it is negative, nan or too large."""
    weight = number(w)
    if not 0.0 <= weight <= LARGEST_WEIGHT:
        raise ValueError(
            f"`w`, the weight of the example, must be between 0 and {LARGEST_WEIGHT:.0e}, got "
            f"{short(w)}"
        )
    return weight
