"""Runs the papers' scripts and puts docs/results.md together from what they print and draw.

    python examples/papers/all.py --data FOLDER

FOLDER holds the folders with data that the scripts name. A section that is finished is kept in
docs/results and not made again unless its script has changed, so that a run which was interrupted
goes on where it was: only the script that was running is lost. A script that fails, or that lacks
its data, leaves the section that was there.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from section import Section, judges, verdicts
from tqdm import tqdm

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
VERDICTS = ("reproduced", "not reproduced", "not testable")
INTRODUCTION = """\
# Results: the papers and this library

The tables and figures of the papers, with this library's numbers beside the paper's, and what they
claim, sentence by sentence: **reproduced**; **not reproduced**, with what was found instead; or
**not testable** here, with what is missing. Nothing on this page is typed by hand. Each section is
what a script of `examples/papers` says of itself, what it printed, and what it drew, and

```sh
python examples/papers/all.py --data FOLDER
```

runs them all and puts the page together. `FOLDER` holds the data, each collection in the folder
that its section names. Where a table says "paper", the numbers are the paper's own.
"""


def sections() -> list[Section]:
    """One for each script of the folder, by year and name; modules that cannot be run have none."""
    made = [Section(path, DOCS / "results") for path in HERE.glob("*.py") if path.name != "all.py"]
    scripts = [one for one in made if '__name__ == "__main__"' in one.source]
    return sorted(scripts, key=lambda one: (re.findall(r"\d{4}", one.name), one.name))


# %% The page
def page(made: list[Section]) -> str:
    """The introduction, a line for each section, and the sections, as far as there are any."""
    made = [one for one in made if one.text.exists()]
    table = [f"| script | | {' | '.join(VERDICTS)} |", "|---|---|" + "---:|" * len(VERDICTS)]
    for one in made:
        anchor = re.sub(r"[^\w\- ]", "", one.title.lower()).replace(" ", "-")
        counts = verdicts(one.kept[1])
        cells = [f"`{one.name}`", f"[{one.title}](#{anchor})"]
        cells += (str(counts[verdict]) for verdict in VERDICTS)
        table.append(f"| {' | '.join(cells)} |")
    return "\n".join([INTRODUCTION, *table, "", *(one.markdown() for one in made)])


def write(made: list[Section]) -> None:
    part = DOCS / "results.part"
    part.write_text(page(made), encoding="utf-8")
    os.replace(part, DOCS / "results.md")


# %% The scripts
def run(one: Section, data: Path | None) -> bool:
    """Run a script as a process of its own and keep what it makes, if it comes to its end."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "figures"
        command = [sys.executable, str(one.script)]  # and those of the options that it has
        if '"--data"' in one.source:
            command += ["--data", str(data or folder)]  # an empty one: nobody is to download
        if '"--figures"' in one.source:
            command += ["--figures", str(drawn)]
        environment = os.environ | {"PYTHONUTF8": "1"}
        done = subprocess.run(
            command, stdout=subprocess.PIPE, encoding="utf-8", env=environment, check=False
        )
        if done.returncode:
            return False
        if judges(one.kept[1]) and not judges(done.stdout):
            said = f"{one.name}: data are missing; the section that was made with them stays"
            print(said, file=sys.stderr)
        else:
            one.store(done.stdout, drawn)
    return True


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
            continue
        print(file=sys.stderr)  # the script's own bars go below
        if not run(one, data):
            failed.append(one.name)
        write(made)
    write(made)  # a docstring may have changed
    if failed:
        print(f"failed, their sections are the old ones: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [one.name for one in sections()]
    parser.add_argument("--data", type=Path, help="folder with the data: rcv1, hmc, ...")
    parser.add_argument("--only", nargs="+", default=[], choices=names, metavar="NAME")
    parser.add_argument("--fresh", action="store_true", help="make finished sections again, too")
    arguments = parser.parse_args()
    try:
        status = main(arguments.data, arguments.only, arguments.fresh)
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on from here", file=sys.stderr)
        status = 130
    sys.exit(status)
