"""A tree for labels that have none: `induction.balanced_tree` beside the publisher's, and none.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/flat_labels.py --data FOLDER

The folder holds `clinc150` (queries: train and val) and `icd` (descriptions of diagnoses: the
training part, of which the last 4,000 in a random order are predicted). Models make one pass with
`LogTFIDF`; the vectors of the labels are the sums of these features over the training examples. The
share of wrong answers, and microseconds of processor time to learn a text. The last lines are about
random vectors of eight features: seconds and memory to build a tree, and microseconds to learn and
predict an example, which has the features of its label and 15 others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import time
from collections import Counter
from itertools import pairwise
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


def very_many(n: int, seed: int) -> None:
    rng = random.Random(seed)
    many = {i: {rng.randrange(50_000): 1.0 for _ in range(8)} for i in range(n)}
    kilobytes, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    t = induction.balanced_tree(many)
    building = time.process_time() - start
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - kilobytes
    model, examples = linear_model.HierarchicalSoftmax(t), []
    for _ in range(8_000):
        y = 7919 * int(rng.paretovariate(1.0)) % n
        words = {f"w{rng.randrange(50_000)}": 0.2 for _ in range(15)}
        examples.append(({**many[y], **words}, y))
    half = len(examples) // 2
    for x, y in examples[:half]:
        model.learn_one(x, y)
    times = [time.process_time()]
    for x, y in examples[half:]:
        model.learn_one(x, y)
    times.append(time.process_time())
    for x, _ in examples[half:]:
        model.predict_one(x)
    times.append(time.process_time())
    learning, predicting = (1e6 * (b - a) / half for a, b in pairwise(times))
    print(f"{t}: {building:.1f} s, {kilobytes / 1e3:.0f} MB", end="; ")
    print(f"{learning:.0f} us, {predicting:.0f} us", flush=True)


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
    for n in (100_000, 1_000_000):
        very_many(n, args.seed)


if __name__ == "__main__":
    main()
