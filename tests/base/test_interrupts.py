"""Ctrl-C: a compiled step is whole, and a batch says how many rows it has learned."""

from __future__ import annotations

import pickle
import signal
import time
import timeit
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from river_hier import Taxonomy, linear_model
from support.interrupts import count, interrupt

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE = ["Hieron", "PathSoftmax"]
NAMES = [*SINGLE, "HPerceptron", "HAROW", "HRLS", "SHRLS"]
ASKED = dict.fromkeys(range(6), 1.0)


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Python's own handler, which programs started in the background lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def rows(name: str, n: int) -> tuple[pd.DataFrame, list[Any]]:
    rng = np.random.default_rng(1)
    labels = [TREE.nodes[v] for v in rng.integers(1, 4, size=n)]
    X = pd.DataFrame(rng.normal(size=(n, 6)))
    return X, labels if name in SINGLE else [{label} for label in labels]


def learned(name: str, X: pd.DataFrame, ys: list[Any]) -> Any:
    model = getattr(linear_model, name)(TREE)
    model.learn_many(X, ys)
    return model


@pytest.mark.parametrize("taxonomy", [TREE, None], ids=["closed", "open"])
@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_learned_or_not(name: str, taxonomy: Taxonomy | None) -> None:
    X, ys = rows(name, 21)
    *warm, (x, y) = zip(X.to_dict("records"), ys, strict=True)
    model = getattr(linear_model, name)(taxonomy)
    for example in warm:
        model.learn_one(*example)
    before = pickle.dumps(model)
    after = pickle.loads(before)
    n = count(lambda: after.learn_one(x, y))
    expected = [pytest.approx(m.score_one(ASKED)) for m in (model, after)]
    interrupted = 0
    for at in range(1, n + 1):
        one = pickle.loads(before)
        interrupted += interrupt(lambda one=one: one.learn_one(x, y), at) is not None
        assert one.score_one(ASKED) in expected, at
        one.learn_one(x, y)
    assert interrupted >= n // 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
@pytest.mark.slow(but=2)
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_learned_up_to_a_row(name: str) -> None:
    n_rows = 200_000
    X, ys = rows(name, n_rows)
    took = min(timeit.repeat(lambda: learned(name, X, ys), number=1, repeat=3))
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    found = []
    try:
        for part in np.linspace(0.2, 0.95, 7):
            model, done = getattr(linear_model, name)(TREE), False
            try:
                signal.setitimer(signal.ITIMER_REAL, part * took)
                model.learn_many(X, ys)
                done = True
                time.sleep(took)
            except KeyboardInterrupt as error:
                found.append(n_rows if done else vars(error)["n_learned"])
            prefix = learned(name, X[: found[-1]], ys[: found[-1]])
            assert model.score_one(ASKED) == pytest.approx(prefix.score_one(ASKED), rel=1e-6)
            model.learn_many(X[:3], ys[:3])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
    assert any(0 < n < n_rows for n in found), found


def test_an_error_in_a_batch_says_how_many_rows_were_learned() -> None:
    X, ys = rows("HAROW", 3)
    X.loc[2, 0] = np.inf
    with pytest.raises(ValueError, match="finite") as refused:
        linear_model.HAROW(TREE).learn_many(X, ys)
    assert vars(refused.value)["n_learned"] == 0
