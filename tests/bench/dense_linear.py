"""Linear learners on dense features: how long does a batch take, beside one product of BLAS?

    OPENBLAS_NUM_THREADS=1 python tests/bench/dense_linear.py [--columns 768] [--dataframes]

Batches of 1,000 rows of normal numbers, with 1,000 labels (a root and 10 groups of 100) and with
5,000 (10 groups of 500). Times are milliseconds of processor time a batch, medians over interleaved
runs, with the ratio of medians to the first row of the block: the product of the rows with a matrix
of weights in the same type. The models have learned one such batch before, whose time is in the
last column. `SGDClassifier(log_loss)` predicts with random weights, since learning 5,000 labels
takes it minutes. With `--dataframes`, pandas and polars in place of arrays, for Hieron and H-AROW.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from dense import ROWS, block, tree
from sklearn.linear_model import SGDClassifier

from river_hier import Taxonomy, linear_model

MODELS = ("Hieron", "AveragedHieron", "HPerceptron", "HAROW")


def learned(name: str, t: Taxonomy, X: Any, y: Any) -> Any:
    """A model that has learned a batch."""
    model = getattr(linear_model, name)(t, dtype=X.dtype.name)
    labels = [{v} for v in y.tolist()] if name.startswith("HA") or "Perc" in name else y.tolist()
    start = time.process_time()
    model.learn_many(X, labels)
    print(f"  {name + '.learn_many':36}{1e3 * (time.process_time() - start):10.2f}", flush=True)
    return model


def sgd(n: int, columns: int, dtype: Any) -> SGDClassifier:
    """A classifier of n labels with random weights."""
    model = SGDClassifier(loss="log_loss")
    model.classes_ = np.arange(n)
    model.coef_ = np.random.default_rng(2).standard_normal((n, columns)).astype(dtype)
    model.intercept_ = np.zeros(n, dtype)
    return model


def main(columns: int, repeats: int, dataframes: bool) -> None:
    rng = np.random.default_rng(0)
    for n in (1_000, 5_000):
        t = tree(n)
        y = rng.integers(11, len(t), size=ROWS)
        for dtype in (np.float64, np.float32):
            X = rng.standard_normal((ROWS, columns)).astype(dtype)
            weights = rng.standard_normal((columns, len(t))).astype(dtype)
            print(f"\nlearning, {X.dtype}, {n:,} labels")
            models = {name: learned(name, t, X, y) for name in MODELS}
            if dataframes:
                frames(models["Hieron"], X, y.tolist(), repeats)
                frames(models["HAROW"], X, [{v} for v in y.tolist()], repeats)
                continue
            ways: dict[str, Callable[[], Any]] = {
                "one product of BLAS": lambda X=X, w=weights: X @ w
            }
            for name, model in models.items():
                ways[f"{name}.predict_many"] = lambda m=model, X=X: m.predict_many(X)
                ways[f"{name}.predict_proba_many"] = lambda m=model, X=X: m.predict_proba_many(X)
            flat = sgd(n, columns, dtype)
            ways["SGDClassifier.predict"] = lambda m=flat, X=X: m.predict(X)
            ways["SGDClassifier.predict_proba"] = lambda m=flat, X=X: m.predict_proba(X)
            block(f"predicting, {X.dtype}, {n:,} labels", ways, repeats)


def frames(model: Any, X: Any, y: Any, repeats: int) -> None:
    import pandas as pd
    import polars as pl

    names = [f"f{j}" for j in range(X.shape[1])]
    tables = {"pandas": pd.DataFrame(X, columns=names), "polars": pl.DataFrame(X, schema=names)}
    for what in ("learn_many", "predict_many", "predict_proba_many"):
        more = (y,) if what == "learn_many" else ()
        ways = {kind: partial(getattr(model, what), table, *more) for kind, table in tables.items()}
        block(f"{type(model).__name__}.{what}, {X.dtype}", ways, repeats)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--columns", type=int, default=768)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dataframes", action="store_true")
    arguments = parser.parse_args()
    main(arguments.columns, arguments.repeats, arguments.dataframes)
