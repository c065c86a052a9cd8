"""How many labels does a classifier need, if it may choose them?

    python examples/benchmarks/labels.py --data FOLDER [COLLECTION ... [PART ...]]

FOLDER holds `clinc150`, `products`, `icd`, `letter` and `rcv1`. A stream of each collection, in
random order, is predicted and learned in one pass, but for a fifth that is kept for the test; of
the others, a share of the labels is asked for. The figures are the shares of wrong answers on the
test part, means over the orders, with standard errors in brackets.

The part `curves` compares, with the same features:

* margin: `active.MarginSampler` around `PathSoftmax`, or `ExtraTrees` for the dense rows of letter,
* quantile: the same margin, below the quantile of the latest 500,
* hindsight: the margin by which the true label is ahead of all others, as if it were known,
* random: labels at random, the same model,
* entropy: River's `EntropySampler`, whose discount factor is chosen, by bisection on the stream
  itself, so that it asks for this share,
* batch: uncertainty sampling with scikit-learn's logistic regression (C = 10), in ten rounds from a
  random tenth of the budget on; it sees all the texts before it asks.

Clicks: going down from the root, each child that is picked is one; the figure is the share that
remains if questions begin where `question_one` says. If the label is not there, this is a click
more, and the path is asked from the root.

`limits` is for 30 % of the labels, and shows what comes nearer to all of them: "early" knows how
long the stream is, and asks for a share of the texts that falls as one over the root of their
number; "twice" learns the labels that were asked for once more after the stream. "mistakes" asks
for the labels that the model gets wrong, as if they were known.

`promises` is for `Selective` with a risk of .05 and 30 % of the labels: the share of wrong answers
on the test part, and coverage, as in selective.py. The labels are all, random, those of the margin,
and those of the margin of which `Selective` sees the random third only; its model sees all.

`known` is for labels of which a third or two thirds are known down to the top level only: these
are dropped, learned by `Below`, or learned as inner labels. "gain" is by how much this is better
than dropping.

`rcv1` asks for the labels of RCV1-v2, several a document, of the LYRL2004 training part, of which
the last fifth is for the test; the figures are H-losses. SH-RLS learns what `ThresholdSampler` asks
for, and as many labels at random.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
from collections import deque
from functools import partial
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import selective
from river import active as river_active
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from river_hier import (
    Below,
    Taxonomy,
    active,
    datasets,
    decision,
    feature_extraction,
    forest,
    linear_model,
    losses,
)

BUDGETS = (0.1, 0.2, 0.3, 0.5)
PARTS = {"curves", "limits", "promises", "known"}
KNOWN = "dropped", "Below", "inner label"
THRESHOLDS = (0.001, 0.01, 0.1)  # c of SH-RLS
Rows = list[tuple[dict[Any, float], Any]]


def features(pairs: selective.Pairs) -> Rows:
    words, rows = feature_extraction.LogTFIDF(), []
    for text, y in pairs:
        rows.append((words.transform_one(text), y))
        words.learn_one(text)
    return rows


def parts(rows: Rows) -> tuple[Rows, Rows]:
    """What is learned, and the fifth that is tested."""
    n = len(rows) * 4 // 5
    return rows[:n], rows[n:]


def wrong(model: Any, test: Rows) -> float:
    return float(np.mean([model.predict_one(x) != y for x, y in test]))


class Quantile(river_active.base.ActiveLearningClassifier):  # type: ignore[misc]
    """Asks where the margin is below the quantile of the latest ones."""

    def __init__(self, classifier: Any, budget: float) -> None:
        super().__init__(classifier)
        self.budget, self.latest = budget, deque[float](maxlen=500)

    def _ask_for_label(self, x: Any, y_pred: Any) -> bool:
        first, second = nlargest(2, [*y_pred.values(), 0.0, 0.0])
        self.latest.append(first - second)
        return bool(first - second <= np.quantile(self.latest, self.budget))


class Hindsight(active.MarginSampler):
    """Asks where the true label is ahead of all others by little, or is not."""

    y: Any = None

    def _seen(self, x: Any) -> list[float]:
        p = self.classifier.predict_proba_one(x)
        right = p.get(self.y, 0.0)
        rival = max((p for label, p in p.items() if label != self.y), default=0.0)
        return [max(right - rival, 0.0)]


class Mistakes(active.MarginSampler):
    """Asks where the prediction is wrong."""

    y: Any = None

    def _ask_for_label(self, x: Any, y_pred: Any) -> bool:
        return bool(self.classifier.predict_one(x) != self.y)


class Early(active.MarginSampler):
    """Asks for ever fewer labels, `budget` of the n examples in all."""

    def __init__(self, classifier: Any, budget: float, n: int) -> None:
        super().__init__(classifier, budget)
        falling = np.arange(1, n + 1) ** -0.5
        factors = np.geomspace(0.1, 10.0, 1000) * budget * math.sqrt(n)
        found = [np.minimum(factor * falling, 1.0).mean() for factor in factors]
        most = factors[np.searchsorted(found, budget)]
        self.shares = iter(np.minimum(most * falling, 1.0).tolist())

    def _ask_for_label(self, x: Any, y_pred: Any) -> bool:
        self.budget = next(self.shares)
        return super()._ask_for_label(x, y_pred)


def sampled(sampler: Any, train: Rows, test: Rows, t: Taxonomy | None = None) -> tuple[Any, ...]:
    """Wrong answers, the share that was asked for, clicks of whole paths, and of questions."""
    asked, clicks = 0, np.zeros(2)
    for x, y in train:
        sampler.y = y
        before = None if t is None else sampler.question_one(x)
        _, ask = sampler.predict_one(x)
        if ask:
            asked += 1
            sampler.learn_one(x, y)
            if t is not None:
                path, whole = t.path(y), t.depth(y)
                clicks += whole, whole - t.depth(before) if before in path else whole + 1
    return wrong(sampler.classifier, test), asked / len(train), *clicks


def bisected(make: Any, ask: Any, budget: float, high: float) -> tuple[Any, ...]:
    """What `ask` finds with the parameter at which it asks for this share; larger ones ask less."""
    low = 0.0
    for _ in range(7):
        middle = (low + high) / 2.0 if low else high / 4.0
        found: tuple[Any, ...] = ask(make(middle))
        if abs(found[1] - budget) < 0.01:
            break
        low, high = (middle, high) if found[1] > budget else (low, middle)
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


def by_chance(model: Any, train: Rows, test: Rows, share: float, seed: int) -> Any:
    rng = random.Random(seed)
    for x, y in train:
        if rng.random() < share:
            model.learn_one(x, y)
    return wrong(model, test)


def run(make: Any, t: Taxonomy, rows: Rows, seed: int, batch: bool) -> dict[str, list[float]]:
    train, test = parts(rows)
    found = dict[str, list[float]]()
    ask = partial(sampled, train=train, test=test)

    def by_entropy(factor: float) -> Any:
        return river_active.EntropySampler(make(t), factor, seed)

    for budget in BUDGETS:
        sampler = active.MarginSampler(make(t), budget)
        error, share, whole, clicks = ask(sampler, t=t)
        figures = [share, error, ask(Quantile(make(t), budget))[0]]
        figures.append(ask(Hindsight(make(t), budget))[0])
        figures.append(by_chance(make(t), train, test, share, seed))
        figures.append(bisected(by_entropy, ask, budget, 64.0)[0])
        figures.append(in_batch(train, test, budget, seed) if batch else math.nan)
        found[f"{budget:.0%}"] = [*figures, clicks / whole]
    every = by_chance(make(t), train, test, 1.0, seed)
    found["all"] = [1.0, *[every] * 5, math.nan, math.nan]
    return found


def limits(t: Taxonomy, rows: Rows) -> dict[str, list[float]]:
    train, test = parts(rows)
    found = dict[str, list[float]]()
    for name in ("margin", "margin, twice", "early", "early, twice", "mistakes", "all"):
        model, seen = linear_model.PathSoftmax(t), Rows()
        budget = 1.0 if name == "all" else 0.3
        sampler: Any = active.MarginSampler(model, budget)
        if "early" in name:
            sampler = Early(model, budget, len(train))
        elif name == "mistakes":
            sampler = Mistakes(model)
        for x, y in train:
            sampler.y = y
            if sampler.predict_one(x)[1]:
                sampler.learn_one(x, y)
                seen.append((x, y))
        for x, y in seen * ("twice" in name):
            model.learn_one(x, y)
        found[name] = [len(seen) / len(train), wrong(model, test)]
    margin, every = found["margin"][1], found["all"][1]
    return {name: [*row, row[1] - margin, row[1] - every] for name, row in found.items()}


def promises(t: Taxonomy, rows: Rows, seed: int) -> dict[str, list[float]]:
    (train, test), rng = parts(rows), random.Random(seed)
    coverage, found = selective.coverages(t), dict[str, list[float]]()
    for name in ("all", "random", "margin", "margin and random"):
        model = decision.Selective(linear_model.PathSoftmax(t), 0.05)
        sampler, asked = active.MarginSampler(model, 0.2 if "and" in name else 0.3), 0
        for x, y in train:
            by_margin = "margin" in name and sampler.predict_one(x)[1]
            share = {"all": 1.0, "random": 0.3, "margin": 0.0}.get(name, 0.1 / 0.8)
            chosen = not by_margin and rng.random() < share
            asked += by_margin or chosen
            if chosen or (by_margin and "and" not in name):
                model.learn_one(x, y)
            elif by_margin:
                model.model.learn_one(x, y)
        answers = [(model.predict_one(x), t.path(y)) for x, y in test]
        wrong = float(np.mean([v not in path for v, path in answers]))
        found[name] = [asked / len(train), wrong, float(np.mean([coverage[v] for v, _ in answers]))]
    return found


def rcv1(train: Rows, test: Rows, t: Taxonomy, seed: int) -> dict[str, list[float]]:
    def h_loss(model: Any) -> float:
        return float(np.mean([losses.h_loss(t, y, model.predict_one(x)) for x, y in test]))

    def ask(sampler: Any) -> tuple[float, float]:
        asked = 0
        for x, y in train:
            if sampler.predict_one(x)[1]:
                sampler.learn_one(x, y)
                asked += 1
        return h_loss(sampler.classifier), asked / len(train)

    def at_random(model: Any, share: float) -> float:
        rng = random.Random(seed)
        for x, y in train:
            if rng.random() < share:
                model.learn_one(x, y)
        return h_loss(model)

    found = dict[str, list[float]]()
    for c in THRESHOLDS:
        error, share = ask(active.ThresholdSampler(linear_model.SHRLS(t, threshold=c)))
        chance = at_random(linear_model.SHRLS(t, threshold=c), share)
        found[f"SHRLS, c={c}"] = [share, error, chance]
    found["SHRLS, all"] = [1.0, *[at_random(linear_model.SHRLS(t, threshold=c), 1.0)] * 2]
    return found


def known(t: Taxonomy, train: Rows, test: Rows, seed: int, several: bool) -> dict[str, list[float]]:
    """Errors if a share of the labels is known down to the top level, below the root, only."""

    def error(share: float, change: Any) -> float:
        model: Any = linear_model.HAROW(t) if several else linear_model.PathSoftmax(t)
        rng = random.Random(seed)
        for x, y in train:
            labels = [v for v, on in y.items() if on] if several else [y]
            top = {t.path(label)[1] for label in labels if t.depth(label)}
            cut = change(top if several else next(iter(top), t.root)) if rng.random() < share else y
            if cut is not None:
                model.learn_one(x, cut)
        lost = losses.h_loss if several else lambda _, *pair: float(pair[0] != pair[1])
        return float(np.mean([lost(t, y, model.predict_one(x)) for x, y in test]))

    found = {"0": [error(0.0, Below)] * 3}
    for share in (1 / 3, 2 / 3):
        dropped, below, whole = (error(share, c) for c in (lambda _: None, Below, lambda y: y))
        found[f"{share:.2f}"] = [dropped, below, whole]
        found[f"{share:.2f}, gain"] = [0.0, dropped - below, dropped - whole]
    return found


def report(title: str, columns: tuple[str, ...], runs: list[dict[str, list[float]]]) -> None:
    print(f"{title:<20}" + "".join(f"{column:>15}" for column in columns))
    for row in runs[0]:
        figures = np.array([found[row] for found in runs])
        errors = figures.std(axis=0, ddof=1) / math.sqrt(len(runs))
        both = zip(figures.mean(axis=0), errors, strict=True)
        cells = ["-" if math.isnan(a) else f"{a:.3f} ({b:.3f})" for a, b in both]
        print(f"  {row:<18}{''.join(f'{cell:>15}' for cell in cells)}", flush=True)


def letter(data: Path) -> tuple[Taxonomy, Rows]:
    with gzip.open(data / "letter" / "letter.jsonl.gz", "rt") as file:
        (_, edges), *rows = map(json.loads, file)
    return Taxonomy(map(tuple, edges)), [(x, y) for _, x, y in rows]


def main(data: Path, seeds: int, most: int, names: list[str]) -> None:
    wanted = PARTS.intersection(names) or PARTS
    columns = "asked", "margin", "quantile", "hindsight", "random", "entropy", "batch", "clicks"
    for name in [name for name in names if name in selective.STREAMS]:
        t, pairs = selective.STREAMS[name](data)
        drawn = [random.Random(s).sample(pairs, min(most, len(pairs))) for s in range(seeds)]
        orders, make = [features(pairs) for pairs in drawn], linear_model.PathSoftmax
        if "curves" in wanted:
            batch = name == "queries"
            report(name, columns, [run(make, t, o, s, batch) for s, o in enumerate(orders)])
        if "limits" in wanted:
            runs = [limits(t, order) for order in orders]
            report(f"{name}, 30 %", ("asked", "wrong", "over margin", "over all"), runs)
        if "known" in wanted:
            runs = [known(t, *parts(order), s, False) for s, order in enumerate(orders)]
            report(f"{name}, known in part", KNOWN, runs)
        if "promises" in wanted:
            runs = [promises(t, order, seed) for seed, order in enumerate(orders)]
            report(f"{name}, risk .05", ("asked", "wrong", "coverage"), runs)
    if "letter" in names and "curves" in wanted:
        t, dense = letter(data)
        orders = [random.Random(seed).sample(dense, len(dense)) for seed in range(seeds)]
        make = partial(forest.ExtraTrees, seed=1)
        report("letter", columns, [run(make, t, o, s, False) for s, o in enumerate(orders)])
    if "rcv1" in names:
        stream = datasets.RCV1(data / "rcv1")
        rows, t = list(islice(stream, most)), stream.taxonomy
        orders = [random.Random(seed).sample(rows, len(rows)) for seed in range(seeds)]
        if "curves" in wanted:
            runs = [rcv1(*parts(rows), t, seed) for seed, rows in enumerate(orders)]
            report("rcv1, H-loss", ("asked", "sampler", "random"), runs)
        if "known" in wanted:
            runs = [known(t, *parts(rows), seed, True) for seed, rows in enumerate(orders)]
            report("rcv1, known in part", KNOWN, runs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=12_000, help="texts of a collection")
    parser.add_argument(
        "names", nargs="*", default=[*selective.STREAMS, "letter", "rcv1"], metavar="NAME"
    )
    options = parser.parse_args()
    main(options.data, options.seeds, options.most, options.names)
