"""docs/models.md says where each equation is in the code: is it there?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import river_hier

ROOT = Path(__file__).parent.parent
PACKAGE = Path(river_hier.__file__).parent
FILES = {str(path.relative_to(PACKAGE)): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}


def rows() -> Iterator[tuple[list[str], list[str]]]:
    """Of each row of a table the files and the names of the code that it points to."""
    for line in (ROOT / "docs" / "models.md").read_text("utf-8").splitlines():
        *_, code, _ = line.split("|") if line.count("|") == 3 else ("", "")
        quoted = re.findall(r"`([\w./]+)`", code)
        files = [name for name in quoted if name.endswith(".py")]
        if files:
            yield files, [name for name in quoted if name not in files]


@pytest.mark.parametrize(("files", "names"), list(rows()), ids=str)
def test_what_a_row_points_to_is_there(files: list[str], names: list[str]) -> None:
    found = ""
    for name in files:
        texts = [text for path, text in FILES.items() if f"/{path}".endswith(f"/{name}")]
        assert texts, f"there is no {name}"
        found += "".join(texts)
    for name in names:
        for part in name.split("."):
            there = (PACKAGE / part).is_dir() or re.search(rf"\b{part}\b", found)
            assert there, f"{part} is not in {files}"


def test_there_are_rows() -> None:
    assert len(list(rows())) > 40
