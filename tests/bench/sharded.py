"""H-PERC and H-AROW with 10,000 nodes in one process and in shards: time, bytes, and a model.

    python tests/bench/sharded.py --race
    python tests/bench/sharded.py

The stream is that of `zipf_stream.py`, in batches. The first half is learned before anything is
measured. With `--race`, which needs Ray, one process and the shards learn several batches in turn;
times are medians, and their ratio is that of the wall time. Run it on a machine that does nothing
else.

Without it, the shards run in this process, one after the other, with the messages that would be
sent: documents are routed as they would be on as many machines. From processor times and bytes
follows the time of a batch, if driver, network and shards work at the same time: that of the
slowest of them.
"""

from __future__ import annotations

import argparse
import itertools
import pickle
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import zipf_stream
from scipy import sparse
from tqdm import tqdm

from river_hier import distributed, linear_model
from river_hier.distributed.shard import Shard, Stage

LEARNERS = {"H-PERC": linear_model.HPerceptron, "H-AROW": linear_model.HAROW}
IN_TURN = 3  # batches that are learned before the other one's turn
BYTES_A_SECOND = 1.25e9  # 10 Gbit/s
Batch = tuple[Any, list[Any], list[str]]


def batches(taxonomy: Any, n: int, size: int) -> Iterator[Batch]:
    """The documents as sparse matrices, with labels and the names of the columns."""
    stream = zipf_stream.documents(taxonomy, n)
    while rows := list(itertools.islice(stream, size)):
        column: dict[str, int] = {}
        columns = [column.setdefault(name, len(column)) for x, _ in rows for name in x]
        values = [value for x, _ in rows for value in x.values()]
        start = np.cumsum([0, *(len(x) for x, _ in rows)])
        X = sparse.csr_array((values, columns, start), shape=(len(rows), len(column)))
        X.sort_indices()
        yield X, [y for _, y in rows], list(column)


class TimedShards:
    """Shards in this process, with their times and the bytes of their messages.

    Pickling counts as the driver's time, unpickling as the shard's.
    """

    def __init__(self, shards: list[Shard]) -> None:
        self.shards: list[Shard] = pickle.loads(pickle.dumps(shards, 5))
        self.seconds = np.zeros(len(shards))
        self.bytes = self.rows = 0

    def learn(self, number: int, stages: Sequence[Sequence[Stage]]) -> None:
        for index, part in enumerate(stages):
            message = pickle.dumps(part, 5)
            before = time.process_time()
            self.shards[index].learn(number, pickle.loads(message))
            self.seconds[index] += time.process_time() - before
            self.bytes += len(message)
            self.rows += sum(stage.X.n for stage in part)


def simulate(make: Any, parts: list[Batch], counts: Sequence[int]) -> None:
    """Print what each number of shards takes, in microseconds of a processor a document."""
    taxonomy = zipf_stream.taxonomy()
    head = f"{'shards':>8}{'driver':>9}{'slowest':>9}{'all':>9}{'network':>9}{'copies':>8}"
    print(head + f"{'bytes':>8}{'a batch':>9}{'ratio':>7}{'faster':>8}")
    one_time = 0.0
    for k in counts:
        one, pools = make(taxonomy), []
        many = distributed.Sharded(make(taxonomy), shards=k)
        many._start = lambda shards, pools=pools: pools.append(TimedShards(shards)) or pools[0]  # type: ignore[method-assign]
        spent, driver, documents = [], [], 0
        for i, (X, y, names) in enumerate(tqdm(parts, unit="batch", leave=False)):
            if i == len(parts) // 2:
                pools[0].seconds[:] = pools[0].bytes = pools[0].rows = documents = 0
                spent, driver = [], []
            documents += len(y)
            if k == counts[0]:
                before = time.process_time()
                one.learn_many(X, y, columns=names)
                spent.append((time.process_time() - before) / len(y))
            before = time.process_time() - pools[0].seconds.sum() if pools else time.process_time()
            many.learn_many(X, y, columns=names)
            after = time.process_time() - pools[0].seconds.sum()
            driver.append((after - before) / len(y))
        one_time = 1e6 * statistics.median(spent) if spent else one_time
        (pool,) = pools
        shards = 1e6 * pool.seconds / documents
        drives, sends = (
            1e6 * statistics.median(driver),
            1e6 * pool.bytes / documents / BYTES_A_SECOND,
        )
        slowest = max(drives, sends, shards.max())
        print(f"{k:>8}{drives:>9.1f}{shards.max():>9.1f}{shards.sum():>9.1f}{sends:>9.1f}", end="")
        print(
            f"{pool.rows / documents:>8.2f}{pool.bytes / documents:>8,.0f}{slowest:>9.1f}", end=""
        )
        print(f"{slowest / one_time:>7.2f}{one_time / slowest:>8.1f}")
        if k == 2:
            both = max(slowest, (drives + shards.sum()) / 2)
            print(
                f"         on two processors {both:.1f}, ratio {both / one_time:.2f}, without Ray's"
            )
        many._running = None
    print(f"one process: {one_time:.1f}\n")


