"""Ten thousand topics and a million words: what does a document cost, and how much memory?

    python tests/bench/zipf.py

Every learner gets the documents of `zipf_stream.py` in a process of its own. A block of them is
predicted, then learned. Times are medians of processor time over the blocks after the first tenth.
Losses are those of the predictions in the last tenth, and in brackets those of the answer
"nothing": no topic, or the root where the answer is one label, the deepest of the topics. Memory is
what the process holds after the last document, less what it held after the first block without a
learner. It is read from /proc, so this needs Linux.
"""

import argparse
import itertools
import os
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import zipf_stream
from tqdm import tqdm

from river_hier import linear_model, metrics

BLOCK, NODES, NAMES = 200, 10_000, 1_000_000
LEARNERS = {"H-PERC": linear_model.HPerceptron, "Hieron": linear_model.Hieron}


def blocks(t, n):
    stream = zipf_stream.documents(t, n, NAMES)
    for _ in tqdm(range(n // BLOCK), unit_scale=BLOCK, unit="doc"):
        yield list(itertools.islice(stream, BLOCK))


def resident():
    """What this process holds in memory, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def row(name, n):
    t = zipf_stream.taxonomy(NODES)
    stream, single = blocks(t, n), name == "Hieron"
    first, before, model = next(stream), resident(), LEARNERS[name](t)
    # A label's distance in the tree is the number of topics that are wrong on the two paths.
    kinds = [metrics.TreeInducedError] if single else [metrics.SymmetricDifferenceLoss]
    kinds += [] if single else [metrics.HLoss]
    losses = [(kind(t), kind(t)) for kind in kinds]  # the model's and that of "nothing"
    learn, predict = [], []
    for i, block in enumerate(itertools.chain([first], stream)):
        xs, ys = zip(*block, strict=True)
        ys = [zipf_stream.label(t, y) for y in ys] if single else ys
        start = time.process_time()
        answers = [model.predict_one(x) for x in xs]
        between = time.process_time()
        for x, y in zip(xs, ys, strict=True):
            model.learn_one(x, y)
        if i * BLOCK >= n // 10:
            predict.append(1e6 * (between - start) / BLOCK)
            learn.append(1e6 * (time.process_time() - between) / BLOCK)
        for y, answer in zip(ys, answers, strict=True) if i * BLOCK >= n * 9 // 10 else ():
            for loss, of_nothing in losses:
                loss.update(y, answer)
                of_nothing.update(y, t.root if single else ())
    cells = [f"{statistics.median(times):,.0f}" for times in (learn, predict)]
    cells += [f"{loss.get():.3f} ({of_nothing.get():.3f})" for loss, of_nothing in losses]
    cells += ["–"] * single + [f"{resident() - before:,.0f}"]
    return f"| {name} | {' | '.join(cells)} |"


def main(n):
    seen, topics = set(), set()
    for block in blocks(zipf_stream.taxonomy(NODES), n):
        for x, y in block:
            seen.update(x)
            topics.update(y)
    print(f"{len(seen):,} words and {len(topics):,} topics were seen\n")
    print("| learner | learn, µs | predict, µs | topics wrong | H-loss | MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in LEARNERS:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            print(process.submit(row, name, n).result(), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=60_000)
    main(parser.parse_args().documents)
