"""What exact least squares cost: SH-RLS and H-RLS over all of RCV1, and on dense features.

    python tests/bench/least_squares.py --data FOLDER

Each row runs in a fresh process. Memory is what the process holds at its most, less what it held
with the stream read and everything imported. `budget` rows show the losses on the last 3,926
documents after learning from the first 12,000.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd
from many import documents as batches_of
from scipy.linalg import blas
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from river_hier import Taxonomy, datasets, linear_model, metrics

TRAIN = 12_000


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def learned(model, documents, predict=False):
    """Seconds to learn from all documents, predicting each before where that is asked for."""
    start = time.perf_counter()
    for x, y in tqdm(documents, unit="doc"):
        if predict:
            model.predict_one(x)
        model.learn_one(x, y)
    return time.perf_counter() - start


def whole(stream, documents, predict=False, **options):
    """SH-RLS over all documents."""
    model = linear_model.SHRLS(stream.taxonomy, **options)
    seconds = learned(model, documents, predict)
    return {"seconds": seconds, "stored": sum(model.n_stored.values())}


def in_batches(stream, documents, **options):
    """The same, 1,000 at a time, and what is left of them one by one."""
    model = linear_model.SHRLS(stream.taxonomy, **options)
    n, seconds = 0, 0.0
    for batch in tqdm(batches_of(documents), unit="batch"):
        start = time.perf_counter()
        model.learn_many(batch.X, batch.ys, columns=batch.columns)
        seconds += time.perf_counter() - start
        n += len(batch.ys)
    seconds += learned(model, documents[n:])
    return {"seconds": seconds, "stored": sum(model.n_stored.values())}


def hrls(stream, documents):
    """H-RLS with a budget over all documents; exact, it would hold all of them at the root."""
    model = linear_model.HRLS(stream.taxonomy, budget=1_000)
    return {"seconds": learned(model, documents, predict=True)}


def budget(stream, documents, **options):
    """Losses under a budget."""
    model = linear_model.SHRLS(stream.taxonomy, **options)
    seconds = learned(model, documents[:TRAIN])
    losses = [
        metrics.ZeroOneLoss(stream.taxonomy),
        metrics.HLoss(stream.taxonomy),
        metrics.SymmetricDifferenceLoss(stream.taxonomy),
    ]
    for x, y in documents[TRAIN:]:
        answer = model.predict_one(x)
        for loss in losses:
            loss.update(y, answer)
    return {"seconds": seconds, "losses": [round(loss.get(), 3) for loss in losses]}


ROWS = {
    "SH-RLS": whole,
    "SH-RLS, batches of 1,000": in_batches,
    "SH-RLS, predicting before learning": lambda s, d: whole(s, d, predict=True),
    "H-RLS, budget=1,000, predicting before learning": hrls,
    "SH-RLS, no budget": lambda s, d: budget(s, d, budget=None),
    "SH-RLS, budget=1,000": lambda s, d: budget(s, d, budget=1_000),
    "SH-RLS, budget=500": lambda s, d: budget(s, d, budget=500),
    "SH-RLS, budget=250": lambda s, d: budget(s, d, budget=250),
}


def batch_seconds(model, table, ys):
    start = time.perf_counter()
    model.learn_many(table, ys)
    return time.perf_counter() - start


def dense():
    """121 dense features, 121 nodes: a step against the symv and syr calls that it needs.

    BLAS gets one thread. All take turns of 100 examples, for their matrices together fit no cache;
    a batch has those of 10 turns.
    """
    rng = np.random.default_rng(0)
    taxonomy = Taxonomy.from_parents(
        {0: None} | {v: (v - 1) // 3 for v in range(1, 121)}  # a full ternary tree
    )
    learners = {"H-RLS": linear_model.HRLS, "SH-RLS": linear_model.SHRLS}
    models = {name: [learner(taxonomy) for _ in range(2)] for name, learner in learners.items()}
    # Nodes whose parents are on: 4 times 3. In H-RLS siblings store the same and share a matrix.
    asked, n_matrices = {"H-RLS": 4, "SH-RLS": 12}, {"H-RLS": 40, "SH-RLS": 120}
    d, turn, turns = 121, 100, 160  # long before the end every system has met its 121 instances
    batch = 10 * turn
    columns = [f"f{j}" for j in range(d)]
    inverses = {
        name: [np.asfortranarray(np.eye(d)) for _ in range(n)] for name, n in n_matrices.items()
    }
    times = {name: [] for name in models}
    batched = {name: [] for name in models}
    xs = np.empty((0, d))
    ys = []
    for _ in tqdm(range(turns), unit="turn", desc="dense"):
        x = rng.normal(size=(turn, d)) / d**0.5
        named = [{f"f{j}": value for j, value in enumerate(row)} for row in x.tolist()]
        leaves = rng.integers(40, 121, turn).tolist()
        xs, ys = np.vstack([xs, x]), [*ys, *({leaf} for leaf in leaves)]
        for name, (one, many) in models.items():
            before = stored(one)
            start = time.perf_counter()
            for features, leaf in zip(named, leaves, strict=True):
                one.learn_one(features, leaf)
            learned = time.perf_counter()
            stores = 4 if name == "H-RLS" else round((stored(one) - before) / turn)
            visits = rng.integers(n_matrices[name], size=(turn, asked[name])).tolist()
            multiply = time.perf_counter()
            for row, nodes in zip(x, visits, strict=True):
                for k, node in enumerate(nodes):
                    u = blas.dsymv(1.0, inverses[name][node], row)
                    if k < stores:
                        blas.dsyr(-1e-9, u, a=inverses[name][node], overwrite_a=True)
            times[name].append([learned - start, time.perf_counter() - multiply])
            if len(xs) == batch:
                table = pd.DataFrame(xs, columns=columns)
                batched[name].append(batch_seconds(many, table, ys))
        if len(xs) == batch:
            xs, ys = np.empty((0, d)), []
    print("\n121 dense features, 121 nodes (microseconds an example, second half)")
    headers = "learn_one", "learn_many", "symv, syr of scipy alone"
    print("{:10}{:>12}{:>12}{:>30}".format("", *headers))
    for name, found in times.items():
        one_by_one, scipy = 1e6 * np.median(found[turns // 2 :], axis=0) / turn
        in_batch = 1e6 * np.median(batched[name][turns // 20 :]) / batch
        print(f"{name:10}{one_by_one:>12.1f}{in_batch:>12.1f}{scipy:>30.1f}")


def stored(model):
    return sum(model.n_stored.values()) if isinstance(model, linear_model.SHRLS) else 0


def one(row, data):
    """Run one row and print what it found as JSON."""
    stream = datasets.RCV1(data)
    documents = list(stream)
    base = megabytes()
    found = ROWS[row](stream, documents)
    print(json.dumps(found | {"megabytes": round(megabytes() - base)}))


def main(data, only):
    print(f"{'':46}{'seconds':>9}{'MB':>7}   stored, or zero-one / H / symmetric difference loss")
    for row in ROWS:
        if only not in row:
            continue
        command = [sys.executable, __file__, "--row", row, *(["--data", data] if data else [])]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        found = json.loads(answer)
        more = found.get("stored", found.get("losses", ""))
        print(f"{row:46}{found['seconds']:>9.1f}{found['megabytes']:>7}   {more}", flush=True)
    with threadpool_limits(1):
        dense()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    parser.add_argument("--dense", action="store_true", help="the part without documents alone")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.dense:
        with threadpool_limits(1):
            dense()
    elif arguments.row:
        one(arguments.row, arguments.data)
    else:
        main(arguments.data, arguments.only)
