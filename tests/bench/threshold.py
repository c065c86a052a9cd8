"""How many labels a ranking should switch on: the threshold of `HMinOver` beside simpler ones.

    python tests/bench/threshold.py --data FOLDER

follows RCV1 documents (FOLDER holds its LYRL2004 files) and prints hierarchical F1 and the
symmetric difference of the answers after the first thousand. The ranker is one and the same; what
differs is where its rankings are cut.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from river_hier import datasets, linear_model, metrics
from river_hier._core import Threshold
from river_hier._core.threshold import best_threshold


class Mean:
    """The mean of the best thresholds so far."""

    def __init__(self) -> None:
        self.total, self.n = 0.0, 0

    def at(self, scores: Any) -> float:
        return self.total / max(self.n, 1)

    def learn(self, scores: Any, relevant: Any) -> None:
        self.total += best_threshold(scores, relevant)
        self.n += 1


class Steps:
    """A number that moves by 0.1 for each candidate on the wrong side, as a perceptron's bias."""

    def __init__(self) -> None:
        self.value = 0.0

    def at(self, scores: Any) -> float:
        return self.value

    def learn(self, scores: Any, relevant: Any) -> None:
        on = scores >= self.value
        self.value += 0.1 * (int((on & ~relevant).sum()) - int((~on & relevant).sum()))


def main(data: str, n: int) -> None:
    stream = datasets.RCV1(data)
    t = stream.taxonomy
    print(f"{'margin':<10}{'threshold':<34}{'F1 %':>8}{'symmetric difference':>24}")
    for margin in (1.0, 10.0):
        model = linear_model.HMinOver(t, margin=margin)
        cuts = {"regressed on 1, top, mean": Threshold(), "mean": Mean(), "perceptron": Steps()}
        found = {name: (metrics.HF1(t), metrics.SymmetricDifferenceLoss(t)) for name in cuts}
        for i, (x, y) in enumerate(stream.take(n)):
            scores = model.score_one(x)
            ranked = np.array([scores[label] for label in t.leaves])
            relevant = np.array([y[label] for label in t.leaves])
            for name, cut in cuts.items():
                if i >= 1000:
                    high = ranked >= cut.at(ranked)
                    answer = {v for v, on in zip(t.leaves, high, strict=True) if on}
                    for metric in found[name]:
                        metric.update(y, answer)
                cut.learn(ranked, relevant)
            model.learn_one(x, y)
        for name, (f1, loss) in found.items():
            print(f"{margin:<10}{name:<34}{100 * f1.get():>8.1f}{loss.get():>24.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", required=True, help="folder with the LYRL2004 files")
    parser.add_argument("--take", type=int, default=3000, help="how many documents to follow")
    arguments = parser.parse_args()
    main(arguments.data, arguments.take)
