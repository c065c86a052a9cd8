"""What does a mini-batch save? `learn_many` beside the loop of `learn_one`, in interleaved runs.

    python tests/bench/many.py [--data FOLDER]

Batches of 1,000 rows: dense ones of 121 columns in a pandas dataframe, and sparse ones with 76
entries a row in a scipy.sparse matrix of few and of many columns; with --data, RCV1's documents.
Each batch is learned three times by models that are alike: in one call, row by row from the batch,
and row by row from dicts that were made beforehand. They take turns to come first, for whoever does
so finds the batch in no cache. Printed are medians over the batches, in milliseconds of processor
time a batch, and how many times slower than the call the loops are.

Then batches of 1, 10, 100 and 1,000 rows whose columns are mostly new: the time of the call over
that of the loop that makes dicts; for compiled learners, and for a rule in Python after 8,000
examples. New columns need new memory. Where a virtual machine has never used it before, either way
waits eight times as long for it, so enough is used and given back before each batch.
"""

import argparse
import copy
import itertools
import statistics
import time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from river_hier import Taxonomy, base, datasets, linear_model

ROWS = 1_000
LEARNERS = ["Hieron", "HPerceptron", "HAROW"]


class Batch(NamedTuple):
    """A batch as a matrix, as dicts, and its labels."""

    X: Any
    columns: list[str] | None
    xs: list[dict[str, float]]
    ys: list[Any]


def tree():
    """103 topics, as RCV1 has them: 4 at the top, below them 11 each, and so on."""
    return Taxonomy([(f"t{(v - 1) // 4 if v > 4 else 0}", f"t{v}") for v in range(1, 104)])


def labels(t, rng):
    nodes = t.nodes[1:]
    return [{nodes[v] for v in rng.integers(len(nodes), size=2)} for _ in range(ROWS)]


def dense(t, d):
    rng = np.random.default_rng(0)
    columns = [f"feature {j}" for j in range(d)]
    while True:
        X = pd.DataFrame(rng.normal(size=(ROWS, d)) / d**0.5, columns=columns)
        yield Batch(X, None, X.to_dict("records"), labels(t, rng))


def csr(t, n_columns, length=76):
    """Rows of a matrix whose columns have no names, as a hashing vectorizer makes it."""
    rng = np.random.default_rng(0)
    while True:
        places = [np.sort(rng.choice(n_columns, length, replace=False)) for _ in range(ROWS)]
        start = np.arange(0, ROWS * length + 1, length)
        cells = rng.random(ROWS * length), np.concatenate(places), start
        xs = [
            dict(zip(row.tolist(), v.tolist(), strict=True))
            for row, v in zip(places, cells[0].reshape(ROWS, length), strict=True)
        ]
        yield Batch(sparse.csr_array(cells, shape=(ROWS, n_columns)), None, xs, labels(t, rng))


def documents(stream):
    examples = iter(stream)
    while len(block := list(itertools.islice(examples, ROWS))) == ROWS:
        yield as_sparse([x for x, _ in block], [y for _, y in block])


def as_sparse(xs, ys):
    columns = {}
    entries = [
        (i, columns.setdefault(w, len(columns)), v) for i, x in enumerate(xs) for w, v in x.items()
    ]
    rows, places, values = zip(*entries, strict=True)
    X = sparse.csr_array((values, (rows, places)), shape=(len(xs), len(columns)))
    X.sort_indices()
    return Batch(X, list(columns), xs, ys)


def from_the_batch(batch):
    """The rows of the batch as dicts, made on the way."""
    if isinstance(batch.X, pd.DataFrame):
        return iter(batch.X.to_dict("records"))
    names = batch.columns or range(batch.X.shape[1])
    indices, data, start = batch.X.indices, batch.X.data, batch.X.indptr.tolist()
    return (
        {names[c]: v for c, v in zip(indices[a:z].tolist(), data[a:z].tolist(), strict=True)}
        for a, z in itertools.pairwise(start)
    )


def many(model, batch):
    model.learn_many(batch.X, batch.ys, columns=batch.columns)


