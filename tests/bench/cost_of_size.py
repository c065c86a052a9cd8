"""Do all methods take about O(nodes), in chains and in flat taxonomies?

    PYTHONPATH=tests python tests/bench/cost_of_size.py [NAME ...]

Prints the seconds of the calls of models, metrics and taxonomies that grow faster, in taxonomies of
two sizes, and fails if there are any. NAME is the beginning of names, such as `metrics.H`.
"""

import argparse
import contextlib
import gc
import math
import pickle
import sys
import time
from collections.abc import Callable
from typing import Any

import pandas as pd

from river_hier import OpenTaxonomy, Taxonomy, inspection, metrics
from river_hier.taxonomy import MiscLeaves
from support import public_api

Calls = dict[str, Callable[[], Any]]

MOST = 1.6  # the exponent of time: 1, up to 1.3 where caches become too small, and noise
TRIES = 4  # before a method fails
SHORT = 0.005  # seconds: shorter times are not compared

SHAPES: dict[str, Callable[[int], Taxonomy]] = {
    "chain": lambda n: Taxonomy([(f"n{v}", f"n{v + 1}") for v in range(n)]),
    "flat": lambda n: Taxonomy([("n0", f"n{v}") for v in range(1, n + 1)]),
}
BINARY: dict[str, Callable[[int], Taxonomy]] = {
    "chain": lambda n: Taxonomy([(f"n{(v - 1) & ~1}", f"n{v}") for v in range(1, n + 1)]),
    "flat": lambda n: Taxonomy([(f"n{(v - 1) // 2}", f"n{v}") for v in range(1, n + 1)]),
}
# Nodes below the root of two taxonomies. With 200,000 children dictionaries are larger than the
# processor's caches: an addition of n^0.4 that the other size must be far away for.
SIZES = {"chain": (1_000, 10_000), "flat": (10_000, 200_000)}
# Those whose steps take milliseconds for each child, or for each level: sizes are a twentieth.
HEAVY = {
    "flat": (
        *("drift.", "ensemble.", "induction.", "kernel.HRLS", "kernel.SHRLS"),
        *("linear_model.HRLS", "linear_model.SHRLS", "local.PerNode"),
    ),
    "chain": ("induction.", "kernel.HRLS", "kernel.SHRLS", "local."),
}
ESTIMATORS = {
    name: model
    for name, model in public_api.estimators().items()
    if not name.startswith("feature_extraction.") and name != "induction.JensenShannonTree"
}
X, OTHER = {"a": 1.0, "b": 0.5}, {"b": 1.0, "c": 2.0}
FRAME = pd.DataFrame([{"a": 1.0, "b": 0.5, "c": 0.0}] * 2)


def of_estimator(name: str, t: Taxonomy, last: str, middle: str) -> Calls:
    model = public_api.in_taxonomy(ESTIMATORS[name], t)
    model.learn_one(X, last)
    model.learn_one(OTHER, middle)
    y = middle if public_api.one_label(model) else {middle}
    return {
        "predict_one": lambda: model.predict_one(X),
        "threshold": lambda: model.predict_one(X, threshold=0.3),
        "max_depth": lambda: model.predict_one(X, max_depth=1),
        "predict_proba_one": lambda: model.predict_proba_one(X),
        "score_one": lambda: model.score_one(X),
        "top_one": lambda: inspection.top_one(model, X),
        "explain_one": lambda: model.explain_one(X),
        "predict_many": lambda: model.predict_many(FRAME),
        "predict_proba_many": lambda: model.predict_proba_many(FRAME),
        "pickle": lambda: pickle.loads(pickle.dumps(model)),
        "clone": lambda: model.clone(include_attributes=True),
        "learn_one": lambda: model.learn_one(OTHER, y),
        "learn_many": lambda: model.learn_many(FRAME, [y, y]),
        "forget": lambda: model.forget(middle),
        "adopt": lambda: model.adopt(t.extend([(middle, "new")])),
    }


