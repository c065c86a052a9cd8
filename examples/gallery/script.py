"""A script of the gallery: its docstring, and its cells of text and code."""

from __future__ import annotations

import ast
import re
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple


class Cell(NamedTuple):
    """A cell: text, then code; `line` is the first line of the code, counted from 1."""

    prose: str
    code: str
    line: int


class Script:
    """A Python file: a docstring that asks a question, and cells that begin with `# %%`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        self.source = path.read_text(encoding="utf-8")
        docstring = ast.get_docstring(ast.parse(self.source, str(path))) or self.name
        self.title, _, prose = docstring.partition("\n")
        self.prose = prose.strip()

    @property
    def recorded(self) -> Path | None:
        """The folder of the recorded run if the script needs data that are not in the package."""
        needs_data = "RIVER_HIER_DATA" in self.source
        return self.path.parent / "gallery" / "recorded" / self.name if needs_data else None

    @property
    def teaser(self) -> str:
        """The first sentence after the title."""
        return re.split(r"(?<=[.?!])\s", self.prose, maxsplit=1)[0].replace("\n", " ")

    @property
    def cells(self) -> list[Cell]:
        lines = self.source.splitlines()
        starts = [i for i, line in enumerate(lines, start=1) if line == "# %%"]
        ends = [start - 1 for start in starts[1:]] + [len(lines)]
        return [_cell(lines[start:end], start) for start, end in zip(starts, ends, strict=True)]


def _cell(lines: list[str], before: int) -> Cell:
    comment = list(takewhile(lambda line: line.startswith("#"), lines))
    prose = "\n".join(line.removeprefix("#").removeprefix(" ") for line in comment)
    code = "\n".join(lines[len(comment) :]).rstrip()
    return Cell(prose, code, before + len(comment) + 1)
