"""Probabilities and passes: log loss and calibration error on six collections.

* One label: queries (CLINC150) and products (Flipkart), prepared as in `real_texts.py`, and
  `AveragedHieron` in `decision.Tempered`.
* Several labels: RCV1, Reuters-21578, Enron and ImCLEF07D, and `HAROW` in `decision.Calibrated`.

    python examples/benchmarks/calibration.py --data FOLDER

* One label, without a wrapper: `PathSoftmax`, whose temperature is learned with it, on words and on
  `TextViews`. Questions (TREC) and ICD-10-CM, whose first 15,000 shuffled descriptions are taken,
  are files of JSON lines: the edges of the taxonomy, then `[part, text, label]`.

The folder holds `clinc150`, `products`, `trec`, `icd`, `rcv1`, `reuters21578` and `hmc`. A part of
the training examples, drawn at random (for queries, the publisher's validation part), is used for
validation; the test parts are not read. The first table has the log loss (of the true label, or of
the whole multilabel) and the calibration error in per cent, of the model without calibration after
one pass, and with calibration after one pass and learned three times, by `stream.Replayed` with a
buffer of 2,000 examples. The second has the share of wrong answers after one pass, and learned
three times with buffers of two sizes. All figures are means over the seeds, with their standard
errors. The last table has `PathSoftmax` after one pass: the log loss and
the error of the softmax of its scores, and of its probabilities.
"""

# %%
from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from real_texts import Split, products, queries
from river import compose, preprocessing
from river import metrics as river_metrics

from river_hier import Taxonomy, datasets, decision, feature_extraction, linear_model, metrics
from river_hier.base.classifiers import last_step
from river_hier.stream import Replayed

Examples = list[tuple[Any, Any]]
BUFFERS = 500, 2_000


class Collection(NamedTuple):
    """Examples to learn and to validate, and the steps in front of a learner."""

    taxonomy: Taxonomy
    train: Examples
    valid: Examples
    features: Any
    single: bool


def texts(s: Split) -> Collection:
    train, valid = (
        list(zip(*columns, strict=True)) for columns in ((s.texts, s.y), (s.texts_valid, s.y_valid))
    )
    words = feature_extraction.LogTFIDF(min_count=1) | preprocessing.Normalizer()
    return Collection(s.taxonomy, train, valid, words, single=True)


def several(stream: Any, features: Any, seed: int) -> Collection:
    examples = list(stream.shuffle(1_000_000, seed))
    n = len(examples) // 4
    return Collection(stream.taxonomy, examples[n:], examples[:n], features, single=False)


def present(x: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in x.items() if value}


def unit_length() -> Any:
    return compose.FuncTransformer(present) | preprocessing.Normalizer()


def titles_and_bodies() -> Any:
    on = ("title", "body")
    return feature_extraction.LogTFIDF(on=on, min_count=1) | preprocessing.Normalizer()


def json_lines(data: Path, name: str, seed: int) -> Collection:
    with gzip.open(data / name / f"{name}.jsonl.gz", "rt") as file:
        (_, edges), *rows = map(json.loads, file)

    def label(y: Any) -> Any:
        return tuple(y) if isinstance(y, list) else y

    examples = [(text, label(y)) for part, text, y in rows if part == "train"]
    random.Random(seed).shuffle(examples)
    examples = examples[:15_000]
    n = len(examples) // 5
    t = Taxonomy([(label(u), label(v)) for u, v in edges])
    return Collection(t, examples[n:], examples[:n], None, single=True)


ONE_LABEL: dict[str, Callable[[Path, int], Collection]] = {
    "Queries": lambda data, seed: texts(queries(data, seed)),
    "Products": lambda data, seed: texts(products(data, seed)),
    "Questions": lambda data, seed: json_lines(data, "trec", seed),
    "ICD-10-CM": lambda data, seed: json_lines(data, "icd", seed),
}
COLLECTIONS: dict[str, Callable[[Path, int], Collection]] = {
    "Queries": lambda data, seed: texts(queries(data, seed)),
    "Products": lambda data, seed: texts(products(data, seed)),
    "RCV1": lambda data, seed: several(datasets.RCV1(data / "rcv1").take(12_000), None, seed),
    "Reuters-21578": lambda data, seed: several(
        datasets.Reuters21578(data / "reuters21578"), titles_and_bodies(), seed
    ),
    "Enron": lambda data, seed: several(
        datasets.HMC(data / "hmc", "Enron_corr"), unit_length(), seed
    ),
    "ImCLEF07D": lambda data, seed: several(
        datasets.HMC(data / "hmc", "ImCLEF07D"), preprocessing.StandardScaler(), seed
    ),
}


# %% Models
def calibrated(c: Collection) -> Any:
    """The calibrated model: words are weighted before the wrapper, but a scaler must be inside."""
    if c.single:
        return c.features.clone() | decision.Tempered(linear_model.AveragedHieron(c.taxonomy))
    if isinstance(c.features, preprocessing.StandardScaler):
        inside = c.features.clone() | unit_length() | linear_model.HAROW(c.taxonomy)
        return decision.Calibrated(inside)
    model = decision.Calibrated(linear_model.HAROW(c.taxonomy))
    return model if c.features is None else c.features.clone() | model


