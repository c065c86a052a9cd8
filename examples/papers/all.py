"""Run the papers' scripts, keep their output, and write docs/results.md and docs/results.

    python examples/papers/all.py --data FOLDER

FOLDER holds the data, in the subfolders that the scripts name. Output and figures are kept in the
folder `recorded`. Of these are made the table of verdicts and a page for each paper; --pages makes
those of the site. Without --fresh, a script is run again only if it has changed. An interrupted run
therefore continues where it stopped; only the script that was running starts over. If a script
fails or its data are missing, its old output stays. Output that was made with other sources of
river_hier stays as well, as tests compare the digits of some; --stale lists it, also in
docs/results.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from claims import VERDICTS
from section import Section, judges, verdicts

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
RECORDED = HERE / "recorded"
CHECKOUT = "../../examples/papers/recorded/"  # from docs/results to the figures
INTRODUCTION = """\
A claim of a paper says that one result is better than another. The difference is measured on
several orders, splits or samples of the data, or, where a learner runs only once, on each document.
A claim is **reproduced** if the mean difference has the paper's sign and is at least two standard
errors from 0; **not reproduced** if it is as far on the other side; else **undecided**. If a claim
consists of several comparisons, each must be reproduced. A claim is counted once: if it was tested
in several settings and only some reproduce it, it is undecided. It is **not testable** if the data
are missing. Theorems and bounds are laws, which hold or are violated, and are not counted among the
claims; nor are the published numbers, which stand beside those found here in columns named "paper".

Where a claim is not reproduced or undecided, its page says how it was found out who decides: the
**data**, which are not the paper's; the **paper**, which lacks or contradicts what is needed; or
**this library**.

Each section of the pages below consists of the docstring, the output and the figures of a script in
`examples/papers`, whose folder `recorded` holds what they printed. One command runs all scripts and
writes the verdicts; without `--fresh` it runs only scripts that have changed since:

```sh
python examples/papers/all.py --data FOLDER --fresh
```

`FOLDER` holds the data, each collection in the subfolder that its section names. They are free
samples, which are smaller than the papers' collections. [What the papers leave
open](papers/open_questions.md) has a page of its own.
"""


def sections() -> list[Section]:
    """One for each script of the folder, sorted by year and name; modules are skipped."""
    made = [Section(path, RECORDED) for path in HERE.glob("*.py") if path.name != "all.py"]
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
    good, *others = (found[verdict] for verdict in VERDICTS)
    text = f"**{good} of {found.total()} claims are reproduced**; "
    text += ", ".join(f"{n} {v}" for n, v in zip(others, VERDICTS[1:], strict=True)) + "."
    results: dict[tuple[str, str], list[bool]] = {}  # a theorem may have several laws
    for one in made:
        for claim in one.claims():
            if claim.law:
                theorem = one.paper, claim.sentence.partition(":")[0]
                results.setdefault(theorem, []).append(claim.verdict == "holds")
    if results:
        held = sum(map(all, results.values()))
        text += (
            f" {held} of {len(results)} theorems, lemmas and bounds hold wherever they were tested"
        )
        false = [name for (_, name), laws in results.items() if not all(laws)]
        text += f", and {len(false)} are false: {', '.join(false)}." if false else "."
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


def open_claims(made: list[Section]) -> str:
    """A table of the claims that are not reproduced or undecided, and who decides."""
    table = ["| | | decided by |", "|---|---|---|"]
    for one in made:
        for claim in one.claims():
            if claim.verdict in ("not reproduced", "undecided"):
                link = f"[{claim.sentence}](results/{one.paper}.md#{one.anchor})"
                decider, _ = one.reason(claim)
                table.append(f"| {link} | {claim.verdict} | {decider} |")
    return "\n".join([*table, ""]) if len(table) > 2 else ""


def stale_sections(made: list[Section]) -> str:
    """The sections that other code has made; "" if there are none."""
    links = [f"[{o.title}](results/{o.paper}.md#{o.anchor})" for o in made if o.stale]
    if not links:
        return ""
    return f"**Stale**, as the script or the package has changed since: {', '.join(links)}.\n"


def overview(made: list[Section]) -> str:
    """The number of verdicts, stale sections, the criterion, and the claims that are open."""
    every = [one for some in by_paper(made).values() for one in some]
    parts = ["# Results: the papers and this library\n", summary(every)]
    parts += [stale for stale in [stale_sections(every)] if stale] + [INTRODUCTION]
    return "\n".join([*parts, counts(every, "results/"), open_claims(every)]).rstrip("\n") + "\n"


def page(paper: str, made: list[Section], figures: str) -> str:
    """The page of a paper: the number of verdicts, then the sections of its scripts."""
    start = "The [results of all papers](../results.md) say when a claim is reproduced."
    if (DOCS / "papers" / f"{paper}.md").exists():
        start += f" [This page](../papers/{paper}.md) explains the paper equation by equation."
    title = heading(paper).partition(": ")[0]
    parts = [f"# {title}: results\n", f"{start}\n", summary(made), counts(made, "")]
    return "\n".join([*parts, *(one.markdown(figures) for one in made)])


def write_site(folder: Path, made: list[Section]) -> None:
    """The overview, the pages of the papers and their figures, in a copy of docs."""
    shutil.copytree(
        RECORDED, folder / "results", ignore=shutil.ignore_patterns("*.txt"), dirs_exist_ok=True
    )
    write_pages(folder, made, "")


def write_pages(folder: Path, made: list[Section], figures: str = CHECKOUT) -> None:
    pages = {
        Path("results", f"{p}.md"): page(p, some, figures) for p, some in by_paper(made).items()
    }
    (folder / "results").mkdir(exist_ok=True)
    for name, text in (pages | {Path("results.md"): overview(made)}).items():
        part = (folder / name).with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, folder / name)


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
    from tqdm import tqdm

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
        write_pages(DOCS, made)
    write_pages(DOCS, made)  # docstrings may have changed
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
    parser.add_argument("--stale", action="store_true", help="only list what to run again")
    parser.add_argument("--pages", type=Path, help="only write the pages, into this copy of docs")
    arguments = parser.parse_args()
    if arguments.pages:
        write_site(arguments.pages, sections())
        sys.exit()
    if arguments.stale:
        show_stale(made := sections())
        write_pages(DOCS, made)
        sys.exit()
    if arguments.data and not arguments.data.is_dir():
        parser.error(f"there is no folder {str(arguments.data)!r}")
    try:
        status = main(arguments.data, arguments.only, arguments.fresh)
    except KeyboardInterrupt:
        print("\ninterrupted; the same command continues from here", file=sys.stderr)
        status = 130
    sys.exit(status)
