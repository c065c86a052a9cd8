"""One model and many threads: predictions together, learning in turns or not at all."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model
from support.backends import native_only, running_on
from support.public_api import learners

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE, MULTI = learners("linear_model")
NAMES = SINGLE + MULTI


def in_threads(n: int, work: Callable[[int], None]) -> list[BaseException]:
    """The errors of n threads that switch as often as can be."""
    errors: list[BaseException] = []

    def caught(i: int) -> None:
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=caught, args=(i,)) for i in range(n)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    return errors


@native_only
@pytest.mark.parametrize("name", NAMES)
def test_threads_may_predict_together(name: str) -> None:
    """Values that are no floats are read by Python, which may change threads in the middle."""
    with running_on("native"):
        model = getattr(linear_model, name)(TREE)
        for i in range(20):
            model.learn_one({"x": 1.0, "y": i - 9.5, i: 0.5}, "b" if i % 3 else "c")
        xs = [{"x": np.float64(i / 7), "y": np.float64(1.0), i: np.float64(2)} for i in range(40)]
        expected = [model.predict_one(x) for x in xs]

        def work(i: int) -> None:
            for _ in range(20):
                for x, answer in zip(xs, expected, strict=True):
                    assert model.predict_one(x) == answer

        assert in_threads(4, work) == []


@native_only
@pytest.mark.parametrize("name", NAMES)
def test_threads_that_learn_are_turned_away_or_take_turns(name: str) -> None:
    with running_on("native"):
        parameters = {"threshold": 1e6, "budget": 90} if name == "SHRLS" else {}
        model = getattr(linear_model, name)(TREE, **parameters)
        steps = [0] * 4

        def work(i: int) -> None:
            rng = np.random.default_rng(i)
            for t in range(300):
                wide = 40 if t < 150 else 150  # to primal variables and back
                names = rng.integers(0, wide, size=20).tolist()
                x: dict[Any, Any] = {f"n{j}": np.float64(rng.normal()) for j in names}
                if t % 5 == 0:
                    x[("tuple", i)] = 1.0
                try:
                    model.learn_one(x, TREE.nodes[int(rng.integers(4))])
                    model.predict_one(x)
                    model.score_one(x)
                    if t % 50 == 0:
                        pickle.loads(pickle.dumps(model))
                    steps[i] += 1
                except RuntimeError as error:
                    if "at work" not in str(error):
                        raise

        assert in_threads(4, work) == []
        assert any(steps)
        names = model._features.names()
        assert model._features.find(dict.fromkeys(names, 1.0)).rows.tolist() == [*range(len(names))]
        again = pickle.loads(pickle.dumps(model))
        assert again.score_one({"n1": 1.0, "n2": -0.5}) == pytest.approx(
            model.score_one({"n1": 1.0, "n2": -0.5})
        )
