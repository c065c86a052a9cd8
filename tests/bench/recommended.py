"""What calibration, decoding, probabilities and losses add to the time of a step on RCV1.

    python tests/bench/recommended.py --data FOLDER

All rows get the same documents, in blocks of 500, by turns. The first 3,000 documents are not
counted. The output has the medians of processor time over the blocks, and their ratios to those of
H-AROW alone: to `learn_one` for learning, to `predict_one` for the rest.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from river_hier import datasets, decision, linear_model, metrics

BLOCK, DISCARDED = 500, 3_000


def main(folder: str | None, n: int) -> None:
    stream = datasets.RCV1(None if folder is None else Path(folder) / "rcv1")
    t = stream.taxonomy
    documents = list(itertools.islice(stream, n))
    alone = linear_model.HAROW(t)
    calibrated = decision.Calibrated(linear_model.HAROW(t))
    decoded = decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t)))
    models = {"HAROW": alone, "Calibrated(HAROW)": calibrated, "HLossBayes(Calibrated)": decoded}
    loss, predicted = metrics.HLoss(t), dict[int, Any]()
    taken: dict[str, list[float]] = defaultdict(list)

    def timed(row: str, call: Callable[[int, Any, Any], Any], first: int) -> None:
        begun = time.process_time_ns()
        for i in range(first, first + BLOCK):
            call(i, *documents[i])
        taken[row].append((time.process_time_ns() - begun) / BLOCK / 1_000)

    def predict(i: int, x: Any, _: Any) -> None:
        predicted[i] = decoded.predict_one(x)

    for first in tqdm(range(0, n - BLOCK + 1, BLOCK), unit_scale=BLOCK, unit="doc"):
        for name, model in models.items():
            timed(f"{name}.learn_one", lambda _, x, y, m=model: m.learn_one(x, y), first)
        for name, model in models.items():
            asked = predict if model is decoded else lambda _, x, __, m=model: m.predict_one(x)
            timed(f"{name}.predict_one", asked, first)
        timed("HAROW.predict_proba_one", lambda _, x, __: alone.predict_proba_one(x), first)
        asked = calibrated.predict_proba_one
        timed("Calibrated.predict_proba_one", lambda _, x, __, p=asked: p(x), first)
        timed("HAROW.predict_one(x, threshold=)", lambda _, x, __: alone.predict_one(x, 0.1), first)
        shallow = partial(alone.predict_one, max_depth=1)
        timed("HAROW.predict_one(x, max_depth=)", lambda _, x, __, p=shallow: p(x), first)
        timed("HLoss.update", lambda i, _, y: loss.update(y, predicted[i]), first)
    found = {row: statistics.median(times[DISCARDED // BLOCK :]) for row, times in taken.items()}
    for row, microseconds in found.items():
        beside = found["HAROW.learn_one" if "learn" in row else "HAROW.predict_one"]
        print(f"{row:36}{microseconds:8.1f} us {microseconds / beside:6.1f}x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=12_000, help="how many to read")
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents)
