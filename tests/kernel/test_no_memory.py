"""A step that runs out of memory at any of its lines changes no system."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import river_hier
from river_hier import Taxonomy, kernel

T = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])
KERNEL = Path(river_hier.__file__).parent / "kernel"
FILES = {
    str(KERNEL / f"{name}.py") for name in ("budget", "cholesky", "instances", "systems", "vectors")
}
FULL = 64  # the number of instances at which unused ones are dropped for the first time


def example(i: int) -> tuple[dict[str, float], set[str]]:
    rng = random.Random(i)
    x = {f"name {rng.randrange(20)}": rng.gauss(0.0, 1.0) for _ in range(5)}
    return x, {rng.choice("abcde")}


def without_memory(work: Callable[[], None], at: int) -> bool:
    """Whether there was a line of that number, before which memory ran out."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        if frame.f_code.co_filename not in FILES:
            return None
        n += event == "line"
        if n == at and event == "line":
            raise MemoryError
        return trace

    sys.settrace(trace)
    try:
        work()
    except MemoryError:
        return True
    finally:
        sys.settrace(None)
    return False


def scores(model: Any, n: int) -> list[float]:
    asked = (example(i)[0] for i in range(n - 3, n + 3))
    return [score for x in asked for score in model.score_one(x).values()]


@pytest.mark.slow(but=6)
@pytest.mark.parametrize("n", [30, FULL - 1])
@pytest.mark.parametrize("budget", [None, 20])
@pytest.mark.parametrize("function", [None, kernel.RBF(), lambda x, z: float(len(x) * len(z))])
@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_every_line(name: str, function: Any, budget: int | None, n: int) -> None:
    model = getattr(kernel, name)(T, kernel=function, budget=budget)
    for i in range(n):
        model.learn_one(*example(i))
    before = scores(model, n)
    at = 1
    while without_memory(lambda: model.learn_one(*example(n)), at):
        np.testing.assert_allclose(scores(model, n), before, rtol=1e-9)
        at += 7
    assert at > 30
    whole = getattr(kernel, name)(T, kernel=function, budget=budget)
    for i in range(n + 1):
        whole.learn_one(*example(i))
    for i in range(n + 1, n + 4):
        for learner in (model, whole):
            learner.learn_one(*example(i))
    np.testing.assert_allclose(scores(model, n), scores(whole, n), rtol=1e-9)
