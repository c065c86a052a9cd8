"""Predictions of the HTTP service of examples/streaming while it writes large checkpoints.

    pip install ".[serving]"
    PYTHONPATH=tests python tests/bench/serving_checkpoints.py

prints the times of predictions while checkpoints are written one after the other, while none is
written, and while none is but another program computes: medians of interleaved phases. Then it
prints the memory of the processes. Processes are found in /proc, which needs Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import random
import statistics
import tempfile
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any

from river_hier import Taxonomy, checkpoint, linear_model, metrics
from support.http_load import TREE, ask, message, quantiles
from support.http_service import Client, Service


def large_state(n_features: int) -> dict[str, Any]:
    """A state with about 16 bytes for each feature and each of 585 nodes."""
    taxonomy = Taxonomy.from_nested(TREE)
    model = linear_model.HAROW(taxonomy)
    names = [f"feature {i}" for i in range(n_features)]
    for i, leaf in enumerate(taxonomy.leaves):
        model.learn_one(dict.fromkeys(names, 0.01 + i / 1e5), [leaf])
    state = {"model": model, "metric": metrics.HLoss(taxonomy), "pending": {}, "forgotten": 0}
    return {**state, "position": 0, "refused": 0}


def main(workers: int, phases: int, seconds: float, n_features: int) -> None:
    state = large_state(n_features)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        services = {}
        for name, every in (("no checkpoints", 1e9), ("checkpoints", 0.01)):
            at = Path(folder, name)
            (at / "shop").mkdir(parents=True)
            begun = time.perf_counter()
            checkpoint.save(state, at / "shop" / "checkpoint")
            took = time.perf_counter() - begun
            size = (at / "shop" / "checkpoint").stat().st_size / 2**20
            arguments = "--save", every, "--publish", 1e9
            service = Service(at, *arguments, workers=workers, taxonomy=TREE)
            services[name] = stack.enter_context(service)
            service.start()
        del state
        services["a busy program"] = services["no checkpoints"]
        found: dict[str, list[Any]] = {name: [] for name in services}
        one = stack.enter_context(multiprocessing.get_context("spawn").Pool(1))
        for phase in range(phases):
            for name, service in services.items():
                busy = multiprocessing.Process(target=compute, daemon=True)
                if name == "a busy program":
                    busy.start()
                key = f"{phase} {name}"
                found[name].append(predict_while_learning(one, service, key, seconds))
                if busy.pid:
                    busy.kill()
                time.sleep(2 * took)  # until the last checkpoint is written
        print(f"a checkpoint of {size:.0f} MiB takes {took:.2f} s to write")
        print(f"{'ms':16}{'p50':>8}{'p99':>8}{'p99.9':>8}{'max':>8}{'written':>9}")
        for name, rows in found.items():
            middle = [statistics.median(row) for row in zip(*rows, strict=True)]
            shown = "".join(f"{1e3 * value:>8.2f}" for value in middle[:-1])
            print(f"{name:16}{shown}{sum(row[-1] for row in rows):>9}")
        print(f"{'MiB':16}{'resident':>10}{'shared':>10}{'its own':>10}")
        assert service.process is not None
        for pid in (service.process.pid, *service.workers()):
            resident, own = memory(pid)
            name = "worker" if pid != service.process.pid else "first process"
            print(f"{name:16}{resident:>10.0f}{resident - own:>10.0f}{own:>10.0f}")


def compute() -> None:
    for i in count():
        hash((i, i))


def predict_while_learning(one: Any, service: Service, phase: str, seconds: float) -> list[float]:
    """Quantiles of the times of predictions, and how many checkpoints were written meanwhile."""
    path, stop = service.folder / "shop" / "checkpoint", threading.Event()
    seen = [path.stat().st_mtime_ns]

    def learn() -> None:
        client, rng = Client(service.port), random.Random(phase)
        for i in count():
            client.json("/learn", message("/learn", rng, f"{phase} {i}"))
            seen.append(path.stat().st_mtime_ns)
            if stop.wait(0.05):
                return

    learner = threading.Thread(target=learn)
    learner.start()
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        times += one.apply(ask, (service.port, "/predict", 200, 1))[0]
    times.sort()
    stop.set()
    learner.join()
    return [*quantiles(times, 0.5, 0.99, 0.999, 1), len(set(seen)) - 1]


def memory(pid: int) -> tuple[float, float]:
    """Resident memory of a process, and its own part, in MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return kib["Rss"] / 1024, (kib["Private_Clean"] + kib["Private_Dirty"]) / 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--phases", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=8, help="the length of a phase")
    parser.add_argument("--features", type=int, default=20_000)
    asked = parser.parse_args()
    main(asked.workers, asked.phases, asked.seconds, asked.features)
