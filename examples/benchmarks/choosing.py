"""Benchmark of `SuccessiveHalving`: four models, alone and chosen along the stream.

    python examples/benchmarks/choosing.py --data FOLDER

FOLDER holds the data, each collection in a folder of its own. For each collection and seed, every
model learns the training part in one pass, alone, and so does the selection of all four, once for
each metric. The table has mean losses on the validation part, over the seeds: that of the best
model, that of the first, which is our default, and that of the selection, with its distance from
the best in standard errors. "rcv1, r" has other models: four values of the parameter `r`.
Times are processor times of predicting, updating the metric and learning, in blocks of 250
examples, one model after the other; they are divided by the mean of the four models.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import normalize
from splits import COLLECTIONS, Split
from tqdm import tqdm

from river_hier import Taxonomy, decision, linear_model, metrics, model_selection
from river_hier.feature_extraction import RandomFourierFeatures

BLOCK = 250
NAMES = ("rcv1", "products", "clinc150", "ImCLEF07D", "Enron_corr", "cellcycle_FUN", "rcv1, r")


# %% Models
def decoded(t: Taxonomy, r: float = 1.0) -> Any:
    return decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t, r=r)))


def one_label(t: Taxonomy) -> dict[str, Any]:
    return {
        "PathSoftmax": linear_model.PathSoftmax(t),
        "PathSoftmax, variance 8": linear_model.PathSoftmax(t, prior_variance=8.0),
        "PathSoftmax, variance 128": linear_model.PathSoftmax(t, prior_variance=128.0),
        "AveragedHieron": linear_model.AveragedHieron(t),
    }


def words(t: Taxonomy) -> dict[str, Any]:
    return {
        "HAROW": linear_model.HAROW(t),
        "HAROW, r=0.1": linear_model.HAROW(t, r=0.1),
        "decoded HAROW": decoded(t),
        "decoded HAROW, r=0.1": decoded(t, r=0.1),
    }


def steps(t: Taxonomy) -> dict[str, Any]:
    return {f"HAROW, r={r}": linear_model.HAROW(t, r=r) for r in (1.0, 0.3, 0.1, 0.03)}


def dense(t: Taxonomy) -> dict[str, Any]:
    return {
        "HAROW": linear_model.HAROW(t),
        "decoded HAROW": decoded(t),
        "Fourier, HAROW": RandomFourierFeatures() | linear_model.HAROW(t),
        "Fourier, decoded HAROW": RandomFourierFeatures() | decoded(t),
    }


# %% Runs
class Stream(NamedTuple):
    """The examples to learn, and those to validate, as dictionaries."""

    learn: list[tuple[Any, Any]]
    valid: list[tuple[Any, Any]]

    @classmethod
    def of(cls, s: Split) -> Stream:
        def xs(X: Any) -> list[Any]:
            if s.dense:
                return [dict(enumerate(row)) for row in normalize(X).tolist()]
            cells = [(X[i].indices.tolist(), X[i].data.tolist()) for i in range(X.shape[0])]
            return [dict(zip(*row, strict=True)) for row in cells]

        def ys(Y: Any) -> list[Any]:
            labels = s.taxonomy.nodes[1:]
            return Y if s.single else [[labels[v] for v in np.flatnonzero(row)] for row in Y]

        return cls(
            list(zip(xs(s.X), ys(s.y), strict=True)),
            list(zip(xs(s.X_valid), ys(s.y_valid), strict=True)),
        )


def learn(models: list[Any], stream: Stream, metric: Any) -> list[float]:
    """Learn one pass, all models in turns; the processor time of each."""
    seconds, found = [0.0] * len(models), [metric.clone() for _ in models]
    for first in range(0, len(stream.learn), BLOCK):
        block = stream.learn[first : first + BLOCK]
        for i, model in enumerate(models):
            start = time.process_time()
            for x, y in block:
                found[i].update(y, model.predict_one(x))
                model.learn_one(x, y)
            seconds[i] += time.process_time() - start
    return seconds


def losses(model: Any, stream: Stream, metric: Any) -> Any:
    """The loss of each example of the validation part."""
    return np.array([metric._eval(y, model.predict_one(x)) for x, y in stream.valid])


Figures = dict[str, list[Any]]


def run(name: str, data: Path, seed: int, window: int) -> Figures:
    """The figures of one split: by metric, all losses and the ratio of times."""
    collection, _, grid = name.partition(", ")
    s = COLLECTIONS[collection](data, seed)
    t, stream = s.taxonomy, Stream.of(s)
    make: Callable[[Taxonomy], dict[str, Any]]
    make = steps if grid else one_label if s.single else dense if s.dense else words
    second = metrics.TreeInducedError(t) if s.single else metrics.HLoss(t)
    alone = make(t)
    rows: Figures = {}
    for metric in (metrics.ZeroOneLoss(t), second):
        alone = {key: model.clone() for key, model in alone.items()}
        chosen = model_selection.SuccessiveHalving(list(make(t).values()), metric, window)
        *each, ours = learn([*alone.values(), chosen], stream, metric)
        found = {key: losses(model, stream, metric) for key, model in alone.items()}
        found["chosen"] = losses(chosen, stream, metric)
        rows[type(metric).__name__] = [found, ours / np.mean(each)]
    return rows


# %% Table
def line(name: str, metric: str, runs: list[Any]) -> str:
    mean = {key: np.mean([found[key].mean() for found, _ in runs]) for key in runs[0][0]}
    models = [key for key in mean if key != "chosen"]
    best = min(models, key=mean.__getitem__)
    error = np.mean([found[best].std() / len(found[best]) ** 0.5 for found, _ in runs])
    distance = (mean["chosen"] - mean[best]) / error
    ratio = np.mean([ratio for _, ratio in runs])
    return (
        f"| {name} | {metric} | {best} | {mean[best]:.3f} ± {error:.3f} | {mean[models[0]]:.3f} "
        f"| {mean['chosen']:.3f} | {distance:+.1f} | {ratio:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the collections")
    parser.add_argument("--seeds", type=int, default=3, help="the number of splits")
    parser.add_argument("--window", type=int, default=500)
    parser.add_argument("--only", nargs="+", default=NAMES, help="the collections")
    arguments = parser.parse_args()
    lines = []
    for name in tqdm(arguments.only):
        runs = [run(name, arguments.data, s, arguments.window) for s in range(arguments.seeds)]
        lines += [line(name, metric, [found[metric] for found in runs]) for metric in runs[0]]
    print(
        "| collection | metric | best of the four | its loss | default | chosen | distance | time |"
    )
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
