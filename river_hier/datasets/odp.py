"""The dumps of the Open Directory Project: gigabytes of regular lines that are nearly XML.

Lines are read one by one: pages and topics begin and end at the beginning of a line, what is inside
is indented. Each page is parsed as XML by itself, so that a broken one spoils no other. What is
parsed begins with the page's tag, behind which no entity can be declared: whatever the version of
the XML parser, none can grow into gigabytes.

"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from .complaints import Complaints
from .files import Files, damage, lines

__all__ = ["Page", "content", "pages", "topics"]

_ID = re.compile(r"""<Topic\s+r:id=(["'])(.*?)\1""")
_INVALID = "\ufffd"  # stands where bytes are not UTF-8, here or already where the dump was made


class Page(NamedTuple):
    """A page that the directory lists: where, under which topic, and what of it is still XML."""

    line: int
    topic: str
    xml: str


def topics(files: Files, name: str, complain: Complaints) -> Iterator[str]:
    """The topics of a structure file, in its order."""
    for line, text in _lines(files, name):
        if text.startswith("<Topic"):
            if _INVALID in text:
                complain(name, line, "the topic is not UTF-8")
            else:
                yield _topic(text)


def pages(files: Files, name: str, complain: Complaints) -> Iterator[Page]:
    """The pages of a content file.

    The topic of a page is the one it names or, as in dumps made before June 2003, the one it
    follows. Of pages that do not end, are not UTF-8 or have no topic it is complained.
    """
    begun, page, topic = 0, list[str](), ""
    for line, text in _lines(files, name):
        if page:
            page.append(text)
        if text.startswith("  "):  # inside of a page or a topic, as most lines are
            continue
        if page and text.startswith("</ExternalPage>"):
            xml, page = "\n".join(page), []
            named = html.unescape(xml.partition("<topic>")[2].partition("</topic>")[0])
            if _INVALID in xml:
                complain(name, begun, "the page is not UTF-8")
            elif of := named.strip() or topic:
                yield Page(begun, of, xml)
            else:
                complain(name, begun, "the page has no topic")
        elif text.startswith(("<ExternalPage", "<Topic", "</RDF")):
            if page:
                complain(name, begun, "the page does not end, expected a line </ExternalPage>")
            begun, page = line, [text] if text.startswith("<ExternalPage") else []
            if text.startswith("<Topic"):
                topic = "" if _INVALID in text else _topic(text)


def content(page: Page, name: str, complain: Complaints) -> dict[str, str] | None:
    """Title, description and address of a page; of what is no XML it is complained."""
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
        complain(name, page.line + error.lineno - 1, expat.ErrorString(error.code))
        return None
    if not found.get("url"):
        complain(name, page.line, "the page has no address")
        return None
    return {
        "title": found.get("d:Title", ""),
        "body": found.get("d:Description", ""),
        "url": found["url"],
    }


def _topic(text: str) -> str:
    """The topic that a line begins; the directory's top has an empty name."""
    found = _ID.match(text)
    return html.unescape(found[2]) if found else ""


def _lines(files: Files, name: str) -> Iterator[tuple[int, str]]:
    """The lines, to the one that says that none is missing."""
    line, last = 0, ""
    for line, text in lines(files, name, errors="replace"):
        yield line, text
        last = text or last
    if last.strip() != "</RDF>":
        raise damage(name, line, EOFError())
