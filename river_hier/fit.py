"""Learn the labels of the texts in a file: `python -m river_hier.fit titles.csv`."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

from river.compose import Pipeline

from . import checkpoint, decision, evaluate, feature_extraction, linear_model, tables
from ._core import learned_before
from .base.answer import taxonomy_of
from .base.classifiers import is_multilabel, last_step
from .base.wrapper import check_one
from .datasets.files import plain
from .programs import Parser
from .taxonomy import OpenTaxonomy, Taxonomy

HELD_OUT = 1000  # rows that are not learned, at most; a tenth of the rows if that is less
MANY = 3000  # labels above which a softmax of the children of each node is faster
SOFTMAX = linear_model.PathSoftmax, linear_model.HierarchicalSoftmax


def model_for(labels: list[Any], several: bool, between: str | None) -> Any:
    """The model that docs/choosing.md has for texts with these labels."""
    paths = any(isinstance(label, tuple) for label in labels)
    taxonomy = OpenTaxonomy(None if paths else between) if paths or between else None
    model: Any = linear_model.PathSoftmax(taxonomy, margin=1.0)
    if several:
        model = decision.HLossBayes(decision.Calibrated(linear_model.HAROW(taxonomy)))
    elif len({*labels}) > MANY:
        model = linear_model.HierarchicalSoftmax(taxonomy)
    return feature_extraction.TextViews() | model


def learn(model: Any, rows: list[Any], passes: int, rng: Random) -> float:
    """Learn the rows in random orders, until Ctrl-C; return how many passes were made."""
    stopped: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
    n = 0
    for k in range(passes):
        with learned_before if k else nullcontext():
            for text, label in _with_bar(rng.sample(rows, len(rows)), k, passes):
                if stopped:
                    break
                model.learn_one(text, label)
                n += 1
    signal.signal(signal.SIGINT, before)
    return n / len(rows)


def _with_bar(rows: list[Any], k: int, passes: int) -> Iterator[Any]:
    """The rows, with a bar in a terminal."""
    start = last = time.monotonic()
    for i, row in enumerate(rows):
        yield row
        if i % 100 == 0 and sys.stderr.isatty() and (now := time.monotonic()) - last > 0.1:
            done, last = (i + 1) / len(rows), now
            left = (now - start) * (1 - done) / done
            bar = f"{'#' * round(30 * done):-<30} {done:4.0%} of pass {k + 1} of {passes}"
            print(f"\r{bar}, {left:.0f} s left ", end="", file=sys.stderr, flush=True)
    if last > start:
        print("\r" + 75 * " ", end="\r", file=sys.stderr, flush=True)


def described(model: Any) -> str:
    """The steps of a pipeline, and the models in wrappers."""
    if isinstance(model, Pipeline):
        return " | ".join(map(described, model.steps.values()))
    inner = getattr(model, "model", None)
    return type(model).__name__ + (f"({described(inner)})" if inner is not None else "")


def _nearest(t: Taxonomy, y: Any) -> Any:
    """The labels of a row, or where they belong in a taxonomy that lacks them."""
    if isinstance(y, set):
        return {_nearest(t, label) for label in y}
    try:
        return t.nearest(y)
    except (LookupError, TypeError, ValueError):  # a name, not a path
        return t.root


def main() -> None:
    """Read the command line, learn, and write the model."""
    parser = Parser("fit", __doc__)
    add = parser.add_argument
    add("file", type=Path, help="CSV, JSON lines, Parquet, fastText's lines, Label Studio's JSON")
    add("--text", nargs="+", help="the column of texts, or several; text by default")
    add("--label", nargs="+", help="the column of labels, or those of the levels of a path")
    add("--separator", help="between the names of a path, found by default; '' if labels are names")
    add("--several", metavar="COMMA", help="what stands between several labels of a row")
    add("--encoding", help="UTF-8, UTF-16 or Latin-1 by default, whichever it is")
    add("--model", type=Path, help="another model in a pickle: only open your own")
    add("--passes", type=int, help="three by default, one for several labels")
    add("--output", type=Path, help="the file of the model; titles.model by default")
    given = parser.parse_args()
    if given.file.is_dir():
        parser.error(f"{given.file} is a folder, not a file")
    output = given.output or given.file.with_name(plain(given.file.name)).with_suffix(".model")
    parser.check_output(output, given.file, given.model)
    if given.passes is not None and given.passes < 1:
        parser.error(f"--passes must be at least 1, got {given.passes}")
    if given.several is not None and (not given.several or len(given.label or "1") > 1):
        parser.error("--several is what stands between labels, such as ';', in one column")
    state = parser.opened(given.model) if given.model else {}
    with parser.refusing(given.file):
        fit(given, state, output)


def fit(given: Any, state: dict[str, Any], output: Path) -> None:
    """Read the rows, learn them, write the model and say what is wrong with it."""
    table = tables.rows(given.file, given.text, given.label, given.several, given.encoding)
    read = [*table]
    rows = [row for row in read if row[2] is not None]
    several = any(isinstance(y, list) for *_, y in rows)
    names = [name for *_, y in rows for name in (y if isinstance(y, list) else [y])]
    if len({*names}) < 2:
        what = f"only the label {names[0]!r}" if names else "no label; name their column by --label"
        raise ValueError(f"its rows, {len(read):,}, have {what}")
    between = tables.separator(names) if given.separator is None else given.separator or None
    model = state.get("model") or model_for(names, several, between)
    examples, several = [], is_multilabel(last_step(model))
    levels = not given.model and any(isinstance(name, tuple) for name in names)
    for number, text, y in rows:
        if isinstance(y, list) > several:
            raise ValueError(f"row {number} has several labels, and {described(model)} learns one")
        labels = y if isinstance(y, list) else [y]
        labels = [(v,) if levels and isinstance(v, str) else v for v in labels]
        try:
            check_one(model, "", y := {*labels} if several else labels[0], 1.0)
        except (LookupError, TypeError, ValueError) as error:
            raise ValueError(f"row {number}: {error}") from error
        examples.append((text, y))
    rng = Random(0)
    rng.shuffle(examples)
    n = min(HELD_OUT, len(examples) // 10)
    held_out, examples = examples[:n], examples[n:]
    passes = given.passes or (3 if isinstance(last_step(model), SOFTMAX) else 1)
    form = f"paths with {between!r} between names" if between and not levels else "paths"
    form = form if levels or (between and not given.model) else "names"
    print(
        f"{len(read):,} rows, {len(read) - len(rows):,} of them without a label; "
        f"{len({*names}):,} labels, which are {form}\n"
        f"{described(model)} learns {len(examples):,} rows in random order, "
        f"{passes} times; {n:,} are held out", flush=True
    )  # fmt: skip
    made = learn(model, examples, passes, rng)
    if not made:
        raise KeyboardInterrupt
    if made < passes:
        print(f"stopped after {made:.1f} passes; what was learned is kept")
    t = taxonomy_of(model)
    state = {"model": model, "text": given.text}
    checkpoint.save(state | {"held_out": [(x, _nearest(t, y)) for x, y in held_out]}, output)
    if held_out:
        report = evaluate.report(model, [x for x, _ in held_out], [y for _, y in held_out])
        print(f"\nOf the rows that are held out, {report}\n")
    print(f"{output} is written: python -m river_hier.predict {output} new.csv, or serve {output}")


if __name__ == "__main__":
    main()
