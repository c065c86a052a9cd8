"""Rows like those of a sentence encoder: time and memory of the learners of dense features.

    python tests/bench/embeddings.py

6,000 rows of 384 columns, float32, of norm 1: noise around the means of 300 labels. The models
learn 5,000 rows in one batch and predict the others. Times are microseconds of processor time
a row.
"""

import time

import numpy as np

from river_hier import Taxonomy, ensemble, linear_model, probabilistic

ROWS, COLUMNS, LABELS = 6_000, 384, 300
MODELS = (
    probabilistic.LinearDiscriminant,
    probabilistic.NewtonSoftmax,
    ensemble.DensePool,
    linear_model.PathSoftmax,
)


def main():
    rng = np.random.default_rng(0)
    t = Taxonomy([("all", g) for g in range(15)] + [(v % 15, f"{v}") for v in range(LABELS)])
    y = rng.integers(LABELS, size=ROWS).astype(str)
    X = rng.normal(size=(LABELS, COLUMNS))[y.astype(int)] + 3 * rng.normal(size=(ROWS, COLUMNS))
    X = (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)
    split = ROWS - 1_000
    print(f"{'':20}{'learn, us':>12}{'predict, us':>12}{'MB':>8}{'right':>8}")
    for model in (cls(t) for cls in MODELS):
        start = time.process_time()
        model.learn_many(X[:split], y[:split])
        middle = time.process_time()
        answers = model.predict_many(X[split:])
        end = time.process_time()
        learning, predicting = 1e6 * (middle - start) / split, 1e6 * (end - middle) / (ROWS - split)
        size, right = model._raw_memory_usage / 1e6, np.mean(answers == y[split:])
        name = type(model).__name__
        print(f"{name:20}{learning:12.0f}{predicting:12.0f}{size:8.0f}{right:8.3f}")


if __name__ == "__main__":
    main()
