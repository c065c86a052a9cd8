"""What a budget of SH-RLS saves, and what it loses, on RCV1.

    python tests/bench/least_squares.py --data FOLDER

Each row runs in a fresh process, which learns 12,000 documents and predicts the last 3,926. Memory
is what the process holds at its most, less what it held with the stream read.
"""

import argparse
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tqdm import tqdm

from river_hier import datasets, linear_model, metrics

TRAIN = 12_000


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(data, budget):
    stream = datasets.RCV1(data)
    t, documents, base = stream.taxonomy, list(stream), megabytes()
    model, start = linear_model.SHRLS(t, budget=budget), time.perf_counter()
    for x, y in tqdm(documents[:TRAIN], unit="doc"):
        model.learn_one(x, y)
    seconds = time.perf_counter() - start
    losses = metrics.ZeroOneLoss(t) + metrics.HLoss(t) + metrics.SymmetricDifferenceLoss(t)
    for x, y in documents[TRAIN:]:
        losses.update(y, model.predict_one(x))
    shown = ", ".join(f"{loss:.3f}" for loss in losses.get())
    return f"{seconds:>9.1f}{megabytes() - base:>7.0f}   {shown}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    asked = parser.parse_args()
    print(f"{'':21}{'seconds':>9}{'MB':>7}   zero-one / H / symmetric difference loss")
    for budget in (None, 500, 250):
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            found = process.submit(row, asked.data, budget).result()
        print(f"{f'SH-RLS, budget={budget}' if budget else 'SH-RLS, no budget':21}{found}")
