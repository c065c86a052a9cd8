"""How many labels does a classifier need, if it may choose them?

    python examples/benchmarks/labels.py --data FOLDER

FOLDER holds `clinc150`, `products` and `icd`. A stream of each collection, in random order, is
predicted and learned in one pass, but for a fifth that is kept for the test; of the others, a share
of the labels is asked for. The figures are the shares of wrong answers on the test part, means over
the orders, with standard errors in brackets. All have the same features:

* margin: `active.MarginSampler` around `PathSoftmax`,
* random: labels at random, the same model,
* entropy: River's `EntropySampler`, whose discount factor is chosen, by bisection on the stream
  itself, so that it asks for this share,
* batch: uncertainty sampling with scikit-learn's logistic regression (C = 10), in ten rounds from a
  random tenth of the budget on; it sees all the texts before it asks.

Clicks: going down from the root, each child that is picked is one. From where the doubt begins
(`question_one`), what is above is not asked; if that node is wrong, this is a click more, and the
path is asked from the root.
"""

from __future__ import annotations

import argparse
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import selective
from river import active as river_active
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from river_hier import Taxonomy, active, feature_extraction, linear_model

BUDGETS = (0.1, 0.2, 0.3, 0.5)
Rows = list[tuple[dict[Any, float], Any]]


def features(pairs: selective.Pairs) -> Rows:
    words, rows = feature_extraction.LogTFIDF(), []
    for text, y in pairs:
        rows.append((words.transform_one(text), y))
        words.learn_one(text)
    return rows


def wrong(model: Any, test: Rows) -> float:
    return float(np.mean([model.predict_one(x) != y for x, y in test]))


def sampled(sampler: Any, train: Rows, test: Rows, t: Taxonomy | None = None) -> tuple[Any, ...]:
    """Wrong answers, the share that was asked for, clicks of whole paths, and from the doubt on."""
    asked, clicks = 0, np.zeros(2)
    for x, y in train:
        before = None if t is None else sampler.question_one(x)
        _, ask = sampler.predict_one(x)
        if ask:
            asked += 1
            sampler.learn_one(x, y)
            if t is not None:
                path, whole = t.path(y), t.depth(y)
                clicks += whole, whole - t.depth(before) if before in path else whole + 1
    return wrong(sampler.classifier, test), asked / len(train), *clicks


def by_entropy(t: Taxonomy, train: Rows, test: Rows, budget: float, seed: int) -> tuple[Any, ...]:
    low, high = 0.0, 64.0
    for _ in range(6):
        factor = (low + high) / 2.0 if low else high / 4.0
        model = river_active.EntropySampler(linear_model.PathSoftmax(t), factor, seed)
        found = sampled(model, train, test)
        if abs(found[1] - budget) < 0.01:
            break
        low, high = (factor, high) if found[1] > budget else (low, factor)
    return found


def in_batch(train: Rows, test: Rows, budget: float, seed: int) -> float:
    names = {name: i for i, name in enumerate(dict.fromkeys(n for x, _ in train for n in x))}

    def matrix(rows: Rows) -> Any:
        cells = [
            (i, names[n], v) for i, (x, _) in enumerate(rows) for n, v in x.items() if n in names
        ]
        i, j, v = zip(*cells, strict=True)
        return sparse.csr_array((v, (i, j)), shape=(len(rows), len(names)))

    X, y = matrix(train), np.array([str(y) for _, y in train])
    known = np.random.default_rng(seed).permutation(len(y))[: max(2, int(budget * len(y) / 10))]
    for _ in range(10):
        model = LogisticRegression(C=10.0, max_iter=60).fit(X[known], y[known])
        if len(known) >= int(budget * len(y)):
            break
        p = np.sort(model.predict_proba(X), axis=1)
        margin = p[:, -1] - p[:, -2]
        margin[known] = np.inf
        known = np.append(known, np.argsort(margin)[: math.ceil(budget * len(y) / 9)])
        known = known[: int(budget * len(y))]
    return float(np.mean(model.predict(matrix(test)) != np.array([str(y) for _, y in test])))


def run(t: Taxonomy, pairs: selective.Pairs, seed: int, batch: bool) -> dict[str, list[float]]:
    rows, rng = features(pairs), random.Random(seed)
    n = len(rows) * 4 // 5
    train, test, found = rows[:n], rows[n:], dict[str, list[float]]()
    for budget in BUDGETS:
        sampler = active.MarginSampler(linear_model.PathSoftmax(t), budget)
        error, share, whole, doubt = sampled(sampler, train, test, t)
        chance = linear_model.PathSoftmax(t)
        for x, y in train:
            if rng.random() < share:
                chance.learn_one(x, y)
        figures = [share, error, wrong(chance, test), by_entropy(t, train, test, budget, seed)[0]]
        figures.append(in_batch(train, test, budget, seed) if batch else math.nan)
        found[f"{budget:.0%}"] = [*figures, doubt / whole]
    every = linear_model.PathSoftmax(t)
    for x, y in train:
        every.learn_one(x, y)
    found["all"] = [1.0, *[wrong(every, test)] * 3, math.nan, math.nan]
    return found


def main(data: Path, seeds: int, most: int, names: list[str]) -> None:
    for name in names:
        t, pairs = selective.STREAMS[name](data)
        runs = []
        for seed in range(seeds):
            shuffled = random.Random(seed).sample(pairs, min(most, len(pairs)))
            runs.append(run(t, shuffled, seed, name == "queries"))
        columns = ("asked", "margin", "random", "entropy", "batch", "clicks")
        print(f"{name:<10}" + "".join(f"{column:>15}" for column in columns))
        for row in runs[0]:
            figures = np.array([found[row] for found in runs])
            errors = figures.std(axis=0, ddof=1) / math.sqrt(seeds)
            both = zip(figures.mean(axis=0), errors, strict=True)
            cells = ["-" if math.isnan(a) else f"{a:.3f} ({b:.3f})" for a, b in both]
            print(f"  {row:<8}{''.join(f'{cell:>15}' for cell in cells)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=12_000, help="texts of a collection")
    parser.add_argument("names", nargs="*", default=list(selective.STREAMS))
    options = parser.parse_args()
    main(options.data, options.seeds, options.most, options.names)
