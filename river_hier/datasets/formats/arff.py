"""Hierarchical ARFF, the format of Clus.

It is Weka's format with an additional attribute type, `hierarchical`, for the labels. An error in
the header raises, since the rows cannot be read without it; an error in a row is reported.

"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ...taxonomy import Taxonomy
from ..io.errors import ErrorHandler
from ..io.levels import check_levels

MISSING = "?"
ROOT = "root"
NUMERIC = ("numeric", "real", "integer")

# Possessive quantifiers: no malicious file can cause catastrophic backtracking.
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_NAME = re.compile(rf"@attribute\s++({_QUOTED}|\S++)\s++(.++)", re.IGNORECASE)
_UNUSUAL = re.compile(r"""[?{'"]""")
_PART = re.compile(rf"""((?:[^,'"]++|{_QUOTED})*+)(,|\Z)""")

Lines = Iterator[tuple[int, str]]
Row = tuple[dict[str, float | str], str]  # features and labels


class Attribute(NamedTuple):
    """A column: its name, its type, and the values of a nominal one."""

    name: str
    type: str
    values: tuple[str, ...] = ()

    def read(self, text: str) -> float | str:
        """Parse a value that is not missing."""
        if self.type == "numeric":
            try:
                value = float(text)
            except ValueError:
                raise ValueError(f"feature {self.name!r} is {reprlib.repr(text)}") from None
            if not math.isfinite(value):
                raise ValueError(f"feature {self.name!r} is {value}")
            return value
        if self.type == "nominal" and text not in self.values:
            raise ValueError(
                f"feature {self.name!r} is {reprlib.repr(text)}, expected one of "
                f"{reprlib.repr(self.values)}"
            )
        return text


class Header(NamedTuple):
    """The attributes, the index of the one with the labels, and the taxonomy of the labels.

    `renamed` maps the columns, counted from 0, that repeat a name to this name.
    """

    attributes: tuple[Attribute, ...]
    labels_at: int
    taxonomy: Taxonomy
    renamed: dict[int, str]


def header(numbered: Lines, name: str) -> Header:
    """Read the header, up to and including the `@data` line."""
    attributes: list[Attribute] = []
    taxonomies: dict[int, Taxonomy] = {}
    for line, text in _without_comments(numbered):
        keyword = text.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            break
        try:
            if keyword == "@attribute":
                attribute = _attribute(text)
                if attribute.type == "hierarchical":
                    taxonomies[len(attributes)] = _taxonomy(attribute.values)
                    attribute = Attribute(attribute.name, attribute.type)
                attributes.append(attribute)
            elif keyword != "@relation":
                expected = "@relation, @attribute or @data"
                raise ValueError(f"expected {expected}, got {reprlib.repr(text)}")
        except ValueError as error:
            raise ValueError(f"{name}, line {line:,}: {error}") from error
    else:
        raise ValueError(f"{name} ends before @data")
    if len(taxonomies) != 1:
        raise ValueError(f"{name} has {len(taxonomies)} hierarchical attributes, expected one")
    ((at, taxonomy),) = taxonomies.items()
    distinct = _distinct(attributes)
    pairs = enumerate(zip(attributes, distinct, strict=True))
    renamed = {i: given.name for i, (given, now) in pairs if given is not now}
    return Header(distinct, at, taxonomy, renamed)


def _distinct(attributes: list[Attribute]) -> tuple[Attribute, ...]:
    """The attributes; `a`, `a`, `a` are renamed to `a`, `a.1`, `a.2`, or the next that is free."""
    taken = {attribute.name for attribute in attributes}
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    distinct = []
    for attribute in attributes:
        name = attribute.name
        if name in seen:
            while name in taken:
                numbers[attribute.name] = numbers.get(attribute.name, 0) + 1
                name = f"{attribute.name}.{numbers[attribute.name]}"
            taken.add(name)
            attribute = attribute._replace(name=name)
        seen.add(name)
        distinct.append(attribute)
    return tuple(distinct)


def rows(
    numbered: Lines, name: str, head: Header, report: ErrorHandler
) -> Iterator[tuple[int, dict[str, float | str], list[str]]]:
    """Line number, features and labels of each row."""
    features = head.attributes[: head.labels_at] + head.attributes[head.labels_at + 1 :]
    names = [a.name for a in features] if {a.type for a in features} == {"numeric"} else None
    for line, text in _without_comments(numbered):
        try:
            found = names and _numbers(text, names, head.labels_at)  # None unless it is simple
            x, labels = found or _values(text, head)
        except ValueError as error:
            report(name, line, str(error))
        else:
            yield line, x, [label.strip() for label in labels.split("@")]


def _numbers(text: str, names: list[str], labels_at: int) -> Row | None:
    """The features and labels of a row of finite numbers, fast; None for any other row."""
    values = text.split(",")
    if len(values) != len(names) + 1 or _UNUSUAL.search(text):
        return None
    labels = values.pop(labels_at).strip()
    try:
        numbers = [*map(float, values)]
    except ValueError:
        return None
    return (dict(zip(names, numbers, strict=True)), labels) if math.isfinite(sum(numbers)) else None


def _values(text: str, head: Header) -> Row:
    """The features and labels of any row."""
    values = _sparse(text, head) if text.startswith("{") else _dense(text, head)
    labels = values.pop(head.labels_at, MISSING)
    if labels == MISSING:
        raise ValueError("expected labels joined by @, got none")
    attributes = ((head.attributes[at], value) for at, value in values.items())
    return {attribute.name: attribute.read(value) for attribute, value in attributes}, labels


def _without_comments(numbered: Lines) -> Lines:
    """The lines that are neither blank nor comments."""
    for line, text in numbered:
        text = text.strip()
        if text and not text.startswith("%"):
            yield line, text


def _attribute(text: str) -> Attribute:
    match = _NAME.fullmatch(text)
    if match is None:
        raise ValueError(f"expected `@attribute name type`, got {reprlib.repr(text)}")
    name, type_ = _unquoted(match[1]), match[2].strip()
    keyword, *rest = type_.split(maxsplit=1)
    if keyword.lower() in NUMERIC and not rest:
        return Attribute(name, "numeric")
    if keyword.lower() == "string" and not rest:
        return Attribute(name, "string")
    if keyword.lower() == "hierarchical" and rest:
        return Attribute(name, "hierarchical", tuple(_split(rest[0])))
    if type_.startswith("{") and type_.endswith("}"):
        return Attribute(name, "nominal", tuple(_split(type_[1:-1])))
    raise ValueError(
        f"attribute {name!r} has type {reprlib.repr(type_)}, expected numeric, string, "
        "{value, ...} or hierarchical with its classes"
    )


def _taxonomy(classes: tuple[str, ...]) -> Taxonomy:
    """A tree if the classes are paths; a DAG if they are pairs of a parent and a child."""
    pairs = any(c.startswith(f"{ROOT}/") for c in classes)
    edges = []
    for c in classes:
        steps = c.split("/")
        if not all(steps) or (pairs and len(steps) != 2):
            expected = "`parent/child`" if pairs else "a path such as `a/b`"
            raise ValueError(f"class {reprlib.repr(c)}: expected {expected}")
        check_levels(len(steps))
        if pairs:
            edges.append((steps[0], steps[1]))
        else:  # a label is its path; ancestors that the file leaves out are added
            paths = [ROOT, *("/".join(steps[:depth]) for depth in range(1, len(steps) + 1))]
            edges += pairwise(paths)
    return Taxonomy(edges)


def _dense(text: str, head: Header) -> dict[int, str]:
    """The values that are not missing, by column."""
    values = _split(text)
    if len(values) != len(head.attributes):
        raise ValueError(f"expected {len(head.attributes):,} values, got {len(values):,}")
    return {at: value for at, value in enumerate(values) if value != MISSING}


def _sparse(text: str, head: Header) -> dict[int, str]:
    """The values that are not missing and not 0; a nominal 0 is the first value of its type."""
    if not text.endswith("}"):
        raise ValueError("expected } at the end")
    values = {at: a.values[0] for at, a in enumerate(head.attributes) if a.type == "nominal"}
    seen = set()
    for entry in _split(text[1:-1]) if text[1:-1].strip() else ():
        number, *value = entry.split(maxsplit=1) or [""]
        if not value or not number.isdecimal():
            raise ValueError(f"expected `number value`, got {reprlib.repr(entry)}")
        at = int(number) - 1
        if not 0 <= at < len(head.attributes):
            raise ValueError(
                f"there is no attribute {number}, expected 1 to {len(head.attributes):,}"
            )
        if at in seen:
            raise ValueError(f"attribute {number} comes twice")
        seen.add(at)
        values[at] = _unquoted(value[0])
    return {at: value for at, value in values.items() if value != MISSING}


def _split(text: str) -> list[str]:
    """Split at the commas outside quotes."""
    if "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",")]
    parts, at, comma = [], 0, ","
    while comma:
        match = _PART.match(text, at)
        if match is None:
            raise ValueError(f"a quote is not closed in {reprlib.repr(text[at:])}")
        parts.append(_unquoted(match[1].strip()))
        at, comma = match.end(), match[2]
    return parts


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
