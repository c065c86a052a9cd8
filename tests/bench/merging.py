"""Models of the parts of a stream, merged: how good are they, and how fast?

    python tests/bench/merging.py

The stream is that of `zipf_stream.py` in the size of RCV1, 103 topics and 50,000 words; that of the
linear discriminant has Gaussian classes. One model learns all documents in order. Then 2, 8 and 32
models learn a part each, are sent as pickles, and are merged. "One part" is a model of a part
alone, and the losses are those on documents behind the end of the stream.

All parts are learned in this process, one after the other. Times are processor times: those of the
slowest worker, its pickle included, and of opening and merging the pickles. How many times as fast
they are as one model is given for learning alone, and with the time that reading the documents
takes, from lines of `word:weight`.

    python tests/bench/merging.py --rounds 2

merges 8 parts in the middle, too, and the workers go on from the merged model.

On 100 machines four models are merged at a time, on four levels. From the time of one such merge
follows how many documents there must be for 100 machines to be 60 times as fast as one.
"""

import argparse
import copy
import gc
import pickle
import time
from functools import partial

import numpy as np
import zipf_stream

from river_hier import distributed, feature_extraction, linear_model, losses, probabilistic
from river_hier._core import read_pairs

BLOCKS = 32  # of the stream
DENSE = 64  # features of the linear discriminant
LEARNERS = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "HAROW, float32": partial(linear_model.HAROW, dtype="float32"),
    "PathSoftmax": linear_model.PathSoftmax,
    "PathSoftmax, float32": partial(linear_model.PathSoftmax, dtype="float32"),
    "HierarchicalSoftmax": linear_model.HierarchicalSoftmax,
    "TextViews | PathSoftmax": lambda tree: (
        feature_extraction.TextViews() | linear_model.PathSoftmax(tree, margin=1)
    ),
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
}
TREE = zipf_stream.taxonomy(104, 4)
TABLES = zipf_stream._Tables(TREE, 50_000, 0)


def examples(name, block, n):
    """A block of the stream."""
    if name == "LinearDiscriminant":
        return list(gaussian(block, n))
    found = zipf_stream._documents(TABLES, n, block)
    if "Softmax" in name:
        found = ((x, zipf_stream.label(TREE, y)) for x, y in found)
    return [(" ".join(x), y) for x, y in found] if "TextViews" in name else list(found)


def gaussian(block, n):
    """A topic adds to the mean of all topics below it."""
    steps = np.random.default_rng(0).normal(size=(len(TREE), DENSE)) / 2.0
    means = [steps[[TREE.index(u) for u in TREE.path(v)]].sum(axis=0) for v in TREE]
    rng = np.random.default_rng([1, block])
    for v in rng.integers(1, len(TREE), n).tolist():
        x = means[v] + rng.normal(scale=2.0, size=DENSE)
        yield dict(enumerate(x.tolist())), TREE.nodes[v]


def loss(model, tested):
    found = losses.tree_induced_error if isinstance(tested[0][1], str) else losses.h_loss
    return sum(found(TREE, y, model.predict_one(x)) for x, y in tested) / len(tested)


def reading(block):
    """Seconds to read a document."""
    if isinstance(block[0][0], str):
        return 0.0  # the model reads them
    lines = [" ".join(f"{name}:{value:.6f}" for name, value in x.items()) for x, _ in block]
    began = time.process_time()
    for line in lines:
        read_pairs(line)
    return (time.process_time() - began) / len(lines)


def measure(name, n, several):
    models = {parts: [LEARNERS[name](TREE) for _ in range(parts)] for parts in (1, *several)}
    times = {parts: [0.0] * parts for parts in models}
    for i in range(BLOCKS):
        block = examples(name, i, n // BLOCKS)
        for parts in models:
            k = i * parts // BLOCKS
            model, began = models[parts][k], time.process_time()
            for x, y in block:
                model.learn_one(x, y)
            times[parts][k] += time.process_time() - began
    read = reading(block)
    del block
    gc.freeze()  # a process that only merges has no examples either
    tested = examples(name, BLOCKS, max(1000, n // 40))
    (one,), (single,) = models[1], times[1]
    base = loss(one, tested)
    print(f"\n{name}: {n:,} documents, one model: loss {base:.4f}, {single:.1f} s")
    print(f"{1e6 * read:.0f} us to read a document")
    header = ["parts", "one part", "merged", "relative", "worker", "merge", "MB"]
    header += ["learning", "reading"]
    print("".join(word.rjust(10) for word in header))
    for parts in several:
        began = time.process_time()
        sent = [pickle.dumps(model, 5) for model in models[parts]]
        dumped = (time.process_time() - began) / parts
        began = time.process_time()
        merged = distributed.merge([pickle.loads(model) for model in sent])
        merging = time.process_time() - began
        worker, alone = max(times[parts]) + dumped, loss(models[parts][0], tested)
        found, size = loss(merged, tested), sum(map(len, sent)) / 1e6
        row = [f"{parts}", f"{alone:.4f}", f"{found:.4f}", f"{found / base - 1.0:+.1%}"]
        row += [f"{worker:.2f}", f"{merging:.2f}", f"{size:.0f}"]
        row += faster(parts, single, worker, merging, read * n)
        print("".join(word.rjust(10) for word in row), flush=True)
    began = time.process_time()
    pickle.dumps(distributed.merge([pickle.loads(model) for model in sent[:4]]), 5)
    levels, of_one = 4 * (time.process_time() - began), single / n + read
    print(f"100 machines are 60 times as fast from {levels * 60 / 0.4 / of_one:,.0f} documents on")


def in_rounds(name, n, rounds):
    """8 workers learn, are merged, and go on from there."""
    model, of_worker = LEARNERS[name](TREE), BLOCKS // 8
    for r in range(rounds):
        workers = [copy.deepcopy(model) for _ in range(8)]
        for k, worker in enumerate(workers):
            for i in range(r * of_worker // rounds, (r + 1) * of_worker // rounds):
                for x, y in examples(name, k * of_worker + i, n // BLOCKS):
                    worker.learn_one(x, y)
        model = distributed.merge(workers, model)
    found = loss(model, examples(name, BLOCKS, max(1000, n // 40)))
    print(f"{name}, 8 parts in {rounds} rounds: loss {found:.4f}", flush=True)


def faster(parts, single, worker, merging, read):
    """How many times as fast as one model: learning alone, and with reading."""
    learning = single / (worker + merging)
    return [f"{learning:.1f}", f"{(single + read) / (worker + merging + read / parts):.1f}"]


parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--documents", type=int, default=800_000)
parser.add_argument("--parts", type=int, nargs="+", default=[2, 8, 32])
parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
parser.add_argument("--rounds", type=int, choices=(1, 2, 4), help="merge so many times, 8 parts")


if __name__ == "__main__":
    asked = parser.parse_args()
    for learner in asked.learners:
        if asked.rounds:
            in_rounds(learner, asked.documents, asked.rounds)
        else:
            measure(learner, asked.documents, asked.parts)
