"""The files of Reuters-21578: stories in Lewis's SGML, and the list of their categories.

The markup is so regular that it can be read line by line, without an SGML parser. A story is
identified by its first line. Broken stories are reported; a broken list of categories raises, since
without the line the taxonomy would be a different one.

"""

from __future__ import annotations

import contextlib
import datetime
import html
import re
import reprlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...taxonomy import Taxonomy
from ..io.errors import ErrorHandler
from ..io.files import Files, lines

_OPENING = re.compile(
    r'<REUTERS TOPICS="(?P<TOPICS>YES|NO|BYPASS)" LEWISSPLIT="(?P<LEWISSPLIT>TRAIN|TEST|NOT-USED)" '
    r'CGISPLIT="(?P<CGISPLIT>TRAINING-SET|PUBLISHED-TESTSET)"[^<>]*>\s*'
)
_DATE = re.compile(r"\s*(\d{1,2})-([A-Z]{3})-(\d{4})\s")  # garbage may follow the time
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# Other ampersands are literal, even if HTML would read a name after them.
_REFERENCE = re.compile(r"&(?:lt|gt|amp|#\d+);")

_HEADING = re.compile(r"(\*\*|\*\*\*\*)(\w.*\S) \((\d+)\)\s*")
_CATEGORY = re.compile(r"(?:.*\(([A-Z-]+)\)|([A-Z-]+))\s*")


class Story(NamedTuple):
    """A story.

    Attributes
    ----------
    line
        The number of its first line.
    marks
        The attributes that define the splits: `TOPICS`, `LEWISSPLIT` and `CGISPLIT`.
    topics
        Its topics, in the order of the file.
    x
        Its `date`, `title` and `body`.

    """

    line: int
    marks: dict[str, str]
    topics: list[str]
    x: dict[str, Any]


def stories(files: Files, name: str, report: ErrorHandler) -> Iterator[Story]:
    """The stories of a `reut2-*.sgm` file."""
    for line, marks, content in _elements(files, name, report):
        try:
            topics = _topics(_between(content, "<TOPICS>", "</TOPICS>"))
            x = {"date": _date(_between(content, "<DATE>", "</DATE>")), **_texts(content)}
        except ValueError as error:
            report(name, line, str(error))
        else:
            yield Story(line, marks, topics, x)


def categories(files: Files, name: str) -> Taxonomy:
    """The taxonomy of the topics, the first section of `cat-descriptions_120396.txt`.

    `****Subject Codes (135)` is the root and `**Energy Codes (9)` a group; topics are lines such as
    `Crude Oil (CRUDE)` or `GOLD`, and a few come before the first group.
    """
    edges: list[tuple[str, str]] = []
    expected: dict[str, int] = {}  # the number of topics below each heading
    root = group = ""
    for line, text in lines(files, name, "latin-1"):
        if heading := _HEADING.fullmatch(text):
            group = heading[2]
            expected[group] = int(heading[3])
            if root:
                edges.append((root, group))
            root = root or group
        elif root and text.startswith("___"):
            break
        elif root and text.strip():
            category = _CATEGORY.fullmatch(text)
            if category is None:
                expectation = "expected a category such as `Crude Oil (CRUDE)`"
                raise ValueError(f"{name}, line {line}: {expectation}, got {reprlib.repr(text)}")
            edges.append((group, (category[1] or category[2]).lower()))
    try:
        taxonomy = Taxonomy(edges)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    for group, n in expected.items():
        found = sum(label not in expected for label in taxonomy.descendants(group))
        if found != n:
            raise ValueError(f"{name}: {group!r} has {found} topics, expected {n}; get it again")
    return taxonomy


def _elements(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[int, dict[str, str], str]]:
    """First line, attributes and content of each `<REUTERS>` element."""
    begun = line = 0
    opening, content = None, list[str]()
    for line, text in lines(files, name, "latin-1"):
        if text.startswith("<REUTERS"):
            if begun:
                report(name, begun, "the story has no </REUTERS>")
            begun, opening, content = line, _OPENING.fullmatch(text), []
            if opening is None:
                marks = "TOPICS=... LEWISSPLIT=... CGISPLIT=..."
                report(name, line, f"expected <REUTERS {marks}>, got {reprlib.repr(text)}")
        elif begun and text.startswith("</REUTERS>"):
            if opening is not None:
                yield begun, opening.groupdict(), "\n".join(content)
            begun = 0
        elif begun:
            content.append(text)
        elif text.strip() and not text.startswith("<!DOCTYPE"):
            report(name, line, f"expected <REUTERS ...>, got {reprlib.repr(text)}")
    if begun:
        raise ValueError(f"{name} is cut off after line {line:,}; delete it and get it again")


def _texts(content: str) -> dict[str, str]:
    # A brief has a title only; an unprocessed story is body only.
    if '<TEXT TYPE="BRIEF">' in content:
        return {"title": _plain(_between(content, "<TITLE>", "</TITLE>")), "body": ""}
    if (unstructured := '<TEXT TYPE="UNPROC">') in content:
        return {"title": "", "body": _plain(_between(content, unstructured, "</TEXT>"))}
    return {
        "title": _plain(_between(content, "<TITLE>", "</TITLE>")),
        "body": _plain(_between(content, "<BODY>", "</BODY>")),
    }


def _topics(text: str) -> list[str]:
    topics = []
    for tagged in text.split("<D>")[1:]:
        topic, ended, _ = tagged.partition("</D>")
        if not ended:
            raise ValueError("the story has a <D> without </D>")
        topics.append(topic)
    return topics


def _between(content: str, start: str, end: str) -> str:
    _, found, rest = content.partition(start)
    text, ended, _ = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"the story has no {start}...{end}")
    return text


def _plain(text: str) -> str:
    """Replace character references, and strip control characters."""
    return _REFERENCE.sub(lambda reference: html.unescape(reference[0]), text).strip()


def _date(text: str) -> datetime.date:
    if match := _DATE.match(text):
        with contextlib.suppress(ValueError):  # there is no such month, or no such day in it
            return datetime.date(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]))
    raise ValueError(f"expected a date such as 26-FEB-1987, got {reprlib.repr(text)}")
