"""What the form of an example costs: dense dicts of several kinds, and labels of several types.

    python tests/bench/forms.py

20 features, 121 labels, H-PERC. All forms take turns of 1,000 examples; printed are the medians of
`learn_one` and `predict_one`, in microseconds.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from tqdm import tqdm

from river_hier import Taxonomy, linear_model

TURNS, TURN, D = 40, 1_000, 20
NAMES = [f"f{j}" for j in range(D)]


def floats(row: Any) -> dict[str, float]:
    return dict(zip(NAMES, row.tolist(), strict=True))


FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[int], Any]]] = {
    "dict of float, int label": (floats, int),
    "dict of np.float64": (lambda row: dict(zip(NAMES, row, strict=True)), int),
    "dict of np.float32": (lambda row: dict(zip(NAMES, row.astype("f4"), strict=True)), int),
    "Counter": (lambda row: Counter(floats(row)), int),
    "defaultdict": (lambda row: defaultdict(float, floats(row)), int),
    "OrderedDict": (lambda row: OrderedDict(floats(row)), int),
    "np.int64 label": (floats, np.int64),
    "label in a set": (floats, lambda y: {y}),
    "label in a tuple": (floats, lambda y: (y,)),
    "float label": (floats, float),
}


def main() -> None:
    rng = np.random.default_rng(0)
    taxonomy = Taxonomy.from_parents({0: None} | {v: (v - 1) // 3 for v in range(1, 121)})
    models = {name: linear_model.HPerceptron(taxonomy) for name in FORMS}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in FORMS}
    for _ in tqdm(range(TURNS), unit="turn"):
        rows = rng.normal(size=(TURN, D)) / D**0.5
        leaves = rng.integers(40, 121, TURN).tolist()
        for name, (form, label) in FORMS.items():
            model = models[name]
            examples = [(form(row), label(leaf)) for row, leaf in zip(rows, leaves, strict=True)]
            start = time.process_time()
            for x, y in examples:
                model.learn_one(x, y)
            learned = time.process_time()
            for x, _y in examples:
                model.predict_one(x)
            times[name].append((learned - start, time.process_time() - learned))
    print(f"{'':26}{'learn_one':>10}{'predict_one':>13}")
    for name, found in times.items():
        learn, predict = (1e6 / TURN * statistics.median(part) for part in zip(*found, strict=True))
        print(f"{name:26}{learn:>10.1f}{predict:>13.1f}")


if __name__ == "__main__":
    main()
