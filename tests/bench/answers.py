"""What a list of labels costs beside the dictionary of all nodes, and the five best beside both.

    python tests/bench/answers.py

learns a synthetic stream of words in trees and a DAG of different sizes, and prints the processor
time of a call in microseconds: medians of interleaved rounds. `predict_one` builds a dictionary of
all nodes; `predict_labels_one` visits only the children of nodes that are on.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from river_hier import Taxonomy, inspection, linear_model

MODELS: dict[str, Callable[[Taxonomy], Any]] = {
    "H-PERC": linear_model.HPerceptron,
    "H-AROW": linear_model.HAROW,
    "H-PERC, averaged": lambda t: linear_model.AveragedMultiLabelClassifier(
        linear_model.HPerceptron(t)
    ),
}


def taxonomy(n: int, n_parents: int) -> Taxonomy:
    """Nodes of ten children each; with two parents, a DAG."""
    edges = [("root", f"n{v}") for v in range(1, 11)]
    for v in range(11, n):
        first = (v - 1) // 10
        edges += [(f"n{p}", f"n{v}") for p in {first, max(1, first - 1)}][:n_parents]
    return Taxonomy(edges)


def examples(t: Taxonomy, n: int, seed: int) -> list[tuple[dict[str, float], set[str]]]:
    """Four words for each label that is on, and ten others."""
    rng = random.Random(seed)
    stream = []
    for _ in range(n):
        leaf = rng.choice(t.leaves)
        words = [f"{v} {rng.randrange(6)}" for v in t.closure([leaf]) for _ in range(4)]
        words += [f"any {rng.randrange(1000)}" for _ in range(10)]
        stream.append((dict.fromkeys(words, 1.0), {leaf}))
    return stream


def microseconds(call: Callable[[Any], Any], xs: list[Any]) -> float:
    start = time.process_time()
    for x in xs:
        call(x)
    return (time.process_time() - start) / len(xs) * 1e6


def main(n_examples: int, rounds: int) -> None:
    kinds = "predict_one", "predict_labels_one", "top_one", "labels that are on"
    print(f"{'':34}" + "".join(f"{kind:>20}" for kind in kinds))
    for n, n_parents in ((100, 1), (1_000, 1), (10_000, 1), (10_000, 2)):
        t = taxonomy(n, n_parents)
        stream = examples(t, n_examples, seed=1)
        xs = [x for x, _ in stream[-100:]]
        for name, make in MODELS.items():
            model = make(t)
            for x, y in stream[:-100]:
                model.learn_one(x, y)
            calls = (
                model.predict_one,
                model.predict_labels_one,
                lambda x, model=model: inspection.top_one(model, x),
            )
            times = [[microseconds(call, xs) for call in calls] for _ in range(rounds)]
            medians = [statistics.median(column) for column in zip(*times, strict=True)]
            size = statistics.mean(len(model.predict_labels_one(x)) for x in xs)
            kind = "a tree" if t.is_tree else "a DAG"
            cells = "".join(f"{value:>20,.1f}" for value in [*medians, size])
            print(f"{f'{kind} of {n:,}, {name}':34}{cells}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    main(arguments.examples, arguments.rounds)
