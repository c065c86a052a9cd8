"""The files of the LYRL2004 distribution of RCV1-v2, one reader for each format.

Lines are numbered from 1. Every message starts with the file, and the line where it has one.

"""

from __future__ import annotations

import gzip
import io
import math
import re
import reprlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from ..taxonomy import Taxonomy

__all__ = ["disorder", "documents", "fail", "hierarchy", "topics"]

_EDGE = re.compile(r"parent:\s+(\S+)\s+child:\s+(\S+)\s+child-description:")


def fail(path: Path, line: int, message: str) -> NoReturn:
    """Raise a `ValueError` that says where."""
    raise ValueError(f"{path.name}, line {line}: {message}")


def disorder(document: int, previous: int) -> str:
    """What is wrong with a document that comes after this one."""
    if document == previous:
        return f"document {document} comes twice"
    return f"document {document} comes after {previous}; the lines must be sorted by document"


def hierarchy(path: Path) -> Taxonomy:
    """The taxonomy of `parent: P child: C child-description: ...` lines."""
    edges = []
    for line, text in _lines(path):
        match = _EDGE.match(text)
        if match is None:
            expected = "parent: ... child: ... child-description: ..."
            fail(path, line, f"expected `{expected}`, got {reprlib.repr(text)}")
        if match[1] != "None":  # the parent of the root
            edges.append((match[1], match[2]))
    try:
        return Taxonomy(edges)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def documents(path: Path) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Line, document id and features of `document  term:weight ...` lines."""
    for line, text in _lines(path):
        # One split and one dict, checked as a whole: what is wrong is looked for only if something
        # is. A sum is finite only if its terms are.
        fields = text.replace(":", " ").split()
        try:
            document = int(fields[0])
            x = dict(zip(fields[1::2], map(float, fields[2::2]), strict=True))
            sound = len(x) == text.count(":") and math.isfinite(sum(x.values()))
        except (ValueError, IndexError):
            sound = False
        if not sound:
            fail(path, line, _whats_wrong(text))
        yield line, document, x


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
    path: Path, taxonomy: Taxonomy, kept: Taxonomy
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
    for line, text in _lines(path):
        fields = text.split()
        if len(fields) != 3 or fields[2] != "1" or not fields[1].isdecimal():
            fail(path, line, f"expected `topic document 1`, got {reprlib.repr(text)}")
        if fields[1] != document:
            if document:
                yield number, on
            document, on = fields[1], []
            previous, number = number, int(document)
            if number <= previous:
                fail(path, line, disorder(number, previous))
        try:
            on.append(closures[fields[0]])
        except KeyError:
            _unknown(path, line, fields[0], taxonomy)
    if document:
        yield number, on


def _unknown(path: Path, line: int, topic: str, taxonomy: Taxonomy) -> NoReturn:
    try:
        taxonomy.index(topic)
    except KeyError as error:  # the taxonomy knows how to suggest a label
        fail(path, line, str(error))
    raise AssertionError(topic)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text file, packed or not: its first bytes tell, not its name."""
    with path.open("rb") as raw:
        head = raw.peek(512)[:512]
        packed = head.startswith(b"\x1f\x8b")
        if not packed and (oddity := _oddity(head)):
            raise ValueError(f"{path.name} is {oddity}, expected text, packed with gzip or not")
        text = io.TextIOWrapper(gzip.GzipFile(fileobj=raw) if packed else raw, encoding="ascii")
        line = 0
        try:
            for line, content in enumerate(text, 1):
                yield line, content.rstrip("\n")
        except EOFError:
            raise ValueError(
                f"{path.name} is cut off after line {line}; delete it and download it again"
            ) from None
        except (OSError, zlib.error) as error:
            raise ValueError(f"{path.name} is damaged after line {line}: {error}") from error
        except UnicodeDecodeError as error:
            raise ValueError(f"{path.name} is not text after line {line}: {error}") from error


def _oddity(head: bytes) -> str | None:
    if not head:
        return "empty"
    if head.startswith(b"PK"):
        return "a zip archive"
    if head.lstrip().startswith(b"<"):
        return "a web page"
    return "a binary file" if b"\0" in head else None
