"""Sparse documents with several labels, one a line: `12, 45 3:2 7:1`."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterator
from operator import methodcaller

from .complaints import Complaints
from .files import Files, lines

__all__ = ["documents"]


def documents(
    files: Files, name: str, complain: Complaints
) -> Iterator[tuple[int, list[str], dict[str, float]]]:
    """Line, labels and features of `label, label feature:value ...` lines.

    There may be spaces behind the commas, and a first line `Data`. Labels and features are numbers
    in the files and strings here. Where a line is wrong it is complained of and passed over.
    """
    split = methodcaller("split", ":")
    for line, text in lines(files, name, "ascii"):
        head, colon, _ = text.partition(":")
        # The word before the first colon is the first feature's; a document may have none.
        before = head.rpartition(" ")[0] if colon else head
        labels = [label.strip() for label in before.split(",")]
        features = text[len(before) :].split()
        # One dict, checked as a whole: what is wrong is looked for only if something is. A sum is
        # finite only if its terms are.
        try:
            texts: dict[str, str] = dict(map(split, features))  # each must fall into two
            x = dict(zip(texts, map(float, texts.values()), strict=True))
            sound = len(x) == len(features) and math.isfinite(sum(x.values()))
        except ValueError:
            sound = False
        if sound and all(map(str.isdecimal, labels)) and all(map(str.isdecimal, x)):
            yield line, labels, x
        elif line > 1 or text != "Data":
            complain(name, line, _whats_wrong(labels, features))


def _whats_wrong(labels: list[str], features: list[str]) -> str:
    for label in labels:
        if not label.isdecimal():
            return f"expected numbers of categories between commas, got {reprlib.repr(label)}"
    seen = set()
    for text in features:
        feature, _, value = text.partition(":")
        try:
            finite = math.isfinite(float(value))
        except ValueError:
            return f"expected `feature:value`, got {reprlib.repr(text)}"
        if not feature.isdecimal():
            return f"expected the number of a feature, got {reprlib.repr(feature)}"
        if not finite:
            return f"feature {feature!r} is {float(value)}"
        if feature in seen:
            return f"feature {feature!r} comes twice"
        seen.add(feature)
    return "the values are too large to add up"
