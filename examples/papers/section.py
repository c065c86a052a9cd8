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
from typing import NamedTuple

from claims import VERDICTS, overall, verdict
from decided import DECIDED
from package_key import package_key, sources

import river_hier

WORDS = (*VERDICTS, "holds", "violated")
VERDICT = re.compile(rf"^({'|'.join(WORDS)}) {{2,}}", re.MULTILINE)
DIFFERENCE = r"[^:;]+ [+-][\d.e+-]+ \((?:[\d.e+-]+|inf)\)"
COMPARED = re.compile(rf"(.*): ({DIFFERENCE}(?:; {DIFFERENCE})*)")
MEASURED = re.compile(r"differences in the paper's favour \(standard errors over (.*)\)")
DIFFERS = re.compile(
    r"\n*^(Differs from the paper)\n\n((?:\|.*\n)+)(?:\n(As in the paper: .*\n))?", re.MULTILINE
)
COMMAND = re.compile(r"^(?: {4}.*\n)+", re.MULTILINE)


class Section:
    """The section of one script; `recorded` is the folder that holds its output."""

    def __init__(self, script: Path, recorded: Path) -> None:
        self.script = script
        self.name = script.stem
        self.text = recorded / f"{self.name}.txt"
        self.figures = recorded / self.name
        self.source = script.read_text(encoding="utf-8")
        self.package = package_key(script)

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
        beside = (p for p in sources(self.script) if p.parent == self.script.parent)
        modules = (p for p in beside if p != self.script and p.stem != "claims")
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
        return "" if self.kept[0] == f"{self.key} {self.package}" else "river_hier"

    def store(self, printed: str, drawn: Path) -> None:
        """Keep the output and the figures of a run; the text, written last, marks it complete."""
        self.text.unlink(missing_ok=True)
        shutil.rmtree(self.figures, ignore_errors=True)
        if drawn.is_dir() and any(drawn.iterdir()):
            shutil.copytree(drawn, self.figures)
        self._write(f"{self.key} {self.package}", printed)

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

    def markdown(self, figures: str) -> str:
        """The section as Markdown, for the page of its paper; `figures` is the folder of them."""
        prose = self._docstring.partition("\n")[2].strip() + "\n"
        prose = COMMAND.sub(lambda found: fenced("sh", dedented(found[0])), prose)
        printed = self.kept[1]
        tables = [p for p in DIFFERS.sub("\n", printed).split("\n\n") if not VERDICT.search(p)]
        parts = [
            f"## {self.title}",
            prose.strip(),
            fenced("text", "\n\n".join(tables)).strip(),
            *(table for law in (False, True) if (table := self._claims(law))),
        ]
        if found := DIFFERS.search(printed):
            parts += [f"**{found[1]}**", *(part.strip() for part in found.groups("")[1:] if part)]
        for figure in sorted(self.figures.glob("*.png")):
            caption = figure.stem.replace("_", " ").capitalize()
            parts.append(f"![{caption}]({figures}{self.name}/{figure.name})")
        return "\n\n".join(parts) + "\n"

    def claims(self) -> list[Claim]:
        return read_claims(self.kept[1])

    def reason(self, claim: Claim) -> tuple[str, str]:
        """Who decides a claim that is not reproduced or undecided, and how that was found out."""
        return DECIDED.get(self.name, {}).get(claim.sentence, ("", ""))

    def _claims(self, law: bool) -> str:
        """A table of the claims or of the laws; "" if there are none."""
        found = [claim for claim in self.claims() if claim.law == law]
        if not found:
            return ""
        if law:
            return table(
                ["theorem or bound", ""], [[c.sentence + c.where, c.verdict] for c in found]
            )
        pairs = list(dict.fromkeys(t.pairs for c in found for t in c.tests if t.pairs))
        said = "Differences are in the paper's favour, with standard errors over"
        start = f"{said} {pairs[0]}.\n\n" if len(pairs) == 1 else ""
        rows = []
        for claim in found:
            text = "; ".join(
                f"*{test.setting}*: {test.text}" if len(claim.tests) > 1 else test.text
                for test in claim.tests
            )
            if len(pairs) > 1 and claim.tests[0].pairs:
                text += f", over {claim.tests[0].pairs}"
            decider, how = self.reason(claim)
            text += f". **{decider}**: {how}" if how else ""
            rows.append([claim.sentence, claim.verdict.replace(" ", "&nbsp;"), text])
        return start + table(["claim", "", "difference (standard error)"], rows)


class Test(NamedTuple):
    """The verdict in one setting, such as "with noise"."""

    setting: str
    verdict: str
    text: str  # differences; an objection; what is missing
    pairs: str  # what the differences were measured on


class Claim:
    """A claim of the paper, or a law: one sentence, tested in one or several settings."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        self.tests: list[Test] = []

    @property
    def law(self) -> bool:
        return self.tests[0].verdict in ("holds", "violated")

    @property
    def where(self) -> str:
        """The settings of a law, if there are several, and objections."""
        settings = f" (*{'; '.join(t.setting for t in self.tests)}*)" * (len(self.tests) > 1)
        return settings + "".join(f": {test.text}" for test in self.tests if test.text)

    @property
    def verdict(self) -> str:
        """That of all settings; undecided if only some reproduce the claim."""
        found = {test.verdict for test in self.tests}
        if len(found) == 1:
            return found.pop()
        if self.law:
            return "violated"
        return "undecided" if "reproduced" in found else overall(found)


def read_claims(printed: str) -> list[Claim]:
    """The claims in the output of a script, each once, with its settings.

    Verdicts on differences are computed from these, so that a change of the criterion needs no run.
    """
    claims: dict[str, Claim] = {}
    for paragraph in printed.split("\n\n"):
        setting = pairs = ""
        if not VERDICT.search(paragraph):
            continue
        for line in re.sub(r"\n {16}", " ", paragraph).strip("\n").splitlines():
            if not (found := VERDICT.match(line)):
                if measured := MEASURED.fullmatch(line):
                    pairs = measured[1]
                else:
                    setting = line
                continue
            word, sentence, text = found[1], line[found.end() :], ""
            if compared := COMPARED.fullmatch(sentence):
                sentence, text = compared.groups()
                word = overall(map(judged, text.split("; ")))
            elif word in ("violated", "not testable"):
                sentence, _, text = sentence.rpartition(": ")
            test = Test(setting, word, text, pairs if compared else "")
            claims.setdefault(sentence, Claim(sentence)).tests.append(test)
    return list(claims.values())


def judged(difference: str) -> str:
    """The verdict on a printed difference."""
    _, mean, error = difference.rsplit(" ", 2)
    return verdict(float(mean), float(error.strip("()")))


def verdicts(printed: str) -> Counter[str]:
    """The number of claims for each verdict, without the laws."""
    return Counter(claim.verdict for claim in read_claims(printed) if not claim.law)


def judges(printed: str) -> bool:
    """Whether at least one claim could be tested."""
    return not set(VERDICT.findall(printed)) <= {"not testable"}


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head)]
    lines += ([cell.replace("|", r"\|") for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def dedented(block: str) -> str:
    return "".join(line.removeprefix("    ") for line in block.splitlines(keepends=True))
