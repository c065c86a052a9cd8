"""The files of WIPO-alpha: patent applications in XML, one a file.

The names of elements and attributes are taken from programs that read the collection:
`<ipcs mc=...>` holds the primary symbol and an `<ipc ic=...>` for each secondary one; the texts
`<ti>`, `<ab>`, `<cl>` and `<txt>` follow, each with an `xml:lang`. The readers report a broken
record and return None.

"""

from __future__ import annotations

import html.entities
import re
import reprlib
from typing import Protocol
from xml.parsers import expat

from ..io.errors import ErrorHandler
from ..io.files import Files

_SYMBOL = re.compile(r"([A-H])(\d\d)([A-Z])(\d{3})\d*")  # A01B00100 is A01B 1/00
_TEXTS = {"ti": "title", "ab": "body", "cl": "claims", "txt": "description"}
_CHUNK = 1 << 14  # bytes; the first chunk usually holds the symbols


def classification(
    files: Files, name: str, report: ErrorHandler
) -> list[tuple[str, str, str, str]] | None:
    """Section, class, subclass and main group of each symbol, the primary one first.

    The file is read only as far as the symbols.
    """
    symbols = _Symbols()
    if not _parse(files, name, report, symbols):
        return None
    if not symbols.paths:
        report(name, 1, "the record has no <ipcs mc=...>")
        return None
    return symbols.paths


def texts(files: Files, name: str, report: ErrorHandler) -> dict[str, str] | None:
    """The English `title`, `body` (abstract), `claims` and `description`; "" if missing."""
    pieces = _Texts()
    if not _parse(files, name, report, pieces):
        return None
    return {key: "".join(found).strip() for key, found in pieces.found.items()}


class _Listener(Protocol):
    """Receives the events of the parser until `enough` is true."""

    enough: bool

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def text(self, text: str) -> None: ...


class _Symbols:
    def __init__(self) -> None:
        self.enough = False
        self.paths: list[tuple[str, str, str, str]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.enough:
            return
        if tag == "ipcs":
            self.paths.append(_path(attributes.get("mc", "")))
        elif tag == "ipc" and self.paths:
            self.paths.append(_path(attributes.get("ic", "")))

    def end(self, tag: str) -> None:
        self.enough = self.enough or tag == "ipcs"

    def text(self, text: str) -> None:
        """Ignored: symbols are in attributes."""


class _Texts:
    enough = False

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {key: [] for key in _TEXTS.values()}
        self._open: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _TEXTS and attributes.get("xml:lang", "EN").upper() == "EN":
            self._open = self.found[_TEXTS[tag]]

    def end(self, tag: str) -> None:
        if tag in _TEXTS:
            self.text("\n")
            self._open = None

    def text(self, text: str) -> None:
        if self._open is not None:
            self._open.append(text)


def _parse(files: Files, name: str, report: ErrorHandler, listener: _Listener) -> bool:
    """Whether the file is well-formed, as far as the listener reads it."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = listener.start
    parser.EndElementHandler = listener.end
    parser.CharacterDataHandler = listener.text
    # The DTD of the records is not read; it is assumed to define the usual characters.
    parser.SkippedEntityHandler = lambda entity, _: listener.text(_character(entity))
    # Expat limits entity expansion since version 2.4; here no entity is allowed at all.
    parser.EntityDeclHandler = _refuse
    with files.open(name) as raw:
        try:
            while not listener.enough and (chunk := raw.read(_CHUNK)):
                parser.Parse(chunk, False)
            if not listener.enough:
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            report(name, error.lineno, f"broken XML, {expat.ErrorString(error.code)}")
        except (ValueError, LookupError) as error:  # raised here, or an unknown encoding
            report(name, parser.CurrentLineNumber, str(error))
        else:
            return True
    return False


def _path(symbol: str) -> tuple[str, str, str, str]:
    match = _SYMBOL.fullmatch(symbol.strip())
    if match is None:
        raise ValueError(f"expected a symbol such as A01B00100, got {reprlib.repr(symbol)}")
    section, number, letter, group = match.groups()
    subclass = f"{section}{number}{letter}"
    return section, section + number, subclass, f"{subclass} {int(group)}/00"


def _character(entity: str) -> str:
    try:
        return html.entities.html5[f"{entity};"]
    except KeyError:
        raise ValueError(f"no character is named &{entity};") from None


def _refuse(entity: str, *_: object) -> None:
    raise ValueError(f"the record declares the entity &{entity};, expected none")
