"""A tree for labels that have none: `induction.balanced_tree` beside the publisher's, and none.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/flat_labels.py --data FOLDER

The folder holds `clinc150` (queries: train and val) and `icd` (descriptions of diagnoses: the
training part, of which the last 4,000 in a random order are predicted). Models make one pass with
`LogTFIDF`; the vectors of the labels are the sums of these features over the training examples. The
share of wrong answers, and microseconds of processor time to learn a text. The last line is about
random vectors of eight features.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

from real_texts import queries

from river_hier import Taxonomy, feature_extraction, induction, linear_model

Pairs = list[tuple[str, str]]


def clinc150(data: Path, seed: int) -> tuple[Taxonomy, Pairs, Pairs]:
    s = queries(data, seed)
    valid = zip(s.texts_valid, s.y_valid, strict=True)
    return s.taxonomy, list(zip(s.texts, s.y, strict=True)), list(valid)


def icd(data: Path, seed: int) -> tuple[Taxonomy, Pairs, Pairs]:
    def label(path: Any) -> str:
        return path if isinstance(path, str) else "/".join(path)

    with gzip.open(next((data / "icd").glob("*.jsonl.gz")), "rt") as file:
        t = Taxonomy([(label(u), label(v)) for u, v in json.loads(next(file))[1]])
        rows = map(json.loads, file)
        pairs = [(text, label(path)) for part, text, path in rows if part == "train"]
    random.Random(seed).shuffle(pairs)
    return t, pairs[:-4_000], pairs[-4_000:]


def trees(given: Taxonomy, vectors: dict[str, Counter[str]], seed: int) -> dict[str, Taxonomy]:
    labels = list(vectors)
    random.Random(seed).shuffle(labels)
    groups = [(f"group {i // 16}", v) for i, v in enumerate(labels)]
    by_chance = Taxonomy([*(("root", g) for g, _ in groups[::16]), *groups])
    found = {"the publisher's": given, "balanced_tree": induction.balanced_tree(vectors)}
    return {**found, "groups at random": by_chance}


def report(name: str, model: Any, train: Pairs, test: Pairs) -> None:
    model = feature_extraction.LogTFIDF() | model
    start = time.process_time()
    for x, y in train:
        model.learn_one(x, y)
    learning = 1e6 * (time.process_time() - start) / len(train)
    wrong = sum(model.predict_one(x) != y for x, y in test) / len(test)
    print(f"{name:40}{wrong:8.3f}{learning:8.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for collection in (clinc150, icd):
        t, train, test = collection(args.data, args.seed)
        print(f"{collection.__name__:40}{'wrong':>8}{'us':>8}")
        words = feature_extraction.LogTFIDF()
        vectors: dict[str, Counter[str]] = {y: Counter() for _, y in train + test}
        for x, y in train:
            words.learn_one(x)
            vectors[y].update(words.transform_one(x))
        for name, tree in trees(t, vectors, args.seed).items():
            report(
                f"HierarchicalSoftmax, {name}", linear_model.HierarchicalSoftmax(tree), train, test
            )
        report("PathSoftmax, the publisher's", linear_model.PathSoftmax(t), train, test)
        report("PathSoftmax, flat", linear_model.PathSoftmax(Taxonomy.flat(vectors)), train, test)
    rng = random.Random(args.seed)
    many = {i: {rng.randrange(50_000): 1.0 for _ in range(8)} for i in range(100_000)}
    start = time.process_time()
    t = induction.balanced_tree(many)
    print(f"{t}: {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