def uncalibrated(model: Any) -> Any:
    """The same model without its calibration."""
    last = last_step(model)
    if last is model:
        return model.model
    steps = list(model.steps.values())[:-1]
    inside = last.model
    for step in reversed(steps):
        inside = step | inside
    return inside


class Measures(NamedTuple):
    loss: float
    error: float
    wrong: float


def measured(model: Any, c: Collection) -> Measures:
    t, wrong = c.taxonomy, 0
    if c.single:
        loss: Any = river_metrics.CrossEntropy()
        error: Any = metrics.TopLabelCalibrationError(t)
        for x, y in c.valid:
            p = model.predict_proba_one(x)
            loss.update(y, p)
            error.update(y, p)
            wrong += model.predict_one(x) != y
    else:
        loss, error = metrics.LogLoss(t), metrics.CalibrationError(t)
        for x, y in c.valid:
            p = {v: each[True] for v, each in model.predict_proba_one(x).items()}
            loss.update(y, p)
            error.update(y, p)
            answer = model.predict_one(x)
            wrong += any(answer[v] != on for v, on in y.items())
    return Measures(loss.get(), 100 * error.get(), wrong / len(c.valid))


# %% Tables
def measures(c: Collection) -> list[Measures]:
    """Uncalibrated and calibrated after one pass, then learned three times with each buffer."""
    once = calibrated(c)
    thrice = [Replayed(calibrated(c), 3, buffer_size=size) for size in BUFFERS]
    for x, y in c.train:
        for model in (once, *thrice):
            model.learn_one(x, y)
    return [measured(model, c) for model in (uncalibrated(once), once, *thrice)]


def untempered(model: Any, x: Any) -> dict[Any, float]:
    """The softmax of the scores."""
    scores = model.score_one(x)
    most = max(scores.values())
    p = {v: math.exp(s - most) for v, s in scores.items()}
    total = sum(p.values())
    return {v: each / total for v, each in p.items()}


def of_softmax(c: Collection, features: Any) -> tuple[float, ...]:
    """Log loss and calibration error in per cent, without and with the temperature; wrong."""
    model = features | linear_model.PathSoftmax(c.taxonomy)
    for text, y in c.train:
        model.learn_one(text, y)
    found: list[float] = []
    for probabilities in (lambda x: untempered(model, x), model.predict_proba_one):
        loss = river_metrics.CrossEntropy()
        error = metrics.TopLabelCalibrationError(c.taxonomy)
        for text, y in c.valid:
            p = probabilities(text)
            loss.update(y, p)
            error.update(y, p)
        found += [loss.get(), 100 * error.get()]
    return *found, sum(model.predict_one(text) != y for text, y in c.valid) / len(c.valid)


def with_error(values: Sequence[float], digits: int) -> str:
    """The mean over the seeds and, if there are several, its standard error."""
    mean = f"{statistics.mean(values):.{digits}f}"
    if len(values) == 1:
        return mean
    return f"{mean} ± {statistics.stdev(values) / math.sqrt(len(values)):.{digits}f}"


def line(name: str, title: str, cells: Iterable[str]) -> str:
    return f"{name:14}{title:9}" + "".join(f"{cell:>15}" for cell in cells)


def softmax_table(data: Path, n_seeds: int) -> None:
    titles = ["log loss", "error, %", "tempered", "error, %", "wrong"]
    print("\n" + line("PathSoftmax", "", titles))
    for name, make in ONE_LABEL.items():
        for of, features in (
            ("words", feature_extraction.LogTFIDF()),
            ("views", feature_extraction.TextViews()),
        ):
            rows = [of_softmax(make(data, seed), features.clone()) for seed in range(n_seeds)]
            columns = zip(*rows, (3, 2, 3, 2, 3), strict=True)
            cells = [with_error(values, digits) for *values, digits in columns]
            print(line(name, of, cells), flush=True)


def main(data: Path, n_seeds: int) -> None:
    print(line("", "", ["uncalibrated", "1 pass", "3 times"]))
    wrong = {}
    for name, make in COLLECTIONS.items():
        rows = [measures(make(data, seed)) for seed in range(n_seeds)]
        columns = list(zip(*rows, strict=True))
        shown = [columns[0], columns[1], columns[3]]
        print(line(name, "log loss", [with_error([m.loss for m in ms], 3) for ms in shown]))
        errors = [with_error([m.error for m in ms], 2) for ms in shown]
        print(line("", "error, %", errors), flush=True)
        wrong[name] = [with_error([m.wrong for m in ms], 3) for ms in columns[1:]]
    buffers = [f"buffer {size:,}" for size in BUFFERS]
    print("\n" + line("wrong answers", "", ["1 pass", *buffers]))
    for name, cells in wrong.items():
        print(line(name, "", cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the collections")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    main(arguments.data, arguments.seeds)
    softmax_table(arguments.data, arguments.seeds)
