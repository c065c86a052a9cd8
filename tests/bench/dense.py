"""Dense features: how long does a batch take, beside one product of BLAS and beside class means?

    python tests/bench/dense.py [--columns 768]

Batches of 1,000 rows of normal numbers, with 1,000 labels (a root and 10 groups of 100) and with
5,000 (10 groups of 500). Columns of times are milliseconds of processor time a batch, medians over
interleaved runs, with the ratio of medians to the first row of the block. Learning: class means by
`np.add.at`, by a loop over rows, then `LinearDiscriminant`, and once one batch of linear learners
and of `SGDClassifier(log_loss)`, whose time grows with the number of labels. Predicting: the
product of the rows with a matrix of weights in the same type, then `predict_many` and
`predict_proba_many` of models that have predicted before; `SGDClassifier` has random weights, since
learning 5,000 labels takes it minutes. The last block is what comes between: one example after the
other, predicted and learned, and the first prediction after a batch.
"""

import argparse
import statistics
import time
from functools import partial

import numpy as np
from sklearn.linear_model import SGDClassifier

from river_hier import Taxonomy, linear_model, probabilistic

ROWS = 1_000
LINEAR = ("Hieron", "AveragedHieron", "HPerceptron", "HAROW")


def tree(n):
    """A root, 10 groups, and n labels below them."""
    return Taxonomy([(0, g) for g in range(1, 11)] + [(1 + v % 10, 11 + v) for v in range(n)])


def block(title, ways, repeats):
    times = {name: [] for name in ways}
    for turn in range(repeats + 1):
        for name, way in ways.items():
            start = time.process_time()
            way()
            if turn:  # the first run warms up
                times[name].append(1e3 * (time.process_time() - start))
    medians = {name: statistics.median(spent) for name, spent in times.items()}
    first = next(iter(medians.values()))
    print(f"\n{title}")
    for name, median in medians.items():
        print(f"  {name:36}{median:10.2f}{median / first:8.2f}x")


def learning(X, y, t, repeats):
    model = probabilistic.LinearDiscriminant(t)
    sgd = SGDClassifier(loss="log_loss")
    sums = np.zeros((len(t), X.shape[1]))

    def loop():
        for v, x in zip(y.tolist(), X, strict=True):
            sums[v] += x

    ways = {
        "class means, np.add.at": lambda: np.add.at(sums, y, X),
        "class means, a loop over rows": loop,
        "LinearDiscriminant.learn_many": lambda: model.learn_many(X, y),
    }
    block(f"learning, {X.dtype}, {len(t) - 11:,} labels", ways, repeats)
    start = time.process_time()
    sgd.partial_fit(X, y, classes=np.arange(11, len(t)))
    print(f"  {'SGDClassifier.partial_fit, once':36}{1e3 * (time.process_time() - start):10.2f}")


def learned(name, t, X, y):
    """A linear learner that has learned a batch."""
    model = getattr(linear_model, name)(t, dtype=X.dtype.name)
    labels = [{v} for v in y.tolist()] if name in ("HPerceptron", "HAROW") else y.tolist()
    start = time.process_time()
    model.learn_many(X, labels)
    print(f"  {name + '.learn_many, once':36}{1e3 * (time.process_time() - start):10.2f}")
    return model


def predicting(X, y, t, repeats):
    discriminant = probabilistic.LinearDiscriminant(t)
    discriminant.learn_many(X, y)
    weights = np.random.default_rng(1).standard_normal((len(t), X.shape[1])).astype(X.dtype)
    flat = SGDClassifier(loss="log_loss")
    flat.classes_ = np.arange(11, len(t))
    flat.coef_, flat.intercept_ = weights[11:], np.zeros(len(t) - 11, X.dtype)
    ways = {
        "one product of BLAS": lambda: X @ weights.T,
        "SGDClassifier.predict": lambda: flat.predict(X),
        "SGDClassifier.predict_proba": lambda: flat.predict_proba(X),
    }
    models = {"LinearDiscriminant": discriminant} | {n: learned(n, t, X, y) for n in LINEAR}
    for name, model in models.items():
        ways[f"{name}.predict_many"] = partial(model.predict_many, X)
        ways[f"{name}.predict_proba_many"] = partial(model.predict_proba_many, X)
    block(f"predicting, {X.dtype}, {len(t) - 11:,} labels", ways, repeats)


def in_turns(X, y, t, repeats):
    model = probabilistic.LinearDiscriminant(t)
    model.learn_many(X, y)
    xs = [dict(enumerate(row)) for row in X.tolist()]
    model.predict_one(xs[0])
    examples = iter(zip(xs * 2, y.tolist() * 2, strict=True))

    def one():
        x, label = next(examples)
        model.predict_one(x)
        model.learn_one(x, label)

    def first():
        model.learn_many(X, y)
        model.predict_many(X)

    block(f"in turns, {len(t) - 11:,} labels", {"predict_one, learn_one": one}, 20 * repeats)
    block(f"in turns, {len(t) - 11:,} labels", {"learn_many, predict_many": first}, repeats)


def main(columns, repeats):
    rng = np.random.default_rng(0)
    print(f"batches of {ROWS:,} rows and {columns} columns; milliseconds of processor time a batch")
    for n in (1_000, 5_000):
        t = tree(n)
        y = rng.integers(11, len(t), size=ROWS)
        X = rng.standard_normal((ROWS, columns))
        for dtype in (np.float64, np.float32):
            learning(X.astype(dtype), y, t, repeats)
            predicting(X.astype(dtype), y, t, repeats)
        in_turns(X, y, t, repeats)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--columns", type=int, default=768)
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    main(arguments.columns, arguments.repeats)
