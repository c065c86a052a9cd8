"""Decisions and linear learners take about O(nodes), in chains and in flat taxonomies."""

from __future__ import annotations

import gc
import math
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest

from river_hier import Taxonomy, inspection
from support import public_api

MOST = 1.7  # the exponent of time: 1 if it is proportional to the number of nodes, and noise
SHORT = 0.03  # seconds: shorter times are not compared
ROUNDS = 3
X, OTHER = {"a": 1.0, "b": 0.5}, {"b": 1.0, "c": 2.0}

FIRST_ORDER = "linear_model.HAROW", "linear_model.HPerceptron", "linear_model.Hieron"
ESTIMATORS = {
    name: model
    for name, model in public_api.estimators().items()
    if name.startswith("decision.") or name in FIRST_ORDER
}
SIZES = {"chain": 400, "flat": 5_000}


def chain(n: int) -> Taxonomy:
    return Taxonomy([(f"n{v}", f"n{v + 1}") for v in range(n)])


def flat(n: int) -> Taxonomy:
    return Taxonomy([("n0", f"n{v}") for v in range(1, n + 1)])


def operations(model: Any, t: Taxonomy, n: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Public methods by name; those that change the model come last."""
    last, middle = f"n{n}", f"n{n // 2}"
    frame = pd.DataFrame([{"a": 1.0, "b": 0.5, "c": 0.0}] * 2)
    targets = [last, middle] if public_api.one_label(model) else [{last}, {middle}]
    for name in (
        *("predict_one", "predict_labels_one", "predict_proba_one", "score_one"),
        *("explain_one", "debug_one"),
    ):
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(X)
    if hasattr(model, "predict_labels_one"):
        yield "threshold", lambda: model.predict_one(X, threshold=0.3)
        yield "max_depth", lambda: model.predict_one(X, max_depth=1)
    yield "top_one", lambda: inspection.top_one(model, X)
    for name in ("predict_many", "predict_proba_many"):
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(frame)
    for name in "weights", "intercepts", "_raw_memory_usage":
        if hasattr(type(model), name):
            yield name, lambda name=name: getattr(model, name)
    yield "pickle", lambda: pickle.loads(pickle.dumps(model))
    yield "clone", lambda: model.clone(include_attributes=True)
    yield "learn_one", lambda: model.learn_one(OTHER, targets[1])
    if hasattr(model, "learn_many"):
        yield "learn_many", lambda: model.learn_many(frame, targets)
    yield "forget", lambda: model.forget(middle)
    yield "adopt", lambda: model.adopt(t.extend([(middle, f"new {time.perf_counter_ns()}")]))


def seconds(make: Callable[[int], Taxonomy], name: str, n: int) -> dict[str, float]:
    """The least processor time of each operation in a taxonomy of n nodes below the root."""
    t = make(n)
    model = public_api.in_taxonomy(ESTIMATORS[name], t)
    model.learn_one(X, f"n{n}")
    model.learn_one(OTHER, f"n{n // 2}")
    taken = {}
    for operation, call in operations(model, t, n):
        times = []
        for _ in range(1 if operation == "adopt" else ROUNDS):
            begun = time.process_time()
            try:
                call()
            except (NotImplementedError, AttributeError, TypeError):  # it cannot do this
                break
            times.append(time.process_time() - begun)
        if times:
            taken[operation] = min(times)
    return taken


@pytest.mark.slow
@pytest.mark.parametrize("make", [chain, flat], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_costs_are_at_most_proportional_to_the_number_of_nodes(
    name: str, make: Callable[[int], Taxonomy]
) -> None:
    n = SIZES[make.__name__]
    gc.collect()
    gc.disable()
    try:
        small, large = (seconds(make, name, size) for size in (n, 4 * n))
    finally:
        gc.enable()
    grows = {
        operation: (round(small[operation], 4), round(spent, 4))
        for operation, spent in large.items()
        if spent > SHORT and math.log(spent / max(small[operation], 1e-6), 4) > MOST
    }
    assert not grows, f"seconds in taxonomies of {n:,} and {4 * n:,} nodes"
