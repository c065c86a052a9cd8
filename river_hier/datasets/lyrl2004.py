"""The files of the LYRL2004 distribution of RCV1-v2, one reader for each format.

Lines are numbered from 1. Where something is wrong a reader complains and, should that return, goes
on behind it; a taxonomy without one of its lines would be another one, so that there it raises.

"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterator

from ..taxonomy import Taxonomy
from ..taxonomy.errors import UnknownLabelError
from .complaints import Complaints
from .files import Files, lines

__all__ = ["disorder", "documents", "hierarchy", "topics"]

_EDGE = re.compile(r"parent:\s+(\S+)\s+child:\s+(\S+)\s+child-description:")


def disorder(document: int, previous: int) -> str:
    """What is wrong with a document that comes after this one."""
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
        if match[1] != "None":  # the parent of the root
            edges.append((match[1], match[2]))
    try:
        return Taxonomy(edges)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def documents(
    files: Files, name: str, complain: Complaints
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Line, document id and features of `document  term:weight ...` lines."""
    for line, text in lines(files, name, "ascii"):
        # One split and one dict, checked as a whole: what is wrong is looked for only if something
        # is. A sum is finite only if its terms are.
        fields = text.replace(":", " ").split()
        try:
            document = int(fields[0])
            x = dict(zip(fields[1::2], map(float, fields[2::2]), strict=True))
            sound = len(x) == text.count(":") and math.isfinite(sum(x.values()))
        except (ValueError, IndexError):
            sound = False
        if sound:
            yield line, document, x
        else:
            complain(name, line, _whats_wrong(text))


def _whats_wrong(text: str) -> str:
    document, *features = text.split() or [""]
    if not document.isdecimal():
        return f"expected a document id, got {reprlib.repr(document)}"
    terms = set()
    for feature in features:
        term, colon, weight = feature.partition(":")
        try:
            value = float(weight)
        except ValueError:
            colon = ""
        if not colon:
            return f"expected `term:weight`, got {reprlib.repr(feature)}"
        if not math.isfinite(value):
            return f"feature {term!r} is {value}"
        if term in terms:
            return f"feature {term!r} comes twice"
        terms.add(term)
    return "the weights are too large to add up"


def topics(
    files: Files, name: str, taxonomy: Taxonomy, kept: Taxonomy, complain: Complaints
) -> Iterator[tuple[int, list[dict[str, bool]]]]:
    """Each document of `topic document 1` lines with what its topics switch on.

    A topic switches on itself and its ancestors, as far as they are kept; the root, which is always
    on, is left out.
    """
    closures = {
        topic: {str(t): True for t in taxonomy.closure([topic]) if t in kept and t != kept.root}
        for topic in taxonomy
    }
    document, on = "", list[dict[str, bool]]()
    number = -1
    for line, text in lines(files, name, "ascii"):
        fields = text.split()
        if len(fields) != 3 or fields[2] != "1" or not fields[1].isdecimal():
            complain(name, line, f"expected `topic document 1`, got {reprlib.repr(text)}")
            continue
        if fields[1] != document:
            if int(fields[1]) <= number:
                complain(name, line, disorder(int(fields[1]), number))
                continue
            if on:  # nobody knows what a document is about of whose topics none was sound
                yield number, on
            document, on = fields[1], []
            number = int(document)
        closure = closures.get(fields[0])
        if closure is None:
            complain(name, line, str(UnknownLabelError(fields[0], taxonomy)))
        else:
            on.append(closure)
    if on:
        yield number, on
