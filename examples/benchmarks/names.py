"""What are the names of categories worth, before the first label and after it?

    python examples/benchmarks/names.py --data FOLDER [--seeds 3] [COLLECTION ... [PART ...]]

FOLDER holds `clinc150`, `products`, `trec` and `icd`: queries, titles, questions and diagnoses. The
taxonomies of the first two have names; those of questions are abbreviations ("HUM:ind"), and those
of diagnoses are codes, which are left out.

The part `curve` has the share of wrong answers on the test part after so many labels of a stream in
random order, of `TextViews() | PathSoftmax(margin=1)` and of `make_views(encoder=True)`, with and
without `learn_names`.

`new` leaves 20 leaves out of the stream, and adds them at its end by their names alone: the share
of their texts that is right before their first example, and by how much the other texts lose.

`sampler` has the share of wrong answers if `MarginSampler` asks for 1 to 30 % of the labels of at
most 12,000 texts.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from short_texts import intents, products, queries

from river_hier import Taxonomy, active, ensemble, feature_extraction, linear_model
from river_hier.stream import learn_names

SIZES = 0, 100, 300, 1_000, 3_000, 15_000
BUDGETS = 0.01, 0.02, 0.05, 0.1, 0.3
PARTS = "curve", "new", "sampler"
TEST = 3_000  # texts of a collection, at most
Pairs = list[tuple[str, Any]]


class Texts(NamedTuple):
    taxonomy: Taxonomy
    train: Pairs
    test: Pairs


def jsonl(folder: Path, name: str) -> Texts:
    def label(v: Any) -> Any:
        return tuple(v) if isinstance(v, list) else v

    with gzip.open(folder / f"{name}.jsonl.gz", "rt") as file:
        (_, edges), *rows = map(json.loads, file)
    t = Taxonomy([(label(a), label(b)) for a, b in edges])
    train, test = (
        [(x, label(y)) for part, x, y in rows if (part == "train") is learned]
        for learned in (True, False)
    )
    return Texts(t, train, test)


def collection(name: str, data: Path) -> Texts:
    if name == "queries":
        folder = data / "clinc150"
        return Texts(intents(folder), queries(folder, "train"), queries(folder, "val"))
    if name == "titles":
        df = products(data / "products").dropna(subset="category")
        paths = [tuple(path.split(" >> ")) for path in df.category]
        pairs = list(zip(df.product_name, paths, strict=True))
        random.Random(0).shuffle(pairs)
        n = len(pairs) // 5
        return Texts(Taxonomy.from_paths(paths, labels="path"), pairs[n:], pairs[:n])
    file = {"questions": "trec", "diagnoses": "icd"}[name]
    return jsonl(data / file, file)


def views(t: Taxonomy) -> Any:
    return feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1.0)


def pooled(t: Taxonomy) -> Any:
    return ensemble.make_views(t, texts=[None], encoder=True)


MODELS = {"words": views, "words and encoder": pooled}


def wrong(model: Any, test: Pairs) -> float:
    return float(np.mean([model.predict_one(x) != y for x, y in test]))


def curve(make: Any, named: bool, texts: Texts) -> list[float]:
    model, found = make(texts.taxonomy), []
    if named:
        learn_names(model)
    for a, b in zip((0, *SIZES), SIZES, strict=False):
        for x, y in texts.train[a:b]:
            model.learn_one(x, y)
        found.append(wrong(model, texts.test))
    return found


def new(make: Any, texts: Texts, seed: int) -> list[float]:
    t, asked = texts.taxonomy, {y for _, y in texts.test}
    left = set(random.Random(seed).sample([v for v in t.leaves if v in asked], 20))
    before = t.subset([v for v in t if v not in left])
    model = make(before)
    learn_names(model)
    for x, y in texts.train:
        if y not in left:
            model.learn_one(x, y)
    ours, others = ([(x, y) for x, y in texts.test if (y in left) is new] for new in (True, False))
    named = copy.deepcopy(model)
    learn_names(named, before.extend([(t.parent(v), v) for v in t.nodes if v in left]))
    return [1.0 - wrong(named, ours), wrong(named, others) - wrong(model, others)]


def sampled(make: Any, named: bool, budget: float, texts: Texts) -> list[float]:
    model, asked = make(texts.taxonomy), 0
    if named:
        learn_names(model)
    sampler = active.MarginSampler(model, budget)
    for x, y in texts.train[:12_000]:
        if sampler.predict_one(x)[1]:
            sampler.learn_one(x, y)
            asked += 1
    return [asked / min(len(texts.train), 12_000), wrong(model, texts.test)]


def mean(rows: list[list[float]]) -> str:
    return "".join(f"{figure:9.3f}" for figure in np.mean(rows, axis=0))


def main(data: Path, seeds: int, names: list[str]) -> None:
    wanted = [part for part in PARTS if part in names] or PARTS
    for name in [name for name in names if name not in PARTS]:
        texts, orders = collection(name, data), []
        n = min(TEST, len(texts.test))
        texts = texts._replace(test=random.Random(0).sample(texts.test, n))
        for seed in range(seeds):
            rows = random.Random(seed).sample(texts.train, len(texts.train))
            orders.append(texts._replace(train=rows))
        if "curve" in wanted:
            print(f"{name + ', labels':36}" + "".join(f"{n:9,}" for n in SIZES))
            for title, make in MODELS.items():
                for named in (False, True):
                    row = mean([curve(make, named, order) for order in orders])
                    print(f"  {title + ', names' * named:34}{row}", flush=True)
        if "new" in wanted and name in ("queries", "titles"):
            print(f"{name + ', 20 new categories':36}    right others lose")
            for title, make in MODELS.items():
                row = mean([new(make, order, seed) for seed, order in enumerate(orders)])
                print(f"  {title:34}{row}", flush=True)
        if "sampler" in wanted and name in ("queries", "titles"):
            print(f"{name + ', asked for':36}    asked    wrong")
            for title, make in MODELS.items():
                for named in (False, True):
                    for budget in BUDGETS:
                        row = mean([sampled(make, named, budget, order) for order in orders])
                        print(
                            f"  {title + ', names' * named + f', {budget:.0%}':34}{row}", flush=True
                        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "names", nargs="*", default=["queries", "titles", "questions", "diagnoses"], metavar="NAME"
    )
    options = parser.parse_args()
    main(options.data, options.seeds, options.names)