def race(make: Any, parts: list[Batch], k: int) -> None:
    """Print the times of one process and of k shards on Ray."""
    taxonomy = zipf_stream.taxonomy()
    one, times, spent = make(taxonomy), [], []
    with distributed.Sharded(make(taxonomy), shards=k) as many:
        for first in tqdm(range(0, len(parts), IN_TURN), unit="turn", leave=False):
            turn, seconds = parts[first : first + IN_TURN], []
            for model in (one, many):
                moment, before = time.perf_counter(), processor_seconds(many)
                for X, y, names in turn:
                    model.learn_many(X, y, columns=names)
                for handle in handles(many) if model is many else ():
                    handle.wait(0)
                seconds.append((time.perf_counter() - moment) / sum(len(y) for _, y, _ in turn))
                after = processor_seconds(many)
            if first >= len(parts) // 2:
                times.append(seconds)
                rows = sum(len(y) for _, y, _ in turn)
                spent.append([(z - a) / rows for a, z in zip(before, after, strict=True)])
        X, _, names = parts[0]
        differ = (
            (many.predict_many(X[:200], columns=names) != one.predict_many(X[:200], columns=names))
            .to_numpy()
            .sum()
        )
        pairs = zip(many.gathered()._w.rows, one._w.rows, strict=True)
        same = all(np.array_equal(a, b) for a, b in pairs)
    alone, shared = (1e6 * statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(b / a for a, b in times)
    used = ", ".join(f"{1e6 * statistics.median(c):.1f}" for c in zip(*spent, strict=True))
    print(f"one process {alone:.1f} us a document, {k} shards {shared:.1f}: ratio {ratio:.2f}")
    print(f"processor time of the driver and the shards: {used} us")
    print(f"answers that differ: {differ}; weights are {'equal' if same else 'DIFFERENT'}\n")


def handles(model: Any) -> Any:
    return model._running._shards._actors if model._running else []


def processor_seconds(model: Any) -> list[float]:
    """The processor time of this process, and of each shard."""
    calls = [
        h.actor.__ray_call__.remote(lambda actor: __import__("time").process_time())
        for h in handles(model)
    ]
    return [time.process_time(), *(handles(model)[0].ray.get(call) for call in calls)]


def main(options: argparse.Namespace) -> None:
    parts = list(batches(zipf_stream.taxonomy(), options.documents, options.batch))
    for name in options.learner or LEARNERS:
        print(f"{name}, {options.documents:,} documents, {options.batch:,} a batch")
        if options.race:
            race(LEARNERS[name], parts, 2)
        else:
            simulate(LEARNERS[name], parts, options.shards)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=48_000)
    parser.add_argument("--batch", type=int, default=4_000)
    parser.add_argument("--learner", choices=LEARNERS, action="append")
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 4, 8, 16, 100])
    parser.add_argument("--race", action="store_true", help="two shards on Ray")
    main(parser.parse_args())
