"""The dumps of the Open Directory Project: large files of almost well-formed XML.

They are read line by line: the tags of pages and topics are at the beginning of a line, and their
content is indented. Each page is parsed as XML separately, so a broken page does not affect others.
The parsed text begins with the tag of the page, after which no entity can be declared; this rules
out exponential entity expansion in any version of the XML parser.

"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from ..io.errors import ErrorHandler
from ..io.files import Files, damage, lines
from ..io.levels import check_levels

_ID = re.compile(r"""<Topic\s+r:id=(["'])(.*?)\1""")
_INVALID = "\ufffd"  # replaces bytes that are not UTF-8, here or already in the dump


class Page(NamedTuple):
    """A page of the directory: its first line, its topic, and its unparsed XML."""

    line: int
    topic: str
    xml: str


def topics(files: Files, name: str, report: ErrorHandler) -> Iterator[str]:
    """The topics of a structure file, in the order of the file."""
    for line, text in _lines(files, name):
        if text.startswith("<Topic"):
            if _INVALID in text:
                report(name, line, "the topic is not UTF-8")
            elif _checked(topic := _topic(text), name, line, report):
                yield topic


def pages(files: Files, name: str, report: ErrorHandler) -> Iterator[Page]:
    """The pages of a content file.

    The topic of a page is the one it names or, as in dumps made before June 2003, the preceding
    one. Pages without an end tag or a topic, with a topic of too many levels, and pages that are
    not UTF-8, are reported.
    """
    begun, page, topic = 0, list[str](), ""
    for line, text in _lines(files, name):
        if page:
            page.append(text)
        if text.startswith("  "):  # most lines are inside a page or a topic
            continue
        if page and text.startswith("</ExternalPage>"):
            xml, page = "\n".join(page), []
            named = html.unescape(xml.partition("<topic>")[2].partition("</topic>")[0])
            if _INVALID in xml:
                report(name, begun, "the page is not UTF-8")
            elif of := named.strip() or topic:
                if _checked(of, name, begun, report):
                    yield Page(begun, of, xml)
            else:
                report(name, begun, "the page has no topic")
        elif text.startswith(("<ExternalPage", "<Topic", "</RDF")):
            if page:
                report(name, begun, "the page does not end, expected a line </ExternalPage>")
            begun, page = line, [text] if text.startswith("<ExternalPage") else []
            if text.startswith("<Topic"):
                topic = "" if _INVALID in text else _topic(text)


def content(page: Page, name: str, report: ErrorHandler) -> dict[str, str] | None:
    """Title, description and URL of a page. None if it is not XML, which is reported."""
    found: dict[str, str] = {}
    text: list[str] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        text.clear()
        if tag == "ExternalPage":
            found["url"] = attributes.get("about", "")

    def end(tag: str) -> None:
        found.setdefault(tag, "".join(text))

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.CharacterDataHandler = text.append
    parser.EndElementHandler = end
    try:
        parser.Parse(page.xml, True)
    except expat.ExpatError as error:
        report(name, page.line + error.lineno - 1, expat.ErrorString(error.code))
        return None
    if not found.get("url"):
        report(name, page.line, "the page has no address")
        return None
    return {
        "title": found.get("d:Title", ""),
        "body": found.get("d:Description", ""),
        "url": found["url"],
    }


def _topic(text: str) -> str:
    """The topic of a line `<Topic r:id=...>`; the root of the directory has an empty name."""
    found = _ID.match(text)
    return html.unescape(found[2]) if found else ""


def _checked(topic: str, name: str, line: int, report: ErrorHandler) -> bool:
    """Whether a topic has few enough levels; if not, it is reported."""
    try:
        check_levels(topic.count("/") + 1)
    except ValueError as error:
        report(name, line, str(error))
        return False
    return True


def _lines(files: Files, name: str) -> Iterator[tuple[int, str]]:
    """The lines of the file, which must end with `</RDF>`: otherwise it is truncated."""
    line, last = 0, ""
    for line, text in lines(files, name, errors="replace"):
        yield line, text
        last = text or last
    if last.strip() != "</RDF>":
        raise damage(name, line, EOFError())
