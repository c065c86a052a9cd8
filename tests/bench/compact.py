"""H-AROW's losses, times and memory with weights of 64, 32 and 16 bits.

    python tests/bench/compact.py --data FOLDER
    python tests/bench/compact.py

The first line takes RCV1, of which FOLDER holds the LYRL2004 files: the models learn 12,000
documents in one pass and are tested on the rest. The second line takes the stream of
`zipf_stream.py`, whose last tenth is predicted before it is learned. Each seed shuffles the first
part of RCV1, or draws another Zipf stream, and rounds at random in another way. A row has the means
over the seeds and, after ±, the standard error of the mean difference from float64, seed by seed.
Times are medians of processor time for blocks of 200 documents, which all models learn in turn.
Memory is what the weights take.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from typing import Any

import zipf_stream
from tqdm import tqdm

from river_hier import Taxonomy, datasets, linear_model, metrics

BLOCK = 200
N_TRAIN = 12_000
DTYPES = ("float64", "float32", "float16")
LOSSES = (metrics.ZeroOneLoss, metrics.HLoss, metrics.SymmetricDifferenceLoss)
Examples = list[tuple[Any, Any]]


def zipf(documents: int, nodes: int, names: int, seed: int) -> tuple[Taxonomy, Examples, int]:
    """The taxonomy, a stream, and where the test begins."""
    t = zipf_stream.taxonomy(nodes, seed=seed)
    return t, list(zipf_stream.documents(t, documents, names, seed)), documents * 9 // 10


def measured(
    t: Taxonomy, examples: Examples, n_train: int, learns: bool, seed: int
) -> list[list[float]]:
    """For each type: its losses, the time of a document, and megabytes."""
    models = [linear_model.HAROW(t, dtype=dtype, seed=seed) for dtype in DTYPES]
    losses = [[loss(t) for loss in LOSSES] for _ in models]
    times: list[list[float]] = [[] for _ in models]
    for first in tqdm(range(0, len(examples), BLOCK), desc=f"seed {seed}", leave=False):
        block = examples[first : first + BLOCK]
        tested = first >= n_train
        for model, of_model, seconds in zip(models, losses, times, strict=True):
            if tested:
                for x, y in block:
                    y_pred = model.predict_one(x)
                    for loss in of_model:
                        loss.update(y, y_pred)
            if tested and not learns:
                continue
            start = time.process_time()
            for x, y in block:
                model.learn_one(x, y)
            seconds.append((time.process_time() - start) / len(block))
    return [
        [loss.get() for loss in of_model]
        + [1e6 * statistics.median(seconds), model._w.n_bytes / 1e6]
        for model, of_model, seconds in zip(models, losses, times, strict=True)
    ]


def main(options: argparse.Namespace) -> None:
    runs = []
    if options.data is not None:
        stream = datasets.RCV1(options.data)
        rcv1 = list(tqdm(stream, desc="reading"))
        for seed in range(options.seeds):
            train = random.Random(seed).sample(rcv1[:N_TRAIN], N_TRAIN)
            examples = train + rcv1[N_TRAIN:]
            runs.append(measured(stream.taxonomy, examples, N_TRAIN, learns=False, seed=seed))
    else:
        for seed in range(options.seeds):
            drawn = zipf(options.documents, options.nodes, options.names, seed)
            runs.append(measured(*drawn, learns=True, seed=seed))
    print(f"{'':10}{'zero-one':>16}{'H-loss':>16}{'Delta':>16}{'learn, µs':>12}{'MB':>8}")
    for i, dtype in enumerate(DTYPES):
        cells = []
        for k in range(len(LOSSES)):
            less = [run[i][k] - run[0][k] for run in runs]
            error = statistics.stdev(less) / len(less) ** 0.5 if len(less) > 1 else 0.0
            mean = statistics.mean(run[i][k] for run in runs)
            cells.append(f"{mean:8.4f} ±{error:.4f}" if i else f"{mean:8.4f}        ")
        learn, size = (statistics.median(run[i][k] for run in runs) for k in (-2, -1))
        print(f"{dtype:10}" + "".join(f"{c:>16}" for c in cells) + f"{learn:12.0f}{size:8.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files, for RCV1")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--documents", type=int, default=60_000, help="of the Zipf stream")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--names", type=int, default=1_000_000)
    main(parser.parse_args())
