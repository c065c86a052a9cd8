"""Steps of a model of 300 MB while checkpoints of it are written, and how long loading takes.

    python tests/bench/checkpoint_pause.py

The model learns one example after the other, in turn without a checkpoint and while one is written
by another thread. Printed are the times of steps, of the copy that is saved, which is the pause of
the program, and of loading it, compared with reading the same bytes from a file that
the system has in memory, or from the disk if the script may empty that memory. Processor times
depend less on what else the machine does.
"""

import argparse
import copy
import itertools
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import zipf_stream

from river_hier import checkpoint, linear_model

executor = ThreadPoolExecutor(max_workers=1)
PAUSE = 3.0  # seconds after a checkpoint


def learn(model, stream, n, path):
    """The times of n steps, and of the copy before them."""
    steps = []
    calls = []
    if path is not None:
        moment = now()
        saving = executor.submit(checkpoint.save, copy.deepcopy(model), path)
        calls.append(since(moment))
    for x, y in itertools.islice(stream, n):
        moment = now()
        model.learn_one(x, y)
        steps.append(since(moment))
    if path is not None:
        saving.result()
        time.sleep(PAUSE)
    return steps, calls


def now():
    return time.perf_counter(), time.thread_time()


def since(moment):
    return time.perf_counter() - moment[0], time.thread_time() - moment[1]


def drop(path):
    """Remove a file from the memory of the system; return whether that is possible."""
    if not hasattr(os, "posix_fadvise"):
        return False
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


def main(documents, phases, steps, folder):
    taxonomy = zipf_stream.taxonomy()
    stream = zipf_stream.documents(taxonomy, documents + 10_000_000)
    model = linear_model.HAROW(taxonomy)
    for x, y in itertools.islice(stream, documents):
        model.learn_one(x, y)
    print(f"weights {model._state.n_bytes / 1e6:,.0f} MB")
    with tempfile.TemporaryDirectory(dir=folder or None) as where:
        path = Path(where, "checkpoint")
        moment = now()
        checkpoint.save(model, path)
        print("saved in the foreground in {:.2f} s, of a processor {:.2f} s".format(*since(moment)))
        print(f"the file has {path.stat().st_size / 1e6:,.0f} MB")
        found = {"none": [], "checkpoints": []}
        calls = []
        for _ in range(phases):
            for name, phase in found.items():
                times, more = learn(model, stream, steps, path if name != "none" else None)
                phase.append(times)
                calls += more
        print(f"{'a step, ms':24}{'p50':>8}{'p99':>8}{'p99.9':>8}{'longest':>9}")
        for name, phase in found.items():
            for kind, clock in enumerate(("time", "processor time")):
                rows = [
                    np.quantile([step[kind] for step in steps], [0.5, 0.99, 0.999, 1.0])
                    for steps in phase
                ]
                shown = [1e3 * statistics.median(column) for column in zip(*rows, strict=True)]
                print(f"{f'{name}, {clock}':24}" + "".join(f"{value:>8.2f}" for value in shown))
        for kind, clock in enumerate(("time", "processor time")):
            pauses = [call[kind] for call in calls]
            median = statistics.median(pauses)
            print(f"the pause, {clock}: {median:.2f} s, at most {max(pauses):.2f}", end="")
            print(f", {1e9 * median / path.stat().st_size:.1f} s per GB")
        for name, prepare in (("in memory", path.read_bytes), ("on the disk", lambda: drop(path))):
            pairs = []
            for _ in range(3):
                prepare()
                moment = now()
                path.read_bytes()
                read = since(moment)
                prepare()
                moment = now()
                checkpoint.load(path)
                pairs.append((read, since(moment)))
            for kind, clock in enumerate(("time", "processor time")):
                read_in = statistics.median(read[kind] for read, _ in pairs)
                loaded_in = statistics.median(loaded[kind] for _, loaded in pairs)
                print(f"{name}, {clock}: read in {read_in:.2f} s, loaded in {loaded_in:.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=6_000)
    parser.add_argument("--phases", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1_000, help="of a phase")
    parser.add_argument("--folder", default="", help="on the disk in question")
    options = parser.parse_args()
    main(options.documents, options.phases, options.steps, options.folder)
