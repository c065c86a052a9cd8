"""What kernels cost, what a budget loses, and what random features do instead.

    python tests/bench/kernel.py

Times are medians on the machine at hand; errors do not depend on it.
"""

import argparse
import itertools
import statistics
import time
from unittest import mock

import numpy as np
from river import datasets, feature_extraction, preprocessing

from river_hier import Taxonomy, kernel, linear_model, metrics
from river_hier.feature_extraction import RandomFourierFeatures
from river_hier.kernel import hieron, least_squares

TREE = Taxonomy.from_parents({0: None} | {v: (v - 1) // 3 for v in range(1, 121)})  # ternary
PICTURES = Taxonomy.from_nested(
    {"nature": ["sky", "foliage", "grass"], "built": ["brickface", "cement", "window", "path"]}
)
CLUSTERS = Taxonomy.from_nested({a: [f"{a}{i}" for i in "123"] for a in "abc"})


def milliseconds(call, calls):
    times = []
    for arguments in calls:
        start = time.perf_counter()
        call(*arguments)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


# --- 50,000 stored examples


def dense(rng):
    """200 features."""
    return {f"feature {j}": value for j, value in enumerate(rng.normal(size=200).tolist())}


def sparse(rng):
    """76 words of 47,236, as in a document of RCV1."""
    return {f"word {j}": 0.1 for j in np.unique(rng.zipf(1.2, size=200) % 47_236)[:76]}


def filled(model, draw, n, rng):
    """A Hieron that has made n mistakes."""
    for i in range(n):
        y, y_hat = rng.integers(1, len(TREE), size=2).tolist()
        up, down = (set(map(TREE.index, TREE.path(TREE.nodes[v]))) for v in (y, y_hat))
        nodes = np.array(sorted(up ^ down), dtype=np.intp)
        model._w.add(i, nodes, rng.normal(size=len(nodes)))
        model._instances.append(draw(rng))
    return model


def scoring(n):
    print(f"{n:,} stored examples, {len(TREE)} nodes: milliseconds, median of 50\n")
    print(f"{'':24}{'kernel':>10}{'product alone':>16}{'predict_one':>14}{'learn_one':>12}")
    for name, draw in {"200 dense features": dense, "76 words of 47,236": sparse}.items():
        rng = np.random.default_rng(0)
        for ours in (kernel.Linear(), kernel.RBF(10.0)):
            model = filled(kernel.Hieron(TREE, ours), draw, n, rng)
            probes = [(draw(rng), TREE.nodes[int(rng.integers(1, len(TREE)))]) for _ in range(50)]
            predict = milliseconds(model.predict_one, [(x,) for x, _ in probes])
            stored = model._instances._rows
            vectors = list(stored.vectors(np.arange(50)))
            product = milliseconds(stored.dots, [(x,) for x in vectors])
            learn = milliseconds(model.learn_one, probes)
            cells = f"{product:>16.1f}{predict:>14.1f}{learn:>12.1f}"
            print(f"{name:24}{type(ours).__name__:>10}{cells}", flush=True)


# --- Errors


def pictures():
    """River's ImageSegments, scaled as they come."""
    scaler = preprocessing.StandardScaler()
    stream = []
    for x, y in datasets.ImageSegments():
        scaler.learn_one(x)
        stream.append((scaler.transform_one(x), y))
    return stream


def clusters(n=3000):
    """Each leaf is four clouds in five dimensions; near in the tree need not be near in space."""
    rng = np.random.default_rng(0)
    centres = 1.5 * rng.normal(size=(9, 4, 5))
    stream = []
    for y, cloud in zip(rng.integers(9, size=n), rng.integers(4, size=n), strict=True):
        x = centres[y, cloud] + 0.5 * rng.normal(size=5)
        stream.append((dict(enumerate(x.tolist())), CLUSTERS.leaves[y]))
    return stream


STREAMS = {"ImageSegments": (pictures, PICTURES, 2.0), "clusters": (clusters, CLUSTERS, 1.0)}


def progressive(model, metric, stream):
    """The loss, and milliseconds an example."""
    start = time.perf_counter()
    for x, y in stream:
        metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    return metric.get(), 1e3 * (time.perf_counter() - start) / len(stream)


def dropped(K, weights, n):
    """The oldest go, and nothing stands in for them."""
    return np.arange(len(K) - n, len(K)), np.zeros((n, len(K) - n))


def budgets():
    print("\nprogressive loss under a budget (a group of siblings' or a node's in least squares)\n")
    print(f"{'':47}" + "".join(f"{b:>9}" for b in ("none", 200, 100, 50)))
    learners = {
        "Hieron": (kernel.Hieron, metrics.TreeInducedError),
        "AveragedHieron": (kernel.AveragedHieron, metrics.TreeInducedError),
        "SHRLS": (kernel.SHRLS, metrics.HLoss),
    }
    policies = {"project": least_squares.pivoted_cholesky_projection, "drop the oldest": dropped}
    for (where, (make, taxonomy, sigma)), name in itertools.product(STREAMS.items(), learners):
        stream = make()
        cls, measure = learners[name]
        for policy, chosen in policies.items():
            cells = []
            for budget in (None, 200, 100, 50):
                model = cls(taxonomy, kernel.RBF(sigma), budget=budget)
                with (
                    mock.patch.object(hieron, "pivoted_cholesky_projection", chosen),
                    mock.patch.object(least_squares, "pivoted_cholesky_projection", chosen),
                ):
                    loss, _ = progressive(model, measure(taxonomy), stream)
                cells.append(f"{loss:>9.3f}")
            print(f"{where:15}{name:16}{policy:16}" + "".join(cells), flush=True)


def rivals(taxonomy, sigma):
    yield "linear_model.Hieron", linear_model.Hieron(taxonomy)
    for n in (20, 100):
        sampler = feature_extraction.RBFSampler(1.0 / (2.0 * sigma**2), n_components=n, seed=1)
        yield f"River's RBFSampler, {n} a feature | Hieron", sampler | linear_model.Hieron(taxonomy)
    for n in (200, 1000):
        features = RandomFourierFeatures(sigma, n)
        yield f"RandomFourierFeatures, {n} | Hieron", features | linear_model.Hieron(taxonomy)
    for budget in (100, None):
        name = "kernel.Hieron" + (f", budget={budget}" if budget else "")
        yield name, kernel.Hieron(taxonomy, kernel.RBF(sigma), budget=budget)


def sampling():
    print("\nan RBF kernel, exact and sampled: tree-induced error (milliseconds an example)\n")
    print(f"{'':46}" + "".join(f"{where:>20}" for where in STREAMS))
    rows = {}
    for make, taxonomy, sigma in STREAMS.values():
        stream = make()
        for name, model in rivals(taxonomy, sigma):
            loss, ms = progressive(model, metrics.TreeInducedError(taxonomy), stream)
            rows[name] = rows.get(name, "") + f"{f'{loss:.3f} ({ms:.2f})':>20}"
    for name, cells in rows.items():
        print(f"{name:46}{cells}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stored", type=int, default=50_000, help="examples to store")
    parser.add_argument("--only", choices=["scoring", "budgets", "sampling"])
    arguments = parser.parse_args()
    if arguments.only in (None, "scoring"):
        scoring(arguments.stored)
    if arguments.only in (None, "budgets"):
        budgets()
    if arguments.only in (None, "sampling"):
        sampling()
