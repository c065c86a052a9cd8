"""Losses for different values of the intercept and different scales of the features.

    PYTHONPATH=tests python tests/bench/intercepts.py --data FOLDER [--only ImCLEF07D ...]

The folder holds the collections of `support/collections_at_hand.py`. Each learner takes one pass;
the columns are its losses after the first 500 examples, for six values of `intercept`, means over
random orders of the examples: the H-loss of `HAROW`, alone and in `HLossBayes(Calibrated(...))`,
and the tree-induced error of `AveragedHieron` if examples have one label. The last column is the
loss of the best constant prediction: no label, or the best one. "Raw" features are as
published; "scaled" ones have unit variance, and then norm 1.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from river import preprocessing

from river_hier import decision, linear_model, metrics
from support.collections_at_hand import REAL, Collection, Example

VALUES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)
FIRST = 500
TEXTS = ("RCV1", "Reuters-21578", "OHSUMED", "CLINC150", "products")


def scaled(examples: list[Example]) -> list[Example]:
    scaler, found = preprocessing.StandardScaler(), []
    for x, y in examples:
        scaler.learn_one(x)
        z = scaler.transform_one(x)
        norm = math.hypot(*z.values()) or 1.0  # the first vector is zero
        found.append(({name: value / norm for name, value in z.items()}, y))
    return found


def harow(t: Any, intercept: float) -> Any:
    return linear_model.HAROW(t, intercept=intercept)


def decided(t: Any, intercept: float) -> Any:
    return decision.HLossBayes(decision.Calibrated(harow(t, intercept)))


def averaged(t: Any, intercept: float) -> Any:
    return linear_model.AveragedHieron(t, intercept=intercept)


def loss(model: Any, examples: list[Example], metric: Any) -> float:
    for i, (x, y) in enumerate(examples):
        if i >= FIRST:
            metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    return float(metric.get())


def constant(t: Any, examples: list[Example], several: bool) -> float:
    if several:
        metric: Any = metrics.HLoss(t)
        for _, y in examples[FIRST:]:
            metric.update(y, [])
        return float(metric.get())
    labels = Counter(y for _, y in examples[FIRST:])
    return min(sum(n * t.distance(v, y) for y, n in labels.items()) / labels.total() for v in t)


def orders(collection: Collection, n: int, seeds: int) -> Iterator[list[Example]]:
    for seed in range(seeds):
        examples = list(collection.examples)
        random.Random(seed).shuffle(examples)
        yield examples[:n]


def main(data: Path, only: list[str] | None, seeds: int) -> None:
    print(f"{'':38}" + "".join(f"{value:>9}" for value in VALUES) + f"{'constant':>10}")
    for name, (folder, read) in REAL.items():
        if (only and name not in only) or not (data / folder).is_dir():
            continue
        collection = read(data / folder)
        t, text = collection.taxonomy, name in TEXTS
        if not t.is_tree:
            continue
        makers: dict[str, Any] = {"H-AROW": harow, "decided": decided}
        if not collection.several:
            makers = {"AveragedHieron": averaged}
        streams = list(orders(collection, 3_000 if text else 1_500, seeds))
        for size in ("raw",) if text else ("raw", "scaled"):
            chosen = [scaled(one) for one in streams] if size == "scaled" else streams
            nothing = sum(constant(t, one, collection.several) for one in chosen) / seeds
            for title, make in makers.items():
                kind = metrics.HLoss if collection.several else metrics.TreeInducedError
                means = [
                    sum(loss(make(t, value), one, kind(t)) for one in chosen) / seeds
                    for value in VALUES
                ]
                cells = "".join(f"{mean:9.3f}" for mean in means)
                print(f"{name:16}{size:8}{title:14}{cells}{nothing:10.3f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=REAL)
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    main(arguments.data, arguments.only, arguments.seeds)
