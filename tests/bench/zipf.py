"""Ten thousand topics and a million words: what does a document cost, and how much memory?

    python tests/bench/zipf.py

The stream is that of `zipf_stream.py`. Every learner gets the same documents in blocks, one learner
after the other; a block is predicted, then learned. Times are medians of processor time over the
blocks after the first tenth. Losses are those of the predictions in the last tenth, and in brackets
those of the answer "nothing": no topic, or the root where the answer is one label, the deepest of
the topics.

Memory is measured in a process of its own for each learner: what is resident after the last
document, less what was when the stream had given its first ones and no learner was there yet. It is
read from /proc, so this needs Linux.
"""

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import zipf_stream
from tqdm import tqdm

from river_hier import linear_model, metrics
from river_hier.base.single_label import SingleLabelModel

BLOCK = 200


LEARNERS = {"H-PERC": linear_model.HPerceptron, "Hieron": linear_model.Hieron}


class Run:
    """One learner's times and losses."""

    def __init__(self, t, model):
        self.taxonomy = t
        self.model = model
        self.single = isinstance(model, SingleLabelModel)
        self.nothing = t.root if self.single else ()
        # A label's distance in the tree is the number of topics that are wrong on the two paths.
        kinds = (metrics.SymmetricDifferenceLoss, metrics.HLoss)
        if self.single:
            kinds = (metrics.TreeInducedError,)
        self.losses = [(kind(t), kind(t)) for kind in kinds]  # the model's and that of "nothing"
        self.learn = []
        self.predict = []

    def block(self, examples, timed, judged):
        xs, ys = [x for x, _ in examples], self.labels(examples)
        start = time.process_time()
        answers = [self.model.predict_one(x) for x in xs]
        between = time.process_time()
        for x, y in zip(xs, ys, strict=True):
            self.model.learn_one(x, y)
        end = time.process_time()
        if timed:
            self.predict.append(1e6 * (between - start) / len(xs))
            self.learn.append(1e6 * (end - between) / len(xs))
        if judged:
            for y, answer in zip(ys, answers, strict=True):
                for loss, of_nothing in self.losses:
                    loss.update(y, answer)
                    of_nothing.update(y, self.nothing)

    def labels(self, examples):
        if not self.single:
            return [y for _, y in examples]
        return [zipf_stream.label(self.taxonomy, y) for _, y in examples]


def blocks(t, options):
    stream = zipf_stream.documents(t, options.documents, options.names, options.seed)
    with tqdm(total=options.documents, unit="doc", desc=options.memory_of) as progress:
        while block := list(itertools.islice(stream, BLOCK)):
            yield block
            progress.update(len(block))


def resident():
    """What this process holds in memory, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(t, options):
    """By how many MB one learner makes this process larger."""
    stream = blocks(t, options)
    first = next(stream)
    before = resident()
    run = Run(t, LEARNERS[options.memory_of](t))
    for block in itertools.chain([first], stream):
        for (x, _), y in zip(block, run.labels(block), strict=True):
            run.model.learn_one(x, y)
    return resident() - before


def growth_elsewhere(name):
    """The same, measured in a fresh process."""
    command = [sys.executable, __file__, *sys.argv[1:], "--memory-of", name]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def report(runs, memory):
    head = ("learner", "learn, µs", "predict, µs", "topics wrong", "H-loss", "MB")
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for name, run in runs.items():
        losses = [f"{loss.get():.3f} ({of_nothing.get():.3f})" for loss, of_nothing in run.losses]
        times = [f"{statistics.median(times):,.0f}" for times in (run.learn, run.predict)]
        rows.append((name, *times, *losses, *["–"] * (2 - len(losses)), f"{memory[name]:,.0f}"))
    print(*(f"| {' | '.join(row)} |" for row in rows), sep="\n")


def main(options):
    t = zipf_stream.taxonomy(options.nodes, seed=options.seed)
    if options.memory_of is not None:
        print(growth(t, options))
        return
    runs = {name: Run(t, make(t)) for name, make in LEARNERS.items()}
    seen, topics = set(), set()
    words = labels = 0
    for i, block in enumerate(blocks(t, options)):
        part = i * BLOCK / options.documents
        for run in runs.values():
            run.block(block, timed=part >= 0.1, judged=part >= 0.9)
        for x, y in block:
            seen.update(x)
            topics.update(y)
            words += len(x)
            labels += len(y)
    print(f"{options.documents:,} documents, {words / options.documents:.1f} words of")
    print(f"{options.names:,} and {labels / options.documents:.1f} topics of {len(t) - 1:,} each;")
    print(f"{len(seen):,} words and {len(topics):,} topics were seen\n")
    report(runs, {name: growth_elsewhere(name) for name in runs})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=60_000)
    parser.add_argument("--nodes", type=int, default=10_000, help="of the taxonomy")
    parser.add_argument("--names", type=int, default=1_000_000, help="that words are drawn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    main(parser.parse_args())
