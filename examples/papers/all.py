"""Run the papers' scripts and write docs/results.md and docs/results/*.md from their output.

    python examples/papers/all.py --data FOLDER

FOLDER holds the data, in the subfolders that the scripts name. Output and figures are kept in
docs/results; without --fresh, a script is run again only if it has changed. An interrupted run
therefore continues where it stopped; only the script that was running starts over. If a script
fails or its data are missing, its old section stays. Sections that were made with other sources of
river_hier are listed at the end, or by --stale, and stay: tests compare the digits of some.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from section import Claim, Section, judges, read_claims, verdicts
from tqdm import tqdm

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
VERDICTS = ("reproduced", "not reproduced", "not testable")
INTRODUCTION = """\
These pages compare the experiments of the five papers with those of this library. Each claim of a
paper is either **reproduced**; **not reproduced**, with the result found instead; or **not
testable**, with the reason. A claim is counted once. If it was tested in several ways, these stand
beside it, or below it if they differ; it is reproduced only if all tests agree. Theorems and bounds
are laws, which hold or are violated, and not experiments; they are not counted among the claims and
have a [table of their own](#theorems-and-bounds). Each paper has a page with its tables and
figures, the published numbers in columns named "paper", and a table of the differences between its
experiments and these.

The pages are generated. Each section consists of the docstring, the output and the figures of a
script in `examples/papers`. One command runs all scripts and writes the pages; without `--fresh` it
runs only scripts that have changed since, and `--stale` lists the sections that were made with
another version of a script or of the package:

```sh
python examples/papers/all.py --data FOLDER --fresh
```

`FOLDER` holds the data, each collection in the subfolder that its section names. The results below
come from free samples, which are smaller than the papers' collections. The sample of RCV1 is also
shuffled. The official files are in chronological order, so the results on them will differ.

[What the papers leave open](papers/open_questions.md) is listed on a page of its own, with what the
library offers for each question.
"""


def sections() -> list[Section]:
    """One for each script of the folder, sorted by year and name; modules are skipped."""
    made = [Section(path, DOCS / "results") for path in HERE.glob("*.py") if path.name != "all.py"]
    scripts = [one for one in made if '__name__ == "__main__"' in one.source]
    return sorted(scripts, key=lambda one: (re.findall(r"\d{4}", one.name), one.name))


# %% The pages
def by_paper(made: list[Section]) -> dict[str, list[Section]]:
    """The sections of each paper that have output."""
    papers: dict[str, list[Section]] = {}
    for one in made:
        if one.text.exists():
            papers.setdefault(one.paper, []).append(one)
    return papers


def heading(paper: str) -> str:
    """The heading of the page that explains the paper, or the name of its scripts."""
    page = DOCS / "papers" / f"{paper}.md"
    return page.read_text("utf-8").splitlines()[0].lstrip("# ") if page.exists() else paper


def summary(made: list[Section]) -> str:
    """The number of claims for each verdict, and of theorems."""
    found = sum((verdicts(one.kept[1]) for one in made), Counter())
    good, bad, lacking = (found[verdict] for verdict in VERDICTS)
    text = f"**{good} of {found.total()} claims are reproduced.** Of the other {bad + lacking},"
    text = f"{text} {lacking} cannot be tested for lack of data, and {bad} failed the test."
    if tested := [c for one in made for c in read_claims(one.kept[1]) if c.law]:
        held = sum(law.verdict == "reproduced" for law in tested)
        text += f" {held} of {len(tested)} theorems and bounds hold wherever they were tested."
    return text + "\n"


def counts(made: list[Section], folder: str) -> str:
    """A table with the number of claims for each section and verdict."""
    table = [f"| | {' | '.join(VERDICTS)} |", "|---|" + "---:|" * len(VERDICTS)]
    for one in made:
        if not (found := verdicts(one.kept[1])):
            continue  # theorems only
        link = f"{folder}{one.paper}.md#{one.anchor}" if folder else f"#{one.anchor}"
        cells = [f"[{one.title}]({link})", *(str(found[verdict]) for verdict in VERDICTS)]
        table.append(f"| {' | '.join(cells)} |")
    return "\n".join(table) + "\n"


def rows(claim: Claim) -> list[str]:
    """The row of a claim, and those of its variants if they differ."""
    words = {"reproduced": "holds", "not reproduced": "violated"} if claim.law else {}
    names, _, objections = zip(*claim.variants, strict=True)
    found = [(claim.sentence, claim.verdict)]
    if len(names) == 1:
        found = [(": ".join(filter(None, (claim.sentence, *objections))), claim.verdict)]
    elif claim.agrees:
        found = [(f"{claim.sentence} (*{'; '.join(names)}*)", claim.verdict)]
    else:
        for name, verdict, why in claim.variants:
            found.append((f"– *{name}*" + (f": {why}" if why else ""), verdict))
    texts = (
        (text.replace("|", r"\|"), words.get(v, v).replace(" ", "&nbsp;")) for text, v in found
    )
    return [f"| {text} | {verdict} |" for text, verdict in texts]  # one line in a narrow column


def table(one: Section, link: str, law: bool) -> str:
    """The claims of a section, or its theorems; "" if there are none."""
    found = [row for c in read_claims(one.kept[1]) if c.law == law for row in rows(c)]
    return "\n".join([f"| [{one.title}]({link}) | |", "|---|---|", *found, ""]) if found else ""


def overview(made: list[Section]) -> str:
    """The number of verdicts, then the claims of each paper, then the theorems."""
    papers = by_paper(made)
    every = [one for some in papers.values() for one in some]
    parts = ["# Results: the papers and this library\n", summary(every), INTRODUCTION]
    parts.append(counts(every, "results/"))
    links = {one.name: f"results/{one.paper}.md#{one.anchor}" for one in every}
    for paper, some in papers.items():
        parts.append(f"## {heading(paper)}\n\n[Tables and figures](results/{paper}.md)\n")
        parts += (table(one, links[one.name], law=False) for one in some)
    parts += ["## Theorems and bounds\n", *(table(one, links[one.name], law=True) for one in every)]
    return "\n".join(filter(None, parts))


def page(paper: str, made: list[Section]) -> str:
    """The page of a paper: the number of verdicts, then the sections of its scripts."""
    start = "See also the [verdicts on all papers](../results.md)."
    if (DOCS / "papers" / f"{paper}.md").exists():
        start += f" [This page](../papers/{paper}.md) explains the paper equation by equation."
    title = heading(paper).partition(": ")[0]
    parts = [f"# {title}: results\n", f"{start}\n", summary(made), counts(made, "")]
    return "\n".join([*parts, *(one.markdown() for one in made)])


def pages(made: list[Section]) -> dict[str, str]:
    """The texts of all pages, by their paths in docs."""
    texts = {f"results/{paper}.md": page(paper, some) for paper, some in by_paper(made).items()}
    return {"results.md": overview(made), **texts}


def write(made: list[Section]) -> None:
    texts = pages(made)
    for path in (DOCS / "results").glob("*.md"):
        if f"results/{path.name}" not in texts:
            path.unlink()
    for name, text in texts.items():
        part = (DOCS / name).with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, DOCS / name)


# %% The scripts
def run(one: Section, data: Path | None) -> bool:
    """Run a script in a new process and keep its output and figures if it succeeds."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "figures"
        command = [sys.executable, str(one.script)]  # with the options that the script has
        if '"--data"' in one.source:
            command += ["--data", str(data or folder)]  # an empty folder: no downloads
        if '"--figures"' in one.source:
            command += ["--figures", str(drawn)]
        environment = os.environ | {"PYTHONUTF8": "1"}
        done = subprocess.run(
            command, stdout=subprocess.PIPE, encoding="utf-8", env=environment, check=False
        )
        if done.returncode:
            return False
        if judges(one.kept[1]) and not judges(done.stdout):
            print(f"{one.name}: its data are missing; its old section stays", file=sys.stderr)
        else:
            one.store(done.stdout, drawn)
    return True


def show_stale(made: list[Section]) -> None:
    for one in made:
        if one.stale:
            print(f"{one.name}: made before {one.stale} changed; see --fresh", file=sys.stderr)


def main(data: Path | None, only: list[str], fresh: bool) -> int:
    made = sections()
    chosen = [one for one in made if not only or one.name in only]
    if fresh:
        for one in chosen:
            one.forget()
    failed = []
    progress = tqdm(chosen, unit="script")
    for one in progress:
        progress.set_description(one.name)
        if one.finished:
            why = "not run again, as its code has not changed; see --fresh"
            progress.write(f"{one.name}: {why}", file=sys.stderr)
            continue
        print(file=sys.stderr)  # the script's own progress bars go below
        if not run(one, data):
            failed.append(one.name)
        write(made)
    write(made)  # docstrings may have changed
    show_stale(made)
    if failed:
        print(f"failed, their old sections stay: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [one.name for one in sections()]
    parser.add_argument("--data", type=Path, help="folder with the data: rcv1, hmc, ...")
    parser.add_argument("--only", nargs="+", default=[], choices=names, metavar="NAME")
    parser.add_argument(
        "--fresh", action="store_true", help="run all scripts again, finished ones included"
    )
    parser.add_argument("--stale", action="store_true", help="only list the sections to run again")
    arguments = parser.parse_args()
    if arguments.stale:
        show_stale(sections())
        sys.exit()
    if arguments.data and not arguments.data.is_dir():
        parser.error(f"there is no folder {str(arguments.data)!r}")
    try:
        status = main(arguments.data, arguments.only, arguments.fresh)
    except KeyboardInterrupt:
        print("\ninterrupted; the same command continues from here", file=sys.stderr)
        status = 130
    sys.exit(status)
