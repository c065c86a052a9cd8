"""What a budget loses, and what random features do instead of a kernel.

    python tests/bench/kernel.py

Times are medians on the machine at hand; errors do not depend on it.
"""

import argparse
import itertools
import time
from unittest import mock

import numpy as np
from river import datasets, feature_extraction, preprocessing

from river_hier import Taxonomy, kernel, linear_model, metrics
from river_hier.feature_extraction import RandomFourierFeatures
from river_hier.kernel import hieron, least_squares

PICTURES = Taxonomy.from_nested(
    {"nature": ["sky", "foliage", "grass"], "built": ["brickface", "cement", "window", "path"]}
)
CLUSTERS = Taxonomy.from_nested({a: [f"{a}{i}" for i in "123"] for a in "abc"})


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
    parser.add_argument("--only", choices=["budgets", "sampling"])
    arguments = parser.parse_args()
    if arguments.only in (None, "budgets"):
        budgets()
    if arguments.only in (None, "sampling"):
        sampling()
