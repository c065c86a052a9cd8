"""What is lost if a model of dense rows stores a tenth of the stream: letters (UCI).

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/budget.py --data FOLDER

The folder holds `letter`: 8,000 examples to learn, shuffled, in one pass, and 4,000 to predict. The
share of wrong answers, of all letters and of the 13 that stop: in the second stream, the first half
of the examples has all 26 letters, and the other half those of an even number only. The budget is
the number of stored examples, more than there are and a tenth of them. `DensePool` has five
members, of which three store nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from river_hier import Taxonomy, ensemble, forest, probabilistic

BUDGETS = 10_000, 800
MODELS: dict[str, Callable[[Taxonomy, int], Any]] = {
    "LinearDiscriminant": lambda t, budget: probabilistic.LinearDiscriminant(t),
    "DiscriminantNeighbors": lambda t, budget: probabilistic.DiscriminantNeighbors(
        t, budget=budget
    ),
    "ExtraTrees": lambda t, budget: forest.ExtraTrees(t, budget=budget),
    "DensePool": lambda t, budget: ensemble.DensePool(t, budget=budget),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    with gzip.open(parser.parse_args().data / "letter" / "letter.jsonl.gz", "rt") as file:
        edges = json.loads(next(file))[1]
        rows = [json.loads(line) for line in file]
    t = Taxonomy(edges)
    X = np.array([list(x.values()) for _, x, _ in rows])
    y = np.array([label for *_, label in rows])
    train = np.flatnonzero([part == "train" for part, *_ in rows])
    test = np.setdiff1d(np.arange(len(rows)), train)
    np.random.default_rng(0).shuffle(train)
    stops = np.isin(y, sorted(set(y.tolist()))[::2])
    late = np.arange(len(train)) >= len(train) // 2
    orders = {"all": train, "13 letters stop": train[~(late & stops[train])]}
    print(f"{'':24}{'budget':>8}{'stream':>18}{'wrong':>8}{'of those that stop':>20}")
    for name, make in MODELS.items():
        for budget in BUDGETS if name != "LinearDiscriminant" else [0]:
            for stream, order in orders.items():
                model = make(t, budget)
                model.learn_many(X[order], y[order].tolist())
                wrong = np.asarray(model.predict_many(X[test])) != y[test]
                of_them = wrong[stops[test]].mean()
                print(
                    f"{name:24}{budget:>8,}{stream:>18}{wrong.mean():>8.3f}{of_them:>20.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
