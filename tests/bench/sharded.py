"""SH-RLS on RCV1 in one process and in shards: time, bytes sent, and balance of the work.

    python tests/bench/sharded.py --data FOLDER

Both start from a model that has learned the first documents, and nodes are assigned to shards by
what it stores. The other documents come in batches, which the process and the shards learn in turn.
Needs Ray. Both use all free processors, so the ratio depends on the machine; processor times depend
less on it.
"""

from __future__ import annotations

import argparse
import pickle
import time
from typing import Any

import numpy as np
from scipy import sparse
from tqdm import tqdm

from river_hier import Taxonomy, datasets, distributed, linear_model
from river_hier.base.dataframes import read_batch
from river_hier.base.targets import multilabel_rows
from river_hier.distributed.coordinator import without_empty_columns
from river_hier.distributed.plan import Plan, unit_loads

TOGETHER = 2_000  # documents
BATCH = 500
Batch = tuple[Any, list[Any]]


def batches(documents: list[tuple[Any, Any]], names: list[str]) -> list[Batch]:
    """The documents as sparse matrices, with lists of labels."""
    column = {name: j for j, name in enumerate(names)}
    found = []
    for first in range(0, len(documents), BATCH):
        xs, ys = zip(*documents[first : first + BATCH], strict=True)
        start = np.cumsum([0, *map(len, xs)])
        columns = np.array([column[name] for x in xs for name in x])
        values = np.array([value for x in xs for value in x.values()])
        X = sparse.csr_array((values, columns, start), shape=(len(xs), len(names)))
        found.append((X, list(ys)))
    return found


def handles(model: Any) -> Any:
    return model._running._shards._actors


def processor_seconds(model: Any) -> list[float]:
    """The processor time of each shard, after it has learned all batches."""
    for handle in handles(model):
        handle.wait(0)
    calls = [
        h.actor.__ray_call__.remote(lambda actor: __import__("time").process_time())
        for h in handles(model)
    ]
    return [handles(model)[0].ray.get(call) for call in calls]


def race(start: Any, rest: list[Batch], names: list[str], k: int) -> Any:
    """Train one process and k shards, batch by batch; return the model of the one process."""
    one = pickle.loads(pickle.dumps(start))
    size = pickled = 0
    seconds, processor, driver = [0.0, 0.0], 0.0, 0.0
    with distributed.Sharded(start, shards=k, checkpoint_every=10) as many:
        many.predict_many(rest[0][0][:1], columns=names)  # starts the shards
        before = processor_seconds(many)
        for X, y in tqdm(rest, unit="batch"):
            spent = time.process_time()
            batch, _ = read_batch(X, names)
            [(_, _, _, on)] = one._read_many(batch, multilabel_rows(y, None, batch.n))
            pickled += len(pickle.dumps((without_empty_columns(batch), on), protocol=5))
            driver += time.process_time() - spent
            size += X.shape[0]
            moment, spent = time.perf_counter(), time.process_time()
            one.learn_many(X, y, columns=names)
            seconds[0] += time.perf_counter() - moment
            processor += time.process_time() - spent
            moment = time.perf_counter()
            many.learn_many(X, y, columns=names)
            for handle in handles(many):
                handle.wait(0)
            seconds[1] += time.perf_counter() - moment
        after = processor_seconds(many)
        trips = []
        for _ in range(50):
            moment = time.perf_counter()
            many.predict_one({})
            trips.append(time.perf_counter() - moment)
        X = rest[0][0]
        differ = (many.predict_many(X, columns=names) != one.predict_many(X, columns=names)).sum()
    shares = [b - a for a, b in zip(before, after, strict=True)]
    print(f"learning {size:,} documents after {TOGETHER:,}, {BATCH} a batch")
    print(f"one process    {seconds[0]:8.1f} s, of a processor {processor:.1f} s")
    print(f"{k} shards       {seconds[1]:8.1f} s, of each processor", end=" ")
    print(", ".join(f"{share:.1f} s" for share in shares))
    print(f"ratio          {seconds[1] / seconds[0]:8.2f}")
    print(
        f"largest share of the shards' work, ideally {1 / k:.2f}: {max(shares) / sum(shares):.2f}"
    )
    print(f"bytes a batch  {pickled / len(rest):8,.0f}, a document {pickled / size:,.0f}")
    print(f"read and encoded in the driver in {1e6 * driver / size:.0f} us a document")
    print(f"predict_one of an empty x, there and back: {1e3 * np.median(trips):.1f} ms")
    print(f"answers that differ: {differ.sum()} of {X.shape[0] * (len(start._taxonomy) - 1):,}")
    return one


def balance(taxonomy: Taxonomy, early: Any, late: Any) -> None:
    """The speedup of the slowest of k shards over one process, if work is instances squared."""
    units = [[v] for v in range(1, len(taxonomy))]
    work = np.array(late._unit_costs())
    plans = {
        "by place": unit_loads(units, [0.0] * len(units), taxonomy._arrays),
        f"after {TOGETHER:,}": early._unit_costs(),
        "in hindsight": late._unit_costs(),
    }
    print(f"\n{sum(late.n_stored.values()):,} instances stored, at most", end=" ")
    print(
        f"{max(late.n_stored.values()):,} at one node: {work.max() / work.sum():.3f} of the work,"
    )
    print(f"so no number of shards is more than {work.sum() / work.max():.1f} times as fast")
    print(f"\n{'shards':>8}" + "".join(f"{name:>14}" for name in plans))
    for k in (1, 2, 4, 8, 16):
        row = f"{k:>8}"
        for expected in plans.values():
            owners = np.array(Plan(k).owners(taxonomy, units, expected)[1:])
            loads = [work[owners == shard].sum() for shard in range(k)]
            row += f"{work.sum() / max(loads):>14.1f}"
        print(row)


def main(data: str | None, n_documents: int, k: int) -> None:
    stream = datasets.RCV1(data)
    documents = [example for _, example in zip(range(n_documents), stream, strict=False)]
    names = list(dict.fromkeys(name for x, _ in documents for name in x))
    mini_batches = batches(documents, names)
    early = linear_model.SHRLS(stream.taxonomy)
    for X, y in mini_batches[: TOGETHER // BATCH]:
        early.learn_many(X, y, columns=names)
    late = race(early, mini_batches[TOGETHER // BATCH :], names, k)
    balance(stream.taxonomy, early, late)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=15_926)
    parser.add_argument("--shards", type=int, default=2)
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents, arguments.shards)
