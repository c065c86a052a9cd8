"""A section of the results: the docstring of a script, its output and its figures.

The output of the script `<name>.py` is kept in `<name>.txt`, its figures in the folder `<name>`.
The first line of the file holds two keys: whether the script and the package have changed since.
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

VERDICT = re.compile(
    r"^(reproduced|not reproduced|undecided|not testable|holds|violated) {2,}", re.MULTILINE
)
LAW = re.compile(r"(Theorem|Corollary|Lemma|Remark) \d")
# What a claim was tested with, where this is a part of its sentence.
VARIANTS = (
    "authors, unseen stories",
    "authors",
    "topics",
    "multinomials",
    "with n JS",
    "with m JS",
    "by node evaluations",
    "by products with stored instances",
    "by processor time",
)
DIFFERS = re.compile(
    r"\n*^(Differs from the paper)\n\n((?:\|.*\n)+)(?:\n(As in the paper: .*\n))?", re.MULTILINE
)
COMMAND = re.compile(r"^(?: {4}.*\n)+", re.MULTILINE)


def package_key() -> str:
    """A hash of the package's sources, in Python and C++."""
    files = sorted(Path(river_hier.__file__).parent.rglob("*"))
    code = [path.read_bytes() for path in files if path.suffix in (".py", ".cpp", ".hpp")]
    return hashlib.sha256(b"\0".join(code)).hexdigest()[:16]


PACKAGE = package_key()  # at the start: edits during a run do not count as having been run


class Section:
    """The section of one script; `results` is the folder that holds its output."""

    def __init__(self, script: Path, results: Path) -> None:
        self.script = script
        self.name = script.stem
        self.text = results / f"{self.name}.txt"
        self.figures = results / self.name
        self.source = script.read_text(encoding="utf-8")

    @property
    def kept(self) -> tuple[str, str]:
        """The keys and the output of the last complete run; empty strings if there is none."""
        if not self.text.exists():
            return "", ""
        keys, _, printed = self.text.read_text(encoding="utf-8").partition("\n\n")
        return keys.removeprefix("key "), printed

    @functools.cached_property
    def key(self) -> str:
        """A hash of the script's code and of the version of the library.

        The docstring is left out, because the page always has the current one, and so is the
        criterion, because the page has its verdicts on the recorded differences. So are the
        arguments, which differ only in the location of the data. The key is computed once, so that
        edits during a run do not count as having been run.
        """
        code = [self.source.split('"""', 2)[-1], river_hier.__version__]
        modules = (path for path in siblings(self.script) if path.stem != "claims")
        code += (module.read_text(encoding="utf-8") for module in modules)
        return hashlib.sha256("\0".join(code).encode()).hexdigest()[:16]

    @property
    def finished(self) -> bool:
        """Whether the script has not changed since, and has a verdict; without data it has none."""
        keys, printed = self.kept
        return keys.split()[:1] == [self.key] and judges(printed)

    @property
    def stale(self) -> str:
        """What has changed since the output was printed; "" if nothing has."""
        if not self.finished:
            return "the script"
        return "" if self.kept[0] == f"{self.key} {PACKAGE}" else "river_hier"

    def store(self, printed: str, drawn: Path) -> None:
        """Keep the output and the figures of a run; the text, written last, marks it complete."""
        self.text.unlink(missing_ok=True)
        shutil.rmtree(self.figures, ignore_errors=True)
        if drawn.is_dir() and any(drawn.iterdir()):
            shutil.copytree(drawn, self.figures)
        self._write(f"{self.key} {PACKAGE}", printed)

    def forget(self) -> None:
        """Keep the section on its page, but mark the script to be run again."""
        if self.text.exists():
            self._write("none", self.kept[1])

    def _write(self, keys: str, printed: str) -> None:
        self.text.parent.mkdir(parents=True, exist_ok=True)
        part = self.text.with_suffix(".part")
        part.write_text(f"key {keys}\n\n{printed}", encoding="utf-8")
        os.replace(part, self.text)  # atomic

    @property
    def paper(self) -> str:
        """The paper that the script belongs to: its name up to the year, such as `dekel_2004`."""
        return re.sub(r"(?<=_\d{4})_.*", "", self.name)

    @property
    def title(self) -> str:
        return self._docstring.splitlines()[0]

    @property
    def anchor(self) -> str:
        """The anchor of the section's heading on its page."""
        return re.sub(r"[^\w\- ]", "", self.title.lower()).replace(" ", "-")

    @property
    def _docstring(self) -> str:
        return ast.get_docstring(ast.parse(self.source)) or self.name

    def markdown(self) -> str:
        """The section as Markdown, for the page of its paper."""
        prose = self._docstring.partition("\n")[2].strip() + "\n"
        prose = COMMAND.sub(lambda found: fenced("sh", dedented(found[0])), prose)
        printed = self.kept[1]
        parts = [
            f"## {self.title}",
            prose.strip(),
            fenced("text", DIFFERS.sub("\n", printed)).strip(),
        ]
        if found := DIFFERS.search(printed):
            parts += [f"**{found[1]}**", *(part.strip() for part in found.groups("")[1:] if part)]
        for figure in sorted(self.figures.glob("*.png")):
            caption = figure.stem.replace("_", " ").capitalize()
            parts.append(f"![{caption}]({self.name}/{figure.name})")
        return "\n\n".join(parts) + "\n"


