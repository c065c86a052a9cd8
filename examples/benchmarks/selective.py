"""How specific can answers be if at most 2 or 5 % of them may be wrong?

    python examples/benchmarks/selective.py --data FOLDER

FOLDER holds `clinc150`, `products` and `icd`. A stream of each collection, in random order, is
predicted and learned in one pass; the publisher's test parts are not read. An answer is right if
the label is the answer or below it. The figures are means over the last half of the stream, and
over the seeds, with standard errors in brackets:

* wrong: the share of wrong answers, the root included, which is right for every label,
* below: the share of wrong answers among those below the root,
* coverage: 1 - log(leaves below the answer) / log(leaves), 1 for leaves and 0 for the root,
* complete: the share of answers that are right and exactly the label.

All have the same features, and learn by `PathSoftmax`. "flat" has a taxonomy of all labels below
the root, so that an answer is a label or none.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import short_texts

from river_hier import Taxonomy, decision, feature_extraction, linear_model

Pairs = list[tuple[str, Any]]
RISKS = (0.02, 0.05)


# %% Streams
def queries(data: Path) -> tuple[Taxonomy, Pairs]:
    folder = data / "clinc150"
    return short_texts.intents(folder), [
        pair for part in ("train", "val") for pair in short_texts.queries(folder, part)
    ]


def products(data: Path) -> tuple[Taxonomy, Pairs]:
    df = short_texts.products(data / "products").dropna(subset=["category"])
    t = Taxonomy.from_paths(df.category, separator=" >> ", labels="path")
    return t, list(zip(df.product_name, df.category, strict=True))


def icd(data: Path) -> tuple[Taxonomy, Pairs]:
    """Descriptions of codes and their categories, the training part; labels are joined paths."""
    with gzip.open(data / "icd" / "icd.jsonl.gz", "rt") as file:
        (_, edges), *rows = map(json.loads, file)
    t = Taxonomy([tuple("/".join(v) if v != "root" else v for v in edge) for edge in edges])
    return t, [(text, "/".join(path)) for part, text, path in rows if part == "train"]


STREAMS = {"queries": queries, "products": products, "icd": icd}


# %% Models
def with_threshold(threshold: float) -> Callable[[Any, Any], Any]:
    return lambda model, x: model.predict_one(x, threshold=threshold)


def by_itself(model: Any, x: Any) -> Any:
    return model.predict_one(x)


def entries(t: Taxonomy, pairs: Pairs) -> Iterator[tuple[str, Any, Callable[[Any, Any], Any]]]:
    """The name, the model and the answer of each row."""
    flat = Taxonomy.flat(dict.fromkeys(y for _, y in pairs if y != t.root), root=t.root)
    yield "all", linear_model.PathSoftmax(t), by_itself
    for threshold in (0.9, *(1.0 - risk for risk in RISKS)):
        yield f"threshold={threshold}", linear_model.PathSoftmax(t), with_threshold(threshold)
    for risk in RISKS:
        for name, tree in (("", t), ("flat, ", flat)):
            model = decision.Selective(linear_model.PathSoftmax(tree), risk)
            yield f"{name}risk={risk}", model, by_itself


# %% Figures
def coverages(t: Taxonomy) -> dict[Any, float]:
    leaves = {v: sum(not t.children(u) for u in (v, *t.descendants(v))) for v in t.nodes}
    return {v: 1.0 - math.log(n) / math.log(leaves[t.root]) for v, n in leaves.items()}


def run(t: Taxonomy, pairs: Pairs) -> dict[str, list[float]]:
    """Wrong, wrong below the root, coverage and complete of each row."""
    words, found = feature_extraction.LogTFIDF(), {}
    xs = []
    for text, _ in pairs:
        xs.append(words.transform_one(text))
        words.learn_one(text)
    coverage = coverages(t)
    paths = {y: set(t.path(y)) for _, y in pairs}
    for name, model, answer in entries(t, pairs):
        rows = []
        for x, (_, y) in zip(xs, pairs, strict=True):
            v = answer(model, x)
            rows.append([v not in paths[y], v != t.root, coverage[v], v == y])
            model.learn_one(x, y)
        wrong, below, *others = np.mean(rows[len(rows) // 2 :], axis=0).tolist()
        found[name] = [wrong, wrong / below, *others]
    return found


def main(data: Path, seeds: int) -> None:
    for name, stream in STREAMS.items():
        t, pairs = stream(data)
        runs = []
        for seed in range(seeds):
            shuffled = pairs.copy()
            random.Random(seed).shuffle(shuffled)
            runs.append(run(t, shuffled))
        print(f"{name:<20}{'wrong':>16}{'below':>16}{'coverage':>16}{'complete':>16}")
        for row in runs[0]:
            figures = np.array([found[row] for found in runs])
            errors = figures.std(axis=0, ddof=1) / math.sqrt(seeds)
            both = zip(figures.mean(axis=0), errors, strict=True)
            cells = [f"{mean:.4f} ({error:.4f})" for mean, error in both]
            print(f"  {row:<18}{''.join(f'{cell:>16}' for cell in cells)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    main(options.data, options.seeds)
