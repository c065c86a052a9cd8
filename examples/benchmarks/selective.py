"""How specific can answers be if at most 2 or 5 % of them may be wrong?

    python examples/benchmarks/selective.py --data FOLDER

FOLDER holds `clinc150`, `products`, `icd`, `goemotions` and `rcv1`. A stream of each collection, in
random order, is predicted and learned in one pass; the publisher's test parts are not read. An
answer is right if the label is the answer or below it. The figures are means over the last half of
the stream, and over the seeds, with standard errors in brackets:

* wrong: the share of wrong answers, the root included, which is right for every label,
* below: the share of wrong answers among those below the root,
* coverage: 1 - log(leaves below the answer) / log(leaves), 1 for leaves and 0 for the root,
* complete: the share of answers that are right and exactly the label.

All have the same features, and learn by `PathSoftmax`. "flat" has a taxonomy of all labels below
the root, so that an answer is a label or none.

The last two collections have several labels, of which `Calibrated(HAROW)` learns. There an answer
is wrong if one of its nodes is off, "below" is among the answers with a node, "coverage" the share
of the nodes that are on and said, and "complete" that of the answers that are exactly the labels.
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
import splits

from river_hier import Taxonomy, datasets, decision, feature_extraction, linear_model

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


def goemotions(data: Path) -> tuple[Taxonomy, Pairs]:
    t, pairs = splits.examples(data / "goemotions" / "goemotions.jsonl.gz")
    return t, [(text, set(y.split(" > ")) - {t.root}) for text, y in pairs]


def rcv1(data: Path) -> tuple[Taxonomy, Pairs]:
    stream = datasets.RCV1(data / "rcv1")
    return stream.taxonomy, [(x, {v for v, on in y.items() if on}) for x, y in stream]


SEVERAL = {"goemotions": goemotions, "rcv1": rcv1}


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


def entries_of_sets(t: Taxonomy) -> Iterator[tuple[str, Any, Callable[[Any, Any], Any]]]:
    def model() -> Any:
        return decision.Calibrated(linear_model.HAROW(t))

    for threshold in (0.5, 0.95):
        yield (
            f"threshold={threshold}",
            model(),
            lambda model, x, threshold=threshold: model.predict_labels_one(x, threshold),
        )
    for risk in (0.05, 0.2):
        for name, root in (("", 1.0), (", root=0.1", 0.1)):
            selective = decision.Selective(model(), risk, root=root)
            yield f"risk={risk}{name}", selective, lambda model, x: model.predict_labels_one(x)


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


def run_sets(t: Taxonomy, pairs: Pairs) -> dict[str, list[float]]:
    words, found, xs = feature_extraction.LogTFIDF(), {}, []
    for x, _ in pairs:
        xs.append(words.transform_one(x) if isinstance(x, str) else x)
        if isinstance(x, str):
            words.learn_one(x)
    for name, model, answer in entries_of_sets(t):
        rows = []
        for x, (_, y) in zip(xs, pairs, strict=True):
            said = set(answer(model, x))
            rows.append([not said <= y, bool(said), len(said & y) / max(len(y), 1), said == y])
            model.learn_one(x, y)
        wrong, below, *others = np.mean(rows[len(rows) // 2 :], axis=0).tolist()
        found[name] = [wrong, wrong / below, *others]
    return found


def main(data: Path, seeds: int, only: str) -> None:
    for name, stream in (STREAMS | SEVERAL).items():
        if only not in name:
            continue
        t, pairs = stream(data)
        runs = []
        for seed in range(seeds):
            shuffled = pairs.copy()
            random.Random(seed).shuffle(shuffled)
            runs.append((run_sets if name in SEVERAL else run)(t, shuffled))
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
    parser.add_argument("--only", default="", help="a part of the name of the collections")
    options = parser.parse_args()
    main(options.data, options.seeds, options.only)
