"""Learn the labels of the texts in a file: `python -m river_hier.fit titles.csv`."""

import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

from . import checkpoint, decision, evaluate, feature_extraction, linear_model, tables
from ._core import learned_before
from .base.answer import taxonomy_of
from .base.classifiers import is_multilabel, last_step
from .base.wrapper import check_one
from .batch.estimator import progress
from .programs import Parser, opened
from .taxonomy import OpenTaxonomy, Taxonomy

HELD_OUT = 1000  # rows that are not learned, at most; a tenth of the rows if that is less
MANY = 3000  # labels above which a softmax of the children of each node is faster
SOFTMAX = linear_model.PathSoftmax, linear_model.HierarchicalSoftmax


def model_for(labels: list[Any], several: bool, levels: bool, between: str | None) -> Any:
    """The model that docs/choosing.md has for texts with these labels."""
    taxonomy = OpenTaxonomy(None if levels else between) if levels or between else None
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
        shown: Any = progress(rng.sample(rows, len(rows)), f"pass {k + 1} of {passes}")
        with learned_before if k else nullcontext():
            for text, label in shown:
                if stopped:
                    break
                model.learn_one(text, label)
                n += 1
    signal.signal(signal.SIGINT, before)
    return n / len(rows)


def _nearest(t: Taxonomy, y: Any) -> Any:
    """The labels of a row, or where they belong in a taxonomy that lacks them."""
    if isinstance(y, list):
        return [_nearest(t, label) for label in y]
    try:
        return t.nearest(y)
    except (LookupError, TypeError, ValueError):  # a name, not a path
        return t.root


def say(text: str) -> None:
    """Print, also if nobody reads any more: what is learned will be written."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the program ends


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
    output = given.output or Path(str(given.file).removesuffix(".gz")).with_suffix(".model")
    parser.check_file(output, given.file, given.model)
    if given.passes is not None and given.passes < 1:
        parser.error(f"--passes must be at least 1, got {given.passes}")
    if given.several is not None and (not given.several or len(given.label or "1") > 1):
        parser.error("--several is what stands between labels, such as ';', in one column")
    with parser.refusing(given.model):
        state = opened(given.model.read_bytes()) if given.model else {}
    with parser.refusing(given.file):
        fit(given, state, output)


def fit(given: Any, state: dict[str, Any], output: Path) -> None:
    """Read the rows, learn them, write the model, and say where it is wrong."""
    read = [*tables.rows(given.file, given.text, given.label, given.several, given.encoding)]
    rows = [(n, x, y if isinstance(y, list) else [y]) for n, x, y in read if y is not None]
    names = [label for *_, labels in rows for label in labels]
    if len({*names}) < 2:
        what = f"only the label {names[0]!r}" if names else "no label; name their column by --label"
        raise ValueError(f"its rows, {len(read):,}, have {what}")
    several, levels = len(names) > len(rows), any(isinstance(name, tuple) for name in names)
    between = tables.separator(names) if given.separator is None else given.separator or None
    if given.separator and not levels and not any(given.separator in name for name in names):
        raise ValueError(f"{given.separator!r} is in no label, e.g. {names[0]!r}; --separator ''?")
    model = state.get("model") or model_for(names, several, levels, between)
    last, examples, known = last_step(model), [], set[Any]()
    several = is_multilabel(last)
    for number, text, labels in rows:
        if not given.model and levels:  # of which some may be lists, and others names
            labels = [label if isinstance(label, tuple) else (label,) for label in labels]
        if len(labels) > 1 and not several:
            raise ValueError(f"row {number} has several labels, and {type(last).__name__} one")
        y = labels if several else labels[0]
        if not known.issuperset(labels):
            try:
                check_one(model, "", y, 1.0)
            except (LookupError, TypeError, ValueError) as error:
                raise ValueError(f"row {number}: {error}") from error
            known.update(labels)
        examples.append((text, y))
    rng = Random(0)
    rng.shuffle(examples)
    n = min(HELD_OUT, len(examples) // 10)
    held_out, examples = examples[:n], examples[n:]
    passes = given.passes or (3 if isinstance(last, SOFTMAX) else 1)
    form = "names" if levels or not between else f"paths with {between!r} between names"
    blank, distinct = sum(not text.strip() for _, text, _ in rows), len({*names})
    if 2 * distinct > len(rows) > 20:
        column = " ".join(given.label or ["label"])
        told = f"{distinct:,} labels for {len(rows):,} rows: are they in the column {column}?"
        print(told, file=sys.stderr)
    say(
        f"{len(read):,} rows, {len(read) - len(rows):,} of them without a label"
        f"{f', {blank:,} without a text' * bool(blank)}; "
        f"{distinct:,} labels, which are {'levels' if levels else form}\n"
        f"{type(last).__name__} learns {len(examples):,} rows in random order, passes: {passes}; "
        f"{n:,} are held out"
    )
    if not (made := learn(model, examples, passes, rng)):
        raise KeyboardInterrupt
    t = taxonomy_of(model)
    state = {"model": model, "text": given.text}
    checkpoint.save(state | {"held_out": [(x, _nearest(t, y)) for x, y in held_out]}, output)
    say(
        f"{output} has what was learned in {made:.1f} passes; `predict` and `serve` open it, and "
        f"""in Python checkpoint.load({str(output)!r})["model"]"""
    )
    if held_out:
        report = evaluate.report(model, [x for x, _ in held_out], [y for _, y in held_out])
        say(f"\nOf the rows that are held out, {report}")


if __name__ == "__main__":
    main()
