"""Where the time of `progressive_val_score(RCV1, HPerceptron, HLoss)` goes.

    python tests/bench/progressive.py --data FOLDER

Reading the stream, predicting, scoring and learning are timed apart, in blocks of 1,000 documents,
one after the other; printed are medians. River's own loop over the same documents stands below.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Iterator
from typing import Any

from river import evaluate
from tqdm import tqdm

from river_hier import datasets, linear_model, metrics, show_versions

BLOCK = 1_000


def main(data: str | None, documents: int) -> None:
    show_versions()
    stream = datasets.RCV1(data).take(documents)
    model = linear_model.HPerceptron(stream.taxonomy)
    metric = metrics.HLoss(stream.taxonomy)
    found: dict[str, list[float]] = {}

    def clock(what: str, start: float) -> None:
        found.setdefault(what, []).append(1e6 * (time.perf_counter() - start) / BLOCK)

    examples: Iterator[tuple[Any, Any]] = iter(stream)
    with tqdm(total=documents, unit="doc") as progress:
        while True:
            start = time.perf_counter()
            block = list(itertools.islice(examples, BLOCK))
            if len(block) < BLOCK:
                break
            clock("reading the stream", start)
            start = time.perf_counter()
            answers = [model.predict_one(x) for x, _ in block]
            clock("predict_one", start)
            start = time.perf_counter()
            for (_, y), answer in zip(block, answers, strict=True):
                metric.update(y, answer)
            clock("HLoss.update", start)
            start = time.perf_counter()
            for x, y in block:
                model.learn_one(x, y)
            clock("learn_one", start)
            progress.update(BLOCK)

    print("\nmicroseconds a document")
    for what, values in found.items():
        print(f"{what:30}{statistics.median(values):8.1f}")
    model, metric = model.clone(), metrics.HLoss(stream.taxonomy)
    start = time.perf_counter()
    evaluate.progressive_val_score(stream, model, metric)
    print(f"{'progressive_val_score':30}{1e6 * (time.perf_counter() - start) / documents:8.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=12_000)
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents)
