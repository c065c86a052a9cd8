"""Three kinds of drift in one branch of real data: sudden, gradual and recurring.

    python examples/benchmarks/drift_kinds.py --data FOLDER

FOLDER holds `clinc150` (queries, as words) and `letter` (dense features). In one branch of the
taxonomy, the labels are exchanged in a cycle: from the middle of the stream (sudden), with a
probability that grows from 0 to 1 in the second half (gradual), or in every other sixth of the
stream (recurring). The figures are the shares of wrong predictions in this branch and elsewhere, in
the second half, predicted before they are learned: means over the seeds, which determine the order
of the examples and the branch. The processor time is that of learning and predicting.

Each learner is used alone, with `forgetting`, and in `drift.BranchReset`. Beside them are River's
adaptive random forest (for dense features), and batch models that are fitted again to the latest
3,000 examples every 500 examples.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import short_texts
from river import forest
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from river_hier import (
    Taxonomy,
    drift,
    ensemble,
    feature_extraction,
    linear_model,
    probabilistic,
)
from river_hier import forest as forests

Stream = tuple[Taxonomy, list[tuple[dict[Any, float], Any]]]


# %% Streams
def queries(data: Path, seed: int) -> Stream:
    pairs = short_texts.queries(data / "clinc150", "train")
    random.Random(seed).shuffle(pairs)
    words, stream = feature_extraction.LogTFIDF(), []
    for text, y in pairs:
        stream.append((words.transform_one(text), y))
        words.learn_one(text)
    return short_texts.intents(data / "clinc150"), stream


def letter(data: Path, seed: int) -> Stream:
    with gzip.open(data / "letter" / "letter.jsonl.gz", "rt") as file:
        (_, edges), *rows = map(json.loads, file)
    stream = [(x | {"one": 1.0}, y) for part, x, y in rows if part == "train"]
    random.Random(seed).shuffle(stream)
    return Taxonomy(map(tuple, edges)), stream


def with_drift(t: Taxonomy, stream: list[Any], kind: str, seed: int) -> tuple[list[Any], set[Any]]:
    """The stream with drift, and the labels that are exchanged."""
    rng, n = random.Random(seed), len(stream)
    used = {y for _, y in stream}
    inner = [{v, *t.descendants(v)} & used for v in t.nodes[1:]]
    branch = rng.choice([part for part in inner if 4 <= len(part) <= len(used) / 2])
    cycle = sorted(branch)
    new = dict(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    chance = {
        "sudden": lambda i: i >= n // 2,
        "gradual": lambda i: 2.0 * i / n - 1.0,
        "recurring": lambda i: (6 * i // n) % 2,
    }[kind]
    return [
        (x, new.get(y, y) if rng.random() < chance(i) else y) for i, (x, y) in enumerate(stream)
    ], branch


# %% Models
class Refitted:
    """A batch model that is fitted again to the latest examples, from time to time."""

    def __init__(self, *steps: Any, every: int = 500, window: int = 3_000) -> None:
        self.model = make_pipeline(*steps)
        self.every, self.window = every, window
        self.pairs: list[Any] = []

    def predict_one(self, x: Any) -> Any:
        return self.model.predict([x])[0] if len(self.pairs) >= self.every else None

    def learn_one(self, x: Any, y: Any) -> None:
        self.pairs.append((x, y))
        if len(self.pairs) % self.every == 0:
            self.model.fit(*zip(*self.pairs[-self.window :], strict=True))


Make = Callable[[Taxonomy], Any]
TEXT: dict[str, Make] = {
    "PathSoftmax": linear_model.PathSoftmax,
    "PathSoftmax, forgetting": lambda t: linear_model.PathSoftmax(t, forgetting=0.99),
    "PathSoftmax, resets": lambda t: drift.BranchReset(linear_model.PathSoftmax(t)),
    "AveragedHieron": linear_model.AveragedHieron,
    "AveragedHieron, resets": lambda t: drift.BranchReset(linear_model.AveragedHieron(t)),
    "Hieron": linear_model.Hieron,
    "LinearSVC, refitted": lambda t: Refitted(FeatureHasher(2**14), LinearSVC()),
}
DENSE: dict[str, Make] = {
    **{name: make for name, make in TEXT.items() if "SVC" not in name},
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
    "LinearDiscriminant, resets": lambda t: drift.BranchReset(probabilistic.LinearDiscriminant(t)),
    "ExtraTrees": forests.ExtraTrees,
    "ExtraTrees, resets": lambda t: drift.BranchReset(forests.ExtraTrees(t)),
    "DensePool": ensemble.DensePool,
    "DensePool, resets": lambda t: drift.BranchReset(ensemble.DensePool(t)),
    "ARFClassifier": lambda t: forest.ARFClassifier(seed=0),
    "SVC, refitted": lambda t: Refitted(DictVectorizer(sparse=False), SVC(C=10.0)),
}
COLLECTIONS = {"queries": (queries, TEXT), "letter": (letter, DENSE)}


# %% Figures
def run(model: Any, stream: list[Any], branch: set[Any]) -> list[float]:
    """The shares of mistakes in the branch and elsewhere, and seconds."""
    mistakes: dict[bool, list[bool]] = {True: [], False: []}
    start = time.process_time()
    for i, (x, y) in enumerate(stream):
        y_pred = model.predict_one(x)
        if 2 * i >= len(stream):
            mistakes[y in branch].append(y_pred != y)
        model.learn_one(x, y)
    return [*(float(np.mean(part)) for part in mistakes.values()), time.process_time() - start]


def main(data: Path, seeds: int, wanted: str) -> None:
    for name, (read, models) in COLLECTIONS.items():
        found: dict[str, list[list[float]]] = {model: [] for model in models}
        for seed in range(seeds):
            t, stream = read(data, seed)
            for kind in ("sudden", "gradual", "recurring"):
                drifting, branch = with_drift(t, stream, kind, seed)
                for model, make in models.items():
                    if wanted in model:
                        found[model].append(run(make(t), drifting, branch))
        print(f"{name:<28}{'sudden':>18}{'gradual':>18}{'recurring':>18}{'seconds':>9}")
        for model, rows in found.items():
            if rows:
                table = np.array(rows).reshape(seeds, 3, 3)
                error = table.std(axis=0, ddof=1) / np.sqrt(seeds)
                mean = table.mean(axis=0)
                cells = [
                    f"{m[0]:.3f}±{e[0]:.3f} {m[1]:.3f}" for m, e in zip(mean, error, strict=True)
                ]
                print(
                    f"{model:<28}{''.join(f'{c:>18}' for c in cells)}{mean[:, 2].mean():>9.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="a part of the name of the models")
    options = parser.parse_args()
    main(options.data, options.seeds, options.only)
