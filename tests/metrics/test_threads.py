"""Metrics in several threads, and interrupts: an update counts completely or not at all."""

from __future__ import annotations

import copy
import pickle
import random
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from river_hier import OpenTaxonomy, Taxonomy, metrics
from support.interrupts import count, interrupt

NAMES = ["ZeroOneLoss", "HLoss", "HPrecision", "DepthAccuracy", "DistanceHistogram"]
CLOSED = Taxonomy.from_nested({"r": {"a": {"a/b": ["a/b/c", "a/b/d"]}, "e": ["e/f", "e/g"]}})
TAXONOMIES = [CLOSED, OpenTaxonomy("/")]


def labels(seed: int, n: int) -> Iterator[tuple[str, str]]:
    rng = random.Random(seed)
    return ((rng.choice(CLOSED.nodes[1:]), rng.choice(CLOSED.nodes[1:])) for _ in range(n))


@pytest.mark.parametrize("taxonomy", TAXONOMIES)
@pytest.mark.parametrize("name", NAMES)
def test_no_update_is_lost(name: str, taxonomy: Any) -> None:
    shared, alone = getattr(metrics, name)(taxonomy), getattr(metrics, name)(taxonomy)
    errors: list[BaseException] = []

    def work(i: int) -> None:
        try:
            for y_true, y_pred in labels(i, 300):
                shared.update(y_true, y_pred, 1.0 + i / 7)
            for again in (pickle.loads(pickle.dumps(shared)), copy.deepcopy(shared)):
                assert repr(again)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    for i in range(4):
        for y_true, y_pred in labels(i, 300):
            alone.update(y_true, y_pred, 1.0 + i / 7)
    assert errors == []
    assert shared.get() == alone.get()  # sums are exact, so that order does not matter
    assert repr(shared) == repr(alone)


@pytest.mark.parametrize("change", ["update", "revert"])
@pytest.mark.parametrize("taxonomy", TAXONOMIES)
@pytest.mark.parametrize("name", NAMES)
def test_an_interrupt_leaves_no_half_of_an_update(name: str, taxonomy: Any, change: str) -> None:
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    metric = getattr(metrics, name)(taxonomy)
    for y_true, y_pred in [*labels(0, 20), ("a/b/c", "e")]:
        metric.update(y_true, y_pred, 0.1)
    example = ("a/b/c", "e" if change == "revert" else "e/g", 0.1)
    before = pickle.dumps(metric)
    after = pickle.loads(before)
    n = count(lambda: getattr(after, change)(*example))
    expected = [(m.get(), m.taxonomy_) for m in (pickle.loads(before), after)]
    interrupted = 0
    try:
        for at in np.unique(np.linspace(1, n, 80, dtype=int)).tolist():
            one = pickle.loads(before)
            interrupted += interrupt(lambda one=one: getattr(one, change)(*example), at) is not None
            assert (one.get(), one.taxonomy_) in expected, at
    finally:
        signal.signal(signal.SIGINT, handler)
    assert interrupted > 20
