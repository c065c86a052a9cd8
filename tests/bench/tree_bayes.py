"""Deciding for the tree: who is nearest to the truth, and how fast?

    python tests/bench/tree_bayes.py

The synthetic data of Hieron's paper (121 labels, 121 features, variance 0.16): 12,100 examples to
learn from in one pass, 6,050 to test. Every classifier answers as it is and through `TreeBayes`.
The last line is the classifier that knows the true prototypes and variance. Times are medians over
blocks of 550 examples, one classifier after the other on each block.
"""

from __future__ import annotations

import itertools
import statistics
import time
from typing import Any

import numpy as np
from river import base, naive_bayes
from river import linear_model as river_linear_model
from tqdm import tqdm

from river_hier import decision, linear_model, metrics, probabilistic
from river_hier.datasets import synth

N_TRAIN, N_TEST, BLOCK, NOISE = 12_100, 6_050, 550, 0.16


class Truth(base.Classifier):
    """Knows the prototypes."""

    def __init__(self, stream: synth.PrototypeTree) -> None:
        self.labels = stream.taxonomy.nodes
        prototypes = stream.prototypes
        self.W = np.array([list(prototypes[v].values()) for v in map(str, self.labels)])

    def learn_one(self, x: Any, y: Any) -> None:
        pass

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[Any, float]:
        scores = -((self.W - np.array(list(x.values()))) ** 2).sum(axis=1) / (2 * NOISE)
        likely = np.exp(scores - scores.max())
        return dict(zip(self.labels, (likely / likely.sum()).tolist(), strict=True))

    def predict_one(self, x: Any) -> Any:
        likely = self.predict_proba_one(x)
        return max(likely, key=likely.__getitem__)


def main() -> None:
    stream = synth.PrototypeTree(branching=3, depth=4, noise=NOISE, seed=0)
    t = stream.taxonomy
    models: dict[str, Any] = {
        "GaussianNB (River)": naive_bayes.GaussianNB(),
        "SoftmaxRegression (River)": river_linear_model.SoftmaxRegression(),
        "AveragedHieron": linear_model.AveragedHieron(t),
        "Tempered(AveragedHieron)": decision.Tempered(linear_model.AveragedHieron(t)),
        "LinearDiscriminant": probabilistic.LinearDiscriminant(t),
        "the truth": Truth(stream),
    }
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in models}
    errors = {name: [metrics.TreeInducedError(t) for _ in range(2)] for name in models}
    examples = iter(stream.take(N_TRAIN + N_TEST))
    blocks = [list(itertools.islice(examples, BLOCK)) for _ in range((N_TRAIN + N_TEST) // BLOCK)]
    for i, block in enumerate(tqdm(blocks)):
        for name, model in models.items():
            if i < N_TRAIN // BLOCK:
                start = time.perf_counter()
                for x, y in block:
                    model.learn_one(x, y)
                times[name][0].append((time.perf_counter() - start) / len(block))
                continue
            start = time.perf_counter()
            answers = [model.predict_one(x) for x, _ in block]
            times[name][1].append((time.perf_counter() - start) / len(block))
            near = decision.TreeBayes(model, t)
            for (x, y), answer in zip(block, answers, strict=True):
                errors[name][0].update(y, answer)
                errors[name][1].update(y, near.predict_one(x))
    print(f"{'':26}tree-induced error        examples/s")
    print(f"{'':26}{'as it is':>10}{'TreeBayes':>11}{'learn':>10}{'predict':>10}")
    for name, (plain, near) in errors.items():
        row = f"{name:26}{plain.get():10.3f}{near.get():11.3f}"
        if name != "the truth":
            row += "".join(f"{1 / statistics.median(seconds):10,.0f}" for seconds in times[name])
        print(row)


if __name__ == "__main__":
    main()
