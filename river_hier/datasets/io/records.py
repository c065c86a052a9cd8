"""Records of files: what happens to broken ones; their labels and their features."""

from __future__ import annotations

import contextlib
import functools
import math
import reprlib
from collections.abc import Iterable, Iterator

from ...taxonomy import Taxonomy

KEPT = 10  # messages; a broken file of several gigabytes must not fill memory with them

# Labels that are whole paths take memory that grows with the square of the depth: without a limit,
# a line of 30 kilobytes would fill a gigabyte.
MOST_LEVELS = 100  # those of the public collections have at most 15


class ErrorHandler:
    """Called by a reader for each broken record, with the file, the line and a message.

    With `on_error="raise"` the call raises a `ValueError`. With `on_error="skip"` it counts the
    error and returns; the reader then continues with the next record. `n` is the number of errors,
    and `first` has the first ten messages.
    """

    def __init__(self, on_error: str = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"`on_error` must be 'raise' or 'skip', got {on_error!r}")
        self.on_error = on_error
        self.n: int = 0
        self.first: list[str] = []

    def __call__(self, file: str, line: int, message: str) -> None:
        error = error_at(file, line, message)
        if self.on_error == "raise":
            raise error
        self.n += 1
        if len(self.first) < KEPT:
            self.first.append(str(error))


def error_at(file: str, line: int, message: str) -> ValueError:
    """The error to raise for a line without which the taxonomy would be a different one."""
    return ValueError(f"{file}, line {line:,}: {message}")


@contextlib.contextmanager
def named(file: str) -> Iterator[None]:
    """Put the name of the file in front of a `ValueError`."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


def check_levels(n: int) -> None:
    """Raise a ValueError if a path has more than `MOST_LEVELS` names."""
    if n > MOST_LEVELS:
        raise ValueError(f"expected a path of at most {MOST_LEVELS} levels, got {n:,}")


class Multilabels:
    """Makes the multilabel `{label: bool}` of the labels of a record, to which ancestors are added.

    A label that is not in the taxonomy raises an `UnknownLabelError`. With `kept`, a part of the
    taxonomy, the multilabels have its labels only.
    """

    def __init__(self, taxonomy: Taxonomy, kept: Taxonomy | None = None) -> None:
        self._taxonomy = taxonomy
        self._all_off = dict.fromkeys(map(str, (kept or taxonomy).nodes[1:]), False)
        # A limit, as the closures of all labels of a large DAG would fill memory.
        self._closure = functools.lru_cache(10_000)(self._find_closure)

    def _find_closure(self, label: str) -> dict[str, bool]:
        above = map(str, self._taxonomy.closure([label]))
        return {node: True for node in above if node in self._all_off}

    def __call__(self, labels: Iterable[str]) -> dict[str, bool]:
        y = self._all_off.copy()
        for label in labels:
            y |= self._closure(label)
        return y


def pair_error(pairs: str, form: str, what: str, key: str = "") -> str:
    """Say why `read_pairs` refuses a text of pairs; `key` says what a number before a colon is."""
    seen = set()
    for pair in pairs.split():
        name, _, value = pair.partition(":")
        try:
            finite = math.isfinite(float(value))
        except ValueError:
            return f"expected `{form}`, got {reprlib.repr(pair)}"
        if key and not name.isdecimal():
            return f"expected {key}, got {reprlib.repr(name)}"
        if not name:
            return f"expected `{form}`, got {reprlib.repr(pair)}"
        if not finite:
            return f"feature {name!r} is {float(value)}"
        if name in seen:
            return f"feature {name!r} comes twice"
        seen.add(name)
    return f"the {what} are too large to add up"
