"""How long learning pauses for a checkpoint that another thread writes: the copy that is saved.

    python tests/bench/checkpoint_pause.py

Prints the size of the file of a model with many weights, and the median of several copies, as a
clock shows it and in processor time, which depends less on what else the machine does.
"""

import argparse
import copy
import itertools
import statistics
import tempfile
import time
from pathlib import Path

import zipf_stream

from river_hier import checkpoint, linear_model


def now():
    return time.perf_counter(), time.thread_time()


def main(documents, copies):
    taxonomy = zipf_stream.taxonomy()
    model = linear_model.HAROW(taxonomy)
    for x, y in itertools.islice(zipf_stream.documents(taxonomy, documents), documents):
        model.learn_one(x, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "checkpoint")
        checkpoint.save(model, path)
        print(f"the file has {path.stat().st_size / 1e6:,.0f} MB")
    pauses = []
    for _ in range(copies):
        before = now()
        copy.deepcopy(model)
        pauses.append([end - start for start, end in zip(before, now(), strict=True)])
    for clock, seconds in zip(("time", "processor time"), zip(*pauses, strict=True), strict=True):
        print(f"the pause, {clock}: {statistics.median(seconds):.2f} s, at most {max(seconds):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=6_000)
    parser.add_argument("--copies", type=int, default=5)
    options = parser.parse_args()
    main(options.documents, options.copies)
