"""Dense features: how long does a batch take, beside one product of the rows with all weights?

    OPENBLAS_NUM_THREADS=1 python tests/bench/dense.py

Batches of 1,000 rows of normal numbers; a root, 10 groups and 1,000 labels. Printed are medians of
processor time over interleaved runs, in milliseconds, and their ratios to the product.
"""

import argparse
import statistics
import time

import numpy as np

from river_hier import Taxonomy, linear_model, probabilistic

ROWS = 1_000
MODELS = {
    name: getattr(linear_model, name) for name in ("Hieron", "HAROW", "HPerceptron", "PathSoftmax")
} | {"LinearDiscriminant": probabilistic.LinearDiscriminant}


def main(columns, repeats):
    t = Taxonomy([(0, g) for g in range(1, 11)] + [(1 + v % 10, 11 + v) for v in range(1_000)])
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((len(t), columns))
    models = {name: cls(t) for name, cls in MODELS.items()}
    times = {}

    def timed(what, call):
        start = time.process_time()
        call()
        times.setdefault(what, []).append(1e3 * (time.process_time() - start))

    for turn in range(repeats + 1):
        if turn == 1:
            times.clear()  # the first run warms up
        X = rng.standard_normal((ROWS, columns))
        y = rng.integers(11, len(t), size=ROWS).tolist()
        timed("one product", lambda X=X: X @ weights.T)
        for name, model in models.items():
            ys = [{v} for v in y] if name in ("HAROW", "HPerceptron") else y
            timed(f"{name}.learn_many", lambda m=model, X=X, ys=ys: m.learn_many(X, ys))
            if name == "LinearDiscriminant":
                timed("its first prediction then", lambda m=model, X=X: m.predict_many(X[:1]))
            timed(f"{name}.predict_many", lambda m=model, X=X: m.predict_many(X))
    medians = {what: statistics.median(spent) for what, spent in times.items()}
    for what, median in medians.items():
        print(f"{what:34}{median:10.2f}{median / medians['one product']:8.2f}x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--columns", type=int, default=768)
    parser.add_argument("--repeats", type=int, default=9)
    asked = parser.parse_args()
    main(asked.columns, asked.repeats)
