"""Errors: unknown labels, nodes with several parents, and values in messages."""

import difflib
from collections.abc import Hashable, Iterable
from numbers import Integral
from typing import Any

# Beyond this many nodes, looking for a similar label takes longer than a tenth of a second.
_SUGGEST_UP_TO = 2_000
_MOST = 120  # characters of a value


class UnknownLabelError(KeyError, ValueError):
    """A label is not in the taxonomy.

    It is both a `KeyError` (a look-up failed) and a `ValueError` (an argument is wrong). Models
    with an `OpenTaxonomy` learn new labels; `Taxonomy.nearest` finds the known ancestor of a path.

    Examples
    --------
    >>> from river_hier import Taxonomy

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "fox")])
    >>> try:
    ...     t.depth("wolff")
    ... except UnknownLabelError as error:
    ...     print(error)
    label 'wolff' is not in the taxonomy (3 nodes); did you mean 'wolf'?
    """

    def __init__(self, label: object, labels: Iterable[Hashable] = ()):
        known = tuple(labels)
        super().__init__(label)
        self.message: str = f"label {short(label)} is not in the taxonomy ({len(known)} nodes)"
        if is_missing(label):
            self.message = f"label {label!r} is a missing value; leave out examples without a label"
        elif guess := _similar(label, known):
            self.message += f"; did you mean {guess}?"
        elif isinstance(label, Integral) and all(isinstance(v, str) for v in known):
            self.message += f"; labels are names such as {short(known[-1])}: {label!r} is a code"
        else:
            self.message += "; a model with an `OpenTaxonomy` learns new labels"

    def __str__(self) -> str:  # KeyError would print the message between quotes
        return self.message


def _similar(label: object, known: tuple[Hashable, ...]) -> str | None:
    if len(known) > _SUGGEST_UP_TO:
        return None
    by_text = {str(other).casefold(): other for other in reversed(known)}
    close = difflib.get_close_matches(str(label).casefold(), by_text, n=1)
    return repr(by_text[close[0]]) if close else None


def short(value: object) -> str:
    """The repr of a value; only its beginning and its end if it is long."""
    text = repr(value)
    return text if len(text) <= _MOST else f"{text[: _MOST // 2]} ... {text[-_MOST // 4 :]}"


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or the NA of pandas."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas is not imported to know its NA
        return type(value).__name__ == "NAType"