def siblings(script: Path) -> list[Path]:
    """The modules of the same folder that it imports, directly or indirectly, sorted by name."""
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


class Claim:
    """A claim of the paper, or a theorem: one sentence, judged in one or several variants."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        self.law = bool(LAW.match(sentence))
        self.variants: list[tuple[str, str, str]] = []  # name, verdict, objection

    @property
    def verdict(self) -> str:
        """That of all variants; if they differ, a claim that fails in one is not reproduced."""
        found = {verdict for _, verdict, _ in self.variants}
        return next(v for v in ("not reproduced", "reproduced", "not testable") if v in found)

    @property
    def agrees(self) -> bool:
        """Whether all variants have the same verdict, without an objection."""
        return all(v == self.verdict and not why for _, v, why in self.variants)


def read_claims(printed: str) -> list[Claim]:
    """The claims in the output of a script, each once, with its variants."""
    lines, heading = [], ""
    for paragraph in printed.split("\n\n"):
        if VERDICT.search(paragraph):
            heading = ""
            for line in re.sub(r"\n {16}", " ", paragraph).strip("\n").splitlines():
                if found := VERDICT.match(line):
                    lines.append((heading, found[1], line[found.end() :]))
                else:
                    heading = line  # such as "with noise"
    whole = {text for _, verdict, text in lines if verdict == "reproduced"}
    claims: dict[str, Claim] = {}
    for heading, verdict, text in lines:
        starts = [s for s in whole if text == s or text.startswith(f"{s}: ")]
        said = max(starts, key=len) if starts else text.rpartition(": ")[0] or text
        names = [name for name in VARIANTS if f", {name}" in said]
        sentence = said.replace(f", {names[0]}", "") if names else said
        claim = claims.setdefault(sentence, Claim(sentence))
        name = ", ".join(filter(None, (heading, *names[:1])))
        claim.variants.append((name, verdict, text[len(said) :].removeprefix(": ")))
    return list(claims.values())


def verdicts(printed: str) -> Counter[str]:
    """The number of claims for each verdict, without the theorems."""
    return Counter(claim.verdict for claim in read_claims(printed) if not claim.law)


def judges(printed: str) -> bool:
    """Whether at least one claim could be tested."""
    return not set(VERDICT.findall(printed)) <= {"not testable"}


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def dedented(block: str) -> str:
    return "".join(line.removeprefix("    ") for line in block.splitlines(keepends=True))