def loop(model, batch):
    for x, y in zip(from_the_batch(batch), batch.ys, strict=True):
        model.learn_one(x, y)


def loop_over_dicts(model, batch):
    for x, y in zip(batch.xs, batch.ys, strict=True):
        model.learn_one(x, y)


def medians(name, t, batches, n):
    ways = [many, loop, loop_over_dicts]
    models = [getattr(linear_model, name)(t) for _ in ways]
    times = [[] for _ in ways]
    for turn, batch in enumerate(itertools.islice(batches, n)):
        if name == "Hieron":
            deepest = [max(y, key=t.index) if y else t.root for y in map(t.closure, batch.ys)]
            batch = batch._replace(ys=deepest)
        for k in range(turn, turn + len(ways)):
            k %= len(ways)
            start = time.process_time()
            ways[k](models[k], batch)
            times[k].append(1e3 * (time.process_time() - start))
    return [statistics.median(spent) for spent in times]


class Perceptron(base.TopDownLearner):
    def rule(self, score, y, norm2):  # type: ignore[no-untyped-def, override]
        return y * ((score >= 0) != (y > 0))


def texts(n_rows, rng, t):
    """Rows of 76 words, of which most occur in no other row."""

    def word():
        return f"w{rng.integers(10**9) if rng.random() < 0.6 else rng.integers(50)}"

    xs = [{word(): float(rng.random()) for _ in range(76)} for _ in range(n_rows)]
    return as_sparse(xs, labels(t, rng)[:n_rows])


def small(make, n_rows, t):
    """The time of batches over that of loops, the median over 31 or fewer pairs."""
    rng = np.random.default_rng(0)
    models, ratios = [make(), make()], []
    for turn in range(31 if n_rows < 1_000 else 9):
        batch, spent = texts(n_rows, rng, t), [0.0, 0.0]
        np.ones(n_rows << 15)  # a virtual machine gets memory from its host before time is taken
        for k in (turn % 2, 1 - turn % 2):
            start = time.process_time()
            (many, loop)[k](models[k], batch)
            spent[k] = time.process_time() - start
        ratios.append(spent[0] / spent[1])
    return statistics.median(ratios)


def main(data, n):
    print(f"milliseconds for {ROWS:,} rows, median of {n} batches\n")
    print(f"{'':24}{'':16}{'learn_many':>12}{'loop':>18}{'loop over dicts':>18}")
    kinds = {
        "121 columns": (tree(), lambda t: dense(t, 121)),
        "csr, 1,024 columns": (tree(), lambda t: csr(t, 2**10)),
        "csr, 16,384 columns": (tree(), lambda t: csr(t, 2**14)),
        "csr, 262,144 columns": (tree(), lambda t: csr(t, 2**18)),
    }
    if data is not None:
        stream = datasets.RCV1(data)
        kinds["RCV1"] = (stream.taxonomy, lambda t: documents(stream))
    for kind, (t, batches) in kinds.items():
        for name in LEARNERS:
            call, *loops = medians(name, t, batches(t), n)
            cells = [f"{spent:,.1f} ({spent / call:.1f}x)" for spent in loops]
            print(f"{kind:24}{name:16}{call:>12,.2f}" + "".join(f"{cell:>18}" for cell in cells))
    t, sizes, rng = tree(), (1, 10, 100, 1_000), np.random.default_rng(1)
    print("\nlearn_many of a csr matrix over the loop, most columns new; rows:", sizes)
    for name in LEARNERS[1:]:
        ratios = [small(lambda name=name: getattr(linear_model, name)(t), k, t) for k in sizes]
        print(f"{name:24}" + "".join(f"{ratio:>8.2f}" for ratio in ratios))
    learned = Perceptron(t)
    for _ in range(8):
        loop_over_dicts(learned, texts(1_000, rng, t))
    cells = (f"{small(lambda: copy.deepcopy(learned), k, t):>8.2f}" for k in (1, 10))
    print(f"{'a rule in Python':24}", *cells, sep="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files, for RCV1")
    parser.add_argument("--batches", type=int, default=9)
    arguments = parser.parse_args()
    main(arguments.data, arguments.batches)
