"""Label texts: `python -m river_hier.predict titles.model new.csv --output labels.csv`."""

import csv
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from . import tables
from .base.answer import answer_of
from .programs import Parser, labels, opened, path, probability, share, with_risk

BETWEEN = " > "  # the names on a path


@contextmanager
def written(file: Path) -> Iterator[Any]:
    """A file that appears under its name when it is complete."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="") as table:
            yield table
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def labelled(model: Any, rows: Any, threshold: float | None) -> Iterator[tuple[Any, ...]]:
    """The header, a line for each label of each row, and one without a label if it has none."""
    header = ["row", "text", "label", "path", "probability"]
    paths: dict[Any, str] = {None: ""}
    for number, text, _ in rows:
        answer = answer_of(model, text)
        predicted = labels(answer, threshold) or [None]
        if header:  # an error in the first row comes before anything is written
            yield (*header,)
            header.clear()
        for label in predicted:
            if label not in paths:
                t = answer.labels.taxonomy
                paths[label] = BETWEEN.join(str(v) for v in path(t, label) if v != t.root)
            p = None if label is None else probability(answer, label)
            name = paths[label] if isinstance(label, tuple) else label
            yield number, text, name, paths[label], "" if p is None else f"{p:.4f}"
    if header:
        yield (*header,)


def main() -> None:
    """Read the command line, and write the labels."""
    parser = Parser("predict", __doc__)
    add = parser.add_argument
    add("model", type=Path, help="a file of `fit`, or another pickle: only open your own")
    add("file", type=Path, help="CSV, JSON lines, Parquet, or, if it is called .txt, a text a line")
    add("--text", nargs="+", help="the column of texts, or several; by default as for `fit`")
    add("--encoding", help="UTF-8, UTF-16 or Latin-1 by default, whichever it is")
    add("--threshold", type=share, help="the deepest labels that are at least so likely")
    add("--risk", type=share, help="labels as deep as they can be, this share of them wrong")
    add("--output", type=Path, help="a CSV file; standard output by default")
    given = parser.parse_args()
    if given.risk and given.threshold:
        parser.error("--risk finds a threshold itself: name one of both")
    if given.output:
        parser.check_file(given.output, given.file, given.model)
    with parser.refusing(given.model):
        state = opened(given.model.read_bytes())
        if given.risk and (n := len(state.get("held_out", ()))) + 1 < 1 / given.risk:
            raise ValueError(f"{n} held-out rows are too few for a risk of {given.risk}")
        model = with_risk(state, given.risk) if given.risk else state["model"]
    rows = tables.rows(given.file, given.text or state.get("text"), encoding=given.encoding)
    out: Any = sys.stdout
    out.reconfigure(encoding="utf-8", newline="")
    output = written(given.output) if given.output else nullcontext(out)
    with parser.refusing(given.file), output as file:
        csv.writer(file, lineterminator="\n").writerows(labelled(model, rows, given.threshold))


if __name__ == "__main__":
    main()
