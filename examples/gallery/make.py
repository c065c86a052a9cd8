"""Makes the gallery: runs the scripts of `examples` and writes a page for each, and an index.

    python examples/gallery/make.py build/gallery

Runs are kept in that folder; a script is run again only if it, or the version of the library, has
changed. Scripts on real data are not run: their pages show a recorded run, which is made by

    RIVER_HIER_DATA=FOLDER python examples/gallery/make.py --record

It runs those of which the script or the package has changed since. Pages of another package stay,
and are listed at the end, as the results of the papers are.

If a script fails, its error is shown, the other pages are made, and the index is not
updated.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import traceback
from pathlib import Path

from pages import index, page, side_bar
from record import Record, load
from run import ScriptError, key, package_key, run, source_key
from script import Script

EXAMPLES = Path(__file__).resolve().parents[1]
# The numbers with which the names of the scripts begin.
THEMES = {
    "Start here": ("01", "16", "17", "24", "23"),
    "Mistakes": ("25", "02", "13"),
    "Predictions": ("18", "06", "12", "03"),
    "Streams that change": ("10", "09", "11", "14"),
    "Other learners": ("22", "05", "08", "07"),
    "Regret": ("04", "15", "20", "21", "19"),
}


def by_theme(scripts: list[Script]) -> dict[str, list[Script]]:
    """The scripts of each theme; themes without scripts are left out."""
    themes = {
        theme: [s for number in numbers for s in scripts if s.name.startswith(f"{number}_")]
        for theme, numbers in THEMES.items()
    }
    named = {script.name for found in themes.values() for script in found}
    if others := [script.name for script in scripts if script.name not in named]:
        raise ValueError(f"THEMES must hold every script, but not {', '.join(others)}")
    return {theme: found for theme, found in themes.items() if found}


def made(script: Script, folder: Path, fresh: bool) -> Record:
    """Run the script, unless an earlier run can be used, and write its page."""
    if script.recorded is not None:
        if script.recorded.exists():
            shutil.copytree(script.recorded, folder, dirs_exist_ok=True)
        record = load(folder, source_key(script))
        if record is None:
            raise ScriptError(f"{script.path}: the recorded run is missing or old; use --record")
    elif fresh or (record := load(folder, key(script))) is None:
        record = run(script, folder)
        print(f"{script.name}: {record.seconds:.1f} s", file=sys.stderr)
    (folder / "index.md").write_text(page(script, record), encoding="utf-8")
    shutil.copy(script.path, folder)
    return record


def record_runs(examples: Path = EXAMPLES) -> None:
    """Run the scripts on real data that have changed, and keep their output beside them."""
    for script in map(Script, sorted(examples.glob("*.py"))):
        if script.recorded is not None:
            kept = load(script.recorded, source_key(script))
            if kept is None or kept.package != package_key(script.path):
                run(script, script.recorded)


def main(out: Path, examples: Path = EXAMPLES, fresh: bool = False) -> int:
    scripts = [Script(path) for path in sorted(examples.glob("*.py"))]
    themes = by_theme(scripts)
    for record in out.glob("*/run.json"):  # of deleted scripts
        if record.parent.name not in [script.name for script in scripts]:
            shutil.rmtree(record.parent)
    records, failed = {}, []
    for script in scripts:
        try:
            records[script.name] = made(script, out / script.name, fresh)
        except ScriptError as error:
            traceback.print_exception(error.__cause__)
            failed.append(str(error))
    if failed:
        print("failed:", *failed, sep="\n  ", file=sys.stderr)
        return 1
    for script in scripts:
        if script.recorded is not None and records[script.name].package != package_key(script.path):
            print(
                f"{script.name}: recorded before river_hier changed; see --record", file=sys.stderr
            )
    pairs = {
        theme: [(script, records[script.name]) for script in found]
        for theme, found in themes.items()
    }
    (out / "index.md").write_text(index(pairs), encoding="utf-8")
    (out / "SUMMARY.md").write_text(side_bar(themes), encoding="utf-8")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="the folder for the pages")
    parser.add_argument("--record", action="store_true", help="run the scripts on real data")
    parser.add_argument("--fresh", action="store_true", help="run all scripts, kept runs or not")
    arguments = parser.parse_args()
    if arguments.record == (arguments.out is not None):
        parser.error("give either a folder or --record")
    if arguments.record:
        sys.exit(record_runs())
    sys.exit(main(arguments.out, fresh=arguments.fresh))
