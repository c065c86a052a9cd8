"""What does a tree over many classes cost, and what a decision in it?

    python tests/bench/induction.py

First `JensenShannonTree` with 300 classes, once with words as rare as those of texts, once
with every word in every class; then learners over more and more classes, medians of an example.
Times are the processor's.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
from river import linear_model, multiclass
from tqdm import tqdm

from river_hier import induction

WORDS = 5_000
DOCUMENT = 100  # words


def seconds(call: Any, *arguments: Any) -> tuple[float, Any]:
    """Of the processor, and what came out."""
    start = time.process_time()
    found = call(*arguments)
    return time.process_time() - start, found


def documents(n_classes: int, each: int, rng: np.random.Generator) -> list[tuple[Any, int]]:
    """Words by Zipf's law, whose order every class changes a little."""
    found = []
    for label in range(n_classes):
        rank = np.argsort(np.arange(WORDS) * rng.lognormal(sigma=1.0, size=WORDS))
        p = 1.0 / (1.0 + np.arange(WORDS))
        for _ in range(each):
            words = rank[rng.choice(WORDS, size=DOCUMENT, p=p / p.sum())]
            names, counts = np.unique(words, return_counts=True)
            found.append((dict(zip(map(str, names), counts.tolist(), strict=True)), label))
    return [found[i] for i in rng.permutation(len(found))]


def trees(n_classes: int, rng: np.random.Generator) -> None:
    print(f"{n_classes:,} classes, {WORDS:,} words")
    texts = documents(n_classes, 20, rng)
    dense = [
        (dict(zip(map(str, range(WORDS)), (1.0 + row).tolist(), strict=True)), label)
        for label, row in enumerate(rng.poisson(3.0, size=(n_classes, WORDS)))
    ]
    for name, examples in (("words of texts", texts), ("every word in every class", dense)):
        builder = induction.JensenShannonTree()
        learning, _ = seconds(lambda: [builder.learn_one(x, y) for x, y in examples])  # noqa: B023
        building, tree = seconds(builder.taxonomy)
        per_class = statistics.mean(map(len, builder.feature_counts.values()))
        print(
            f"  {name:28}{per_class:8,.0f} words a class{1e6 * learning / len(examples):8,.0f} us "
            f"to count an example{building:7.1f} s for the tree, height {tree.height}"
        )


def learners(rng: np.random.Generator) -> None:
    print("\nmilliseconds an example, learn / predict")
    sizes = (5, 10, 20, 40)
    rows: dict[str, list[str]] = {}
    for k in tqdm(sizes, leave=False):
        examples = documents(k, 400 // k, rng)
        builder = induction.JensenShannonTree()
        for x, y in examples:
            builder.learn_one(x, y)
        binary, t = linear_model.LogisticRegression(), builder.taxonomy()
        for name, model in {
            "hard": induction.BinaryDecomposition(binary, t),
            "soft": induction.SoftBinaryDecomposition(binary, t),
            "all-pairs (River)": multiclass.OneVsOneClassifier(binary),
            "one-vs-rest (River)": multiclass.OneVsRestClassifier(binary),
        }.items():
            learn, predict = [], []
            for x, y in examples:
                learn.append(seconds(model.learn_one, x, y)[0])
                predict.append(seconds(model.predict_one, x)[0])
            medians = (1e3 * statistics.median(times) for times in (learn, predict))
            rows.setdefault(name, []).append(" / ".join(f"{m:.2f}" for m in medians))
    print(f"{'classes':22}" + "".join(f"{k:>16}" for k in sizes))
    for name, cells in rows.items():
        print(f"{name:22}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--classes", type=int, default=300, help="classes of the trees")
    arguments = parser.parse_args()
    generator = np.random.default_rng(1)
    trees(arguments.classes, generator)
    learners(generator)
