"""The files of the LYRL2004 distribution of RCV1-v2.

Broken records are reported; a broken line of the hierarchy always raises, since without it the
taxonomy would be a different one.

"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterator

from ..._core import read_pairs
from ...taxonomy import Taxonomy
from ...taxonomy.errors import UnknownLabelError
from ..io.errors import ErrorHandler
from ..io.files import Files, lines

MOST_DIGITS = 18  # of a document id; int() refuses thousands

_EDGE = re.compile(r"parent:\s+(\S+)\s+child:\s+(\S+)\s+child-description:")


def disorder(document: int, previous: int) -> str:
    """The message for a document that does not come after the previous one."""
    if document == previous:
        return f"document {document} comes twice"
    return f"document {document} comes after {previous}; the lines must be sorted by document"


def hierarchy(files: Files, name: str) -> Taxonomy:
    """The taxonomy of `parent: P child: C child-description: ...` lines."""
    edges = []
    for line, text in lines(files, name, "ascii"):
        match = _EDGE.match(text)
        if match is None:
            expected = "parent: ... child: ... child-description: ..."
            raise ValueError(
                f"{name}, line {line}: expected `{expected}`, got {reprlib.repr(text)}"
            )
        if match[1] != "None":  # which is written for the parent of the root
            edges.append((match[1], match[2]))
    try:
        return Taxonomy(edges)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def documents(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Line number, document id and features of each `document  term:weight ...` line."""
    for line, text in lines(files, name, "ascii"):
        # Search for the error only if there is one.
        number, *pairs = text.split(maxsplit=1) or [""]
        x = read_pairs(pairs[0] if pairs else "") if _is_id(number) else None
        if x is not None:
            yield line, int(number), x
        else:
            report(name, line, _error(text))


def _is_id(document: str) -> bool:
    return document.isdecimal() and len(document) <= MOST_DIGITS


def _error(text: str) -> str:
    document, *features = text.split() or [""]
    if not _is_id(document):
        return f"expected a document id, got {reprlib.repr(document)}"
    terms = set()
    for feature in features:
        term, colon, weight = feature.partition(":")
        try:
            value = float(weight)
        except ValueError:
            colon = ""
        if not colon or not term:
            return f"expected `term:weight`, got {reprlib.repr(feature)}"
        if not math.isfinite(value):
            return f"feature {term!r} is {value}"
        if term in terms:
            return f"feature {term!r} comes twice"
        terms.add(term)
    return "the weights are too large to add up"


def topics(
    files: Files, name: str, taxonomy: Taxonomy, kept: Taxonomy, report: ErrorHandler
) -> Iterator[tuple[int, list[dict[str, bool]]]]:
    """Each document of `topic document 1` lines, with the labels that each topic sets to True.

    These are the topic and its ancestors, without the root and without topics that are not in
    `kept`.
    """
    closures = {
        topic: {str(t): True for t in taxonomy.closure([topic]) if t in kept and t != kept.root}
        for topic in taxonomy
    }
    document, on = "", list[dict[str, bool]]()
    number = -1
    for line, text in lines(files, name, "ascii"):
        fields = text.split()
        if len(fields) != 3 or fields[2] != "1" or not _is_id(fields[1]):
            report(name, line, f"expected `topic document 1`, got {reprlib.repr(text)}")
            continue
        if fields[1] != document:
            if int(fields[1]) <= number:
                report(name, line, disorder(int(fields[1]), number))
                continue
            if on:  # the topics of a document are unknown if all of them were broken
                yield number, on
            document, on = fields[1], []
            number = int(document)
        closure = closures.get(fields[0])
        if closure is None:
            report(name, line, str(UnknownLabelError(fields[0], taxonomy)))
        else:
            on.append(closure)
    if on:
        yield number, on
