"""A section of docs/results.md: what a script says of itself, has printed and has drawn.

The text that a script printed is kept in `<name>.txt`, beside the folder `<name>` with its figures.
Its first line is a key, which tells whether the text is that of the script as it is now.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import river_hier

VERDICT = re.compile(r"^(reproduced|not reproduced|not testable) {2,}", re.MULTILINE)
COMMAND = re.compile(r"^(?: {4}.*\n)+", re.MULTILINE)


class Section:
    """The section that a script makes; `results` is the folder where it is kept."""

    def __init__(self, script: Path, results: Path) -> None:
        self.script = script
        self.name = script.stem
        self.text = results / f"{self.name}.txt"
        self.figures = results / self.name
        self.source = script.read_text(encoding="utf-8")

    @property
    def kept(self) -> tuple[str, str]:
        """The key of a run that came to its end, and what it printed; nothing if none did."""
        if not self.text.exists():
            return "", ""
        key, _, printed = self.text.read_text(encoding="utf-8").partition("\n\n")
        return key.removeprefix("key "), printed

    @functools.cached_property
    def key(self) -> str:
        """What a run depends on, as far as it can be told: the code, and the library's version.

        Not the docstring, which is put into the page as it is now. Not the arguments: they are the
        same at every run, but for where the data lie, which does not matter. Not every line of the
        library: what it finds may not change within a version, as the tests make sure, which run
        the scripts and compare. Taken once: what is edited during a run is not what has run.
        """
        code = [self.source.split('"""', 2)[-1], river_hier.__version__]
        code += (module.read_text(encoding="utf-8") for module in siblings(self.script))
        return hashlib.sha256("\0".join(code).encode()).hexdigest()[:16]

    @property
    def finished(self) -> bool:
        """Whether there is nothing to do; where data were missing they may be there now."""
        key, printed = self.kept
        return key == self.key and judges(printed)

    def store(self, printed: str, drawn: Path) -> None:
        """Keep what a run has made. The text comes last: where it is, everything is."""
        self.text.unlink(missing_ok=True)
        shutil.rmtree(self.figures, ignore_errors=True)
        if drawn.is_dir() and any(drawn.iterdir()):
            shutil.copytree(drawn, self.figures)
        self._write(self.key, printed)

    def forget(self) -> None:
        """Keep it on the page, but run the script again, even if this run is interrupted."""
        if self.text.exists():
            self._write("none", self.kept[1])

    def _write(self, key: str, printed: str) -> None:
        self.text.parent.mkdir(parents=True, exist_ok=True)
        part = self.text.with_suffix(".part")
        part.write_text(f"key {key}\n\n{printed}", encoding="utf-8")
        os.replace(part, self.text)  # all of it or nothing

    @property
    def title(self) -> str:
        return self._docstring.splitlines()[0]

    @property
    def _docstring(self) -> str:
        return ast.get_docstring(ast.parse(self.source)) or self.name

    def markdown(self) -> str:
        """The section as it stands on the page."""
        prose = self._docstring.partition("\n")[2].strip() + "\n"
        prose = COMMAND.sub(lambda found: fenced("sh", dedented(found[0])), prose)
        parts = [f"## {self.title}", prose.strip(), fenced("text", self.kept[1]).strip()]
        for figure in sorted(self.figures.glob("*.png")):
            caption = figure.stem.replace("_", " ").capitalize()
            parts.append(f"![{caption}]({self.text.parent.name}/{self.name}/{figure.name})")
        return "\n\n".join(parts) + "\n"


def siblings(script: Path) -> list[Path]:
    """The modules of the same folder that it imports, directly or not, in the order of names."""
    found: set[Path] = set()
    new = {script}
    while new:
        found |= new
        imported = {name for path in new for name in imports(path)}
        new = {p for name in imported if (p := script.parent / f"{name}.py").exists()} - found
    return sorted(found - {script})


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def verdicts(printed: str) -> Counter[str]:
    """How many claims came out how."""
    return Counter(VERDICT.findall(printed))


def judges(printed: str) -> bool:
    """Whether there was anything to judge a claim by."""
    return not verdicts(printed).keys() <= {"not testable"}


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def dedented(block: str) -> str:
    return "".join(line.removeprefix("    ") for line in block.splitlines(keepends=True))
