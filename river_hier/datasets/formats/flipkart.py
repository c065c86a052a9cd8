"""Tables of products: a title, and a category path as in `["Clothing >> Men's Clothing"]`."""

from __future__ import annotations

import csv
import json
import reprlib
from collections.abc import Iterator

from ..io.errors import ErrorHandler
from ..io.files import Files, lines
from ..io.levels import check_levels

TITLE, CATEGORY = "product_name", "product_category_tree"
SEPARATOR = " >> "


def products(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Title and category path of each product."""
    rows = csv.reader((f"{text}\n" for _, text in lines(files, name)), strict=True)
    try:
        header = next(rows, [])
        if missing := [column for column in (TITLE, CATEGORY) if column not in header]:
            raise ValueError(
                f"{name}: expected the columns {TITLE!r} and {CATEGORY!r}, but "
                f"{', '.join(missing)} is missing from {reprlib.repr(header)}"
            )
        at_title, at_category = header.index(TITLE), header.index(CATEGORY)
        for row in rows:
            if len(row) != len(header):
                report(name, rows.line_num, f"expected {len(header)} columns, got {len(row)}")
            elif not row[at_title].strip():
                report(name, rows.line_num, "the title is empty")
            else:
                try:
                    path = _path(row[at_category])
                except ValueError as error:
                    report(name, rows.line_num, str(error))
                else:
                    yield row[at_title].strip(), path
    except csv.Error as error:
        raise ValueError(f"{name} is damaged after line {rows.line_num:,}: {error}") from error


def _path(text: str) -> tuple[str, ...]:
    """The names on the path; a ValueError if one of them is empty, or if there are too many."""
    try:
        (path,) = json.JSONDecoder().decode(text)
        names = tuple(part.strip() for part in path.split(SEPARATOR.strip()))
    except (ValueError, TypeError, AttributeError, RecursionError):
        names = ("",)
    if not all(names):
        raise ValueError(f'expected a path like ["A >> B"], got {reprlib.repr(text)}')
    check_levels(len(names))
    return names
