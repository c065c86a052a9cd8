"""What do capped steps and averages do against noise? Last hypotheses beside averages.

    python tests/bench/noise.py

The synthetic data of Hieron's paper (121 labels, 121 features) with a variance of 0.16 or 0.04, and
with labels as they are or one in five of them taken for a sibling: 12,100 examples to learn from in
one pass, 6,050 clean ones to test. C is half of 1 / |x|^2. The errors are tree-induced,
those of H-PERC and H-AROW symmetric differences.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from river_hier import Taxonomy, linear_model
from river_hier.datasets import synth

N_TRAIN, N_TEST = 12_100, 6_050
STREAMS = [(0.16, 0.0), (0.16, 0.2), (0.04, 0.0), (0.04, 0.2)]  # variance, labels that are wrong


def single(t: Taxonomy, X: pd.DataFrame, ys: list[Any], model: Any) -> float:
    answers = model.predict_many(X)
    return float(np.mean([t.distance(y, y_pred) for y, y_pred in zip(ys, answers, strict=True)]))


def multi(t: Taxonomy, X: pd.DataFrame, ys: list[Any], model: Any) -> float:
    truth = np.array([t._closure_mask(y)[1:] for y in ys])
    return float((model.predict_many(X).to_numpy() != truth).sum(axis=1).mean())


def errors(variance: float, rate: float) -> dict[str, tuple[float, float]]:
    """Of each learner the error of the last hypothesis and that of the average."""
    clean = synth.PrototypeTree(branching=3, depth=4, noise=variance, seed=0)
    t, examples = clean.taxonomy, list(clean.take(N_TRAIN + N_TEST))
    noisy = synth.LabelNoise(clean, rate=rate, seed=0)
    taught = [y for _, y in noisy.take(N_TRAIN)]
    X, test = pd.DataFrame([x for x, _ in examples]), [y for _, y in examples[N_TRAIN:]]
    half = round(0.5 / float((X**2).sum(axis=1).mean()), 3)
    found = {}
    for C, small in ((math.inf, ""), (half, ", C")):
        batch = linear_model.AveragedHieron(t, C=C)
        online = linear_model.AveragedClassifier(linear_model.Hieron(t, C=C))
        for name, model in {"Hieron, online": online, "Hieron, batch": batch}.items():
            model.learn_many(X[:N_TRAIN], taught)
            found[name + small] = tuple(
                single(t, X[N_TRAIN:], test, each) for each in (model.last, model)
            )
    for name, inside in {"H-PERC": linear_model.HPerceptron, "H-AROW": linear_model.HAROW}.items():
        average = linear_model.AveragedMultiLabelClassifier(inside(t))
        average.learn_many(X[:N_TRAIN], [set() if y == t.root else {y} for y in taught])
        found[name] = tuple(multi(t, X[N_TRAIN:], test, each) for each in (average.last, average))
    return found


def main() -> None:
    columns = [errors(*stream) for stream in tqdm(STREAMS)]
    print(f"{'variance':18}" + "".join(f"{variance:16.2f}" for variance, _ in STREAMS))
    print(f"{'labels wrong':18}" + "".join(f"{rate:16.0%}" for _, rate in STREAMS))
    print(f"{'':18}" + "    last average" * len(STREAMS))
    for name in columns[0]:
        cells = (f"{last:8.3f}{average:8.3f}" for last, average in (c[name] for c in columns))
        print(f"{name:18}" + "".join(cells))


if __name__ == "__main__":
    main()