def of_metric(name: str, t: Taxonomy, last: str, middle: str) -> Calls:
    beta = {"beta": 2.0} if name == "metrics.HFBeta" else {}
    metric = getattr(metrics, name.removeprefix("metrics."))(t, **beta)
    predicted: Any = middle
    if metric._reads != "labels":
        predicted = {label: i / len(t) for i, label in enumerate(t.nodes[1:])}
    p = dict.fromkeys(t.nodes[1:], 0.5)
    return {
        "update": lambda: metric.update(last, predicted),
        "get": metric.get,
        "revert": lambda: metric.revert(last, predicted),
        "clone": metric.clone,
        "expected": lambda: metric.expected(p, middle),
    }


def of_taxonomy(_: str, t: Taxonomy, last: str, middle: str) -> Calls:
    edges, nodes, grows = list(t.edges), list(t.nodes), OpenTaxonomy()
    parents = {label: above for above, label in edges}

    def one_by_one() -> None:
        taxonomy = Taxonomy._of((grows.root,), ((),))
        for node in nodes:
            taxonomy = grows.with_labels(taxonomy, [(node,)])

    return {
        "constructor": lambda: Taxonomy(edges),
        "from_parents": lambda: Taxonomy.from_parents(parents),
        "from_paths": lambda: Taxonomy.from_paths([t.path(leaf) for leaf in t.leaves]),
        "flat": lambda: Taxonomy.flat(nodes),
        "closure": lambda: t.closure(nodes),
        "extend": lambda: t.extend([(label, f"new {label}") for label in nodes]),
        "extend to a DAG": lambda: t.extend([("n0", last), ("n0", middle)]),
        "flatten": lambda: t.flatten(),
        "misc_leaves": lambda: MiscLeaves(t),
        "subset": lambda: t.subset(nodes[::2]),
        "show": lambda: t.show(max_depth=100),
        "html": lambda: t._repr_html_(),
        "pickle": lambda: pickle.loads(pickle.dumps(t)),
        "equal": lambda: (Taxonomy(edges) == t, hash(t)),
        "lca": lambda: t.lca(last, middle),
        "relations": lambda: (t.ancestors(last), t.descendants("n0"), t.children("n0")),
        "open": one_by_one,
    }


SUBJECTS: dict[str, Any] = {
    **dict.fromkeys(ESTIMATORS, of_estimator),
    **{f"metrics.{name}": of_metric for name in metrics.__all__},
    "Taxonomy": of_taxonomy,
}


def seconds(name: str, shape: str, n: int) -> dict[str, float]:
    """The processor time of each call in a taxonomy of n nodes below the root."""
    binary = "Binary" in name
    n -= n % 2 if binary else 0
    t, middle = (BINARY if binary else SHAPES)[shape](n), f"n{n - 1 if binary else n // 2}"
    taken = {}
    for operation, call in SUBJECTS[name](name, t, f"n{n}", middle).items():
        begun = time.process_time()
        with contextlib.suppress(AttributeError, NotImplementedError, TypeError, ValueError):
            call()  # what a model cannot do raises an error
            taken[operation] = time.process_time() - begun
    return taken


def superlinear(name: str, shape: str, sizes: tuple[int, int]) -> dict[str, tuple[float, float]]:
    """The seconds of the calls that grow faster than allowed; the least of several times counts."""
    small, large = (seconds(name, shape, n) for n in sizes)
    for _ in range(TRIES):
        found = {
            operation: (round(small[operation], 4), round(spent, 4))
            for operation, spent in large.items()
            if spent > SHORT
            and math.log(spent / max(small[operation], 1e-6), sizes[1] / sizes[0]) > MOST
        }
        if not found:
            break
        for times, n in zip((small, large), sizes, strict=True):
            again = seconds(name, shape, n)
            times.update({each: min(times[each], again[each]) for each in found})
    return found


def main(names: list[str]) -> bool:
    gc.collect()
    gc.disable()
    linear = True
    for name in [name for name in SUBJECTS if name.startswith(tuple(names) or "")]:
        for shape, (small, large) in SIZES.items():
            if name.startswith(HEAVY[shape]):
                small, large = small // 20, large // 20
            if found := superlinear(name, shape, (small, large)):
                linear = False
                print(f"{name}: seconds in {shape} taxonomies of {small:,} and {large:,}: {found}")
    return linear


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    sys.exit(not main(parser.parse_args().names))
