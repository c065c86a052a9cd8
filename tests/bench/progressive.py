"""Where the time of `progressive_val_score(RCV1, HAROW, HLoss)` goes.

    python tests/bench/progressive.py --data FOLDER

Reading the stream, predicting, scoring and learning are timed apart, in blocks of 1,000 documents,
one after the other. So are reading and splitting the lines of the vectors alone, and River's loop
with a model and a metric that do nothing. Printed are medians of processor time.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import itertools
import statistics
import time
from typing import Any

from river import base, evaluate
from tqdm import tqdm

from river_hier import datasets, linear_model, metrics, show_versions

BLOCK = 1_000


class Nothing(base.MultiLabelClassifier):
    """A model that learns and predicts nothing."""

    def learn_one(self, x: Any, y: Any) -> None:
        pass

    def predict_one(self, x: Any) -> dict[Any, bool]:
        return {}


class Unscored(metrics.HLoss):
    """A metric that computes nothing."""

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        pass


def main(data: str | None, documents: int) -> None:
    show_versions()
    stream = datasets.RCV1(data).take(documents)
    t = stream.taxonomy
    model, metric = linear_model.HAROW(t), metrics.HLoss(t)
    found: dict[str, list[float]] = {}

    def clock(what: str, start: float) -> None:
        found.setdefault(what, []).append(1e6 * (time.process_time() - start) / BLOCK)

    examples, unkept = iter(stream), iter(stream)
    file = datasets.RCV1(data).location / "lyrl2004_vectors_train.dat.gz"
    with gzip.open(file, "rt", encoding="ascii") as lines, tqdm(total=documents) as progress:
        while True:
            block = list(itertools.islice(examples, BLOCK))
            if len(block) < BLOCK:
                break
            start = time.process_time()
            collections.deque(itertools.islice(unkept, BLOCK), maxlen=1)
            clock("reading the stream", start)
            start = time.process_time()
            for line in itertools.islice(lines, BLOCK):
                line.split()
            clock("reading and splitting lines", start)
            start = time.process_time()
            answers = [model.predict_one(x) for x, _ in block]
            clock("predict_one", start)
            start = time.process_time()
            for (_, y), answer in zip(block, answers, strict=True):
                metric.update(y, answer)
            clock("HLoss.update", start)
            start = time.process_time()
            for x, y in block:
                model.learn_one(x, y)
            clock("learn_one", start)
            start = time.process_time()
            evaluate.progressive_val_score(block, Nothing(), Unscored(t))
            clock("River's loop alone", start)
            progress.update(BLOCK)

    print("\nmicroseconds a document")
    for what, values in found.items():
        print(f"{what:30}{statistics.median(values):8.1f}")
    model, metric = model.clone(), metrics.HLoss(t)
    start = time.process_time()
    evaluate.progressive_val_score(stream, model, metric)
    print(f"{'progressive_val_score':30}{1e6 * (time.process_time() - start) / documents:8.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=12_000)
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents)
