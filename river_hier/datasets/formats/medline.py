"""OHSUMED's records of MEDLINE references, in the format of the SMART system:

    .I 1
    .U
    87049087
    .M
    Allied Health Personnel/*; Ventricular Fibrillation/*TH.

A record begins with its number. The other tags are on lines of their own, followed by their
content: `.U` is the identifier, `.S` the source, `.M` the headings, `.T` the title, `.P` the type
of publication, `.W` the abstract and `.A` the authors. A record need not have all of them.

"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator

from ..io.errors import ErrorHandler
from ..io.files import Files, lines

_BEGINNING = re.compile(r"\.I(\s.*)?")
_NUMBERED = re.compile(r"\.I\s+\d+")
_TAG = re.compile(r"\.[A-Z]")
_FIELDS = (".U", ".S", ".M", ".T", ".P", ".W", ".A")


def records(files: Files, name: str, report: ErrorHandler) -> Iterator[dict[str, str]]:
    """The records, as `{tag: text}`."""
    record: dict[str, list[str]] | None = None
    field: list[str] | None = None
    for line, content in lines(files, name):
        text = content.strip()
        if _BEGINNING.fullmatch(text):
            if not _NUMBERED.fullmatch(text):
                report(name, line, f"expected `.I number`, got {reprlib.repr(text)}")
            if record:
                yield _joined(record)
            record, field = {}, None
        elif record is None:
            report(name, line, f"expected `.I number`, got {reprlib.repr(text)}")
        elif _TAG.fullmatch(text):
            field = []
            if text in record:
                report(name, line, f"{text} comes twice in a record")
            elif text not in _FIELDS:
                report(name, line, f"expected one of {' '.join(_FIELDS)}, got {text!r}")
            else:
                record[text] = field
        elif field is None:
            report(name, line, f"expected one of {' '.join(_FIELDS)}, got {reprlib.repr(text)}")
        else:
            field.append(text)
    if record:
        yield _joined(record)


def _joined(record: dict[str, list[str]]) -> dict[str, str]:
    return {tag: " ".join(field).strip() for tag, field in record.items()}


def headings(text: str) -> list[str]:
    """The distinct headings of `Heading/*QUALIFIER/QUALIFIER; Heading.`, without qualifiers."""
    parts = text.removesuffix(".").split(";")
    found = (part.partition("/")[0].strip(" *") for part in parts)
    return [heading for heading in dict.fromkeys(found) if heading]
