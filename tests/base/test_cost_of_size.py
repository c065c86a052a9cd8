"""Every public method takes about O(nodes), in chains and in flat taxonomies."""

from __future__ import annotations

import functools
import gc
import math
import time
from collections.abc import Callable

import pytest

from river_hier import Taxonomy, metrics
from support import calls, public_api
from support.calls import Calls, Size

MOST = 1.6  # the exponent of time: 1, up to 1.3 where caches become too small, and noise
TRIES = 4  # before a method fails

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
Sizes = dict[str, tuple[int, int]]
SIZES: Sizes = {"chain": (1_000, 10_000), "flat": (10_000, 200_000)}
SHORT = 0.005  # seconds: shorter times are not compared
# Those whose steps take milliseconds for each child, or for each level: sizes are a twentieth.
HEAVY = {
    "flat": (
        *("drift.", "induction.", "kernel.HRLS", "kernel.SHRLS"),
        *("linear_model.HRLS", "linear_model.SHRLS", "local.PerNode"),
    ),
    "chain": ("induction.", "kernel.HRLS", "kernel.SHRLS", "local."),
}

# What has O(n^2) characters or names in a chain: lines indented by depth, and whole paths.
LONG = {"debug_one": "", "show": "Taxonomy", "path": "OpenTaxonomy", "with_labels": "OpenTaxonomy"}

# What raises an error, and why.
REFUSED: dict[str, tuple[str, ...]] = {
    "predict_proba_one": ("evaluate.",),  # they predict scores or probabilities, for metrics
    "inspection.top_one": ("evaluate.",),
    "predict_one threshold": ("evaluate.", "induction."),
    "predict_one max_depth": ("evaluate.", "induction."),  # their labels are leaves
    "forget": ("kernel.HRLS", "kernel.SHRLS"),
    "is_better_than": ("metrics.",),  # values that are dictionaries
}
# Subjects, by name: whose calls grow with the taxonomy.
WITHOUT_TAXONOMY = {
    "feature_extraction.LogTFIDF",
    "feature_extraction.RandomFourierFeatures",
    "induction.JensenShannonTree",
}


ESTIMATORS = public_api.estimators()
PARAMETERS = {"HFBeta": {"beta": 2.0}}  # of metrics


def of_estimator(name: str, size: Size) -> Calls:
    model = public_api.in_taxonomy(ESTIMATORS[name], size.taxonomy)
    model.learn_one(calls.X, size.last)
    model.learn_one(calls.OTHER, size.middle)
    return calls.of_estimator(model, size)


SUBJECTS: dict[str, Callable[[Size], Calls]] = {
    **{
        name: functools.partial(of_estimator, name)
        for name in ESTIMATORS
        if name not in WITHOUT_TAXONOMY
    },
    **{
        f"metrics.{name}": lambda size, name=name: calls.of_metric(
            getattr(metrics, name)(size.taxonomy, **PARAMETERS.get(name, {})), size
        )
        for name in metrics.__all__
    },
    "Taxonomy": calls.of_taxonomy,
    "OpenTaxonomy": calls.of_open_taxonomy,
}


def seconds(name: str, shape: str, n: int) -> dict[str, float]:
    """The processor time of each call in a taxonomy of n nodes below the root."""
    binary = "Binary" in name
    n -= n % 2 if binary else 0
    size = Size((BINARY if binary else SHAPES)[shape](n), n, binary=binary)
    taken = {}
    for operation, call in SUBJECTS[name](size):
        begun = time.process_time()
        try:
            call()
        except (AttributeError, NotImplementedError, TypeError, ValueError):
            if not name.startswith(REFUSED.get(operation, ())):
                raise
        taken[operation] = time.process_time() - begun
    return taken


def superlinear(name: str, shape: str, sizes: tuple[int, int]) -> dict[str, tuple[float, float]]:
    """The seconds of the calls that grow faster than allowed, at both sizes.

    They are repeated before, and the least of several times counts.
    """
    small, large = (seconds(name, shape, n) for n in sizes)
    for i in range(TRIES):
        found = {
            operation: (round(small[operation], 4), round(spent, 4))
            for operation, spent in large.items()
            if spent > SHORT
            and math.log(spent / max(small[operation], 1e-6), sizes[1] / sizes[0]) > MOST
            and not (shape == "chain" and name.startswith(LONG.get(operation.split()[0], "-")))
        }
        if not found or i == TRIES - 1:
            break
        for times, n in zip((small, large), sizes, strict=True):
            again = seconds(name, shape, n)
            times.update(
                {operation: min(times[operation], again[operation]) for operation in found}
            )
    return found


def check(name: str, sizes: Sizes) -> None:
    gc.collect()
    gc.disable()
    try:
        for shape, (small, large) in sizes.items():
            if name.startswith(HEAVY[shape]):
                small, large = small // 20, large // 20
            found = superlinear(name, shape, (small, large))
            assert not found, f"{name}: seconds in {shape} taxonomies of {small:,} and {large:,}"
    finally:
        gc.enable()


def test_every_method_can_be_called() -> None:
    for name in SUBJECTS:
        for shape in SHAPES:
            assert seconds(name, shape, 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_costs_at_ten_thousand_levels_and_two_hundred_thousand_children(name: str) -> None:
    check(name, SIZES)
