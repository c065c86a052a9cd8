"""Interrupts at any point: steps and rows are learned or not, and the error says how many."""

from __future__ import annotations

import pickle
import random
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import base as river_base

import river_hier
from river_hier.base import turns
from support.public_api import dense, estimators

HOME = str(river_hier.__path__[0])
ROWS, AFTER = 6, 4


def examples(model: Any, n: int) -> list[tuple[Any, Any]]:
    rng = random.Random(3)
    return [dense(model, rng) for _ in range(n)]


def fresh(name: str) -> Any:
    model = estimators()[name]
    for x, y in examples(model, 25):
        model.learn_one(x, y)
    return model


def count(work: Callable[[], None]) -> int:
    """The number of bytecodes of the library that work executes."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        frame.f_trace_opcodes = True
        n += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return n


def interrupt(work: Callable[[], None], at: int) -> BaseException | None:
    """The error of work that gets a Ctrl-C before that bytecode."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            n += 1
            if n == at:
                signal.raise_signal(signal.SIGINT)
        return trace

    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt as error:
        return error
    finally:
        sys.settrace(None)
    return None


def answers(model: Any) -> list[Any]:
    return [flat(ask(model, x)) for x, _ in examples(model, 8)]


def ask(model: Any, x: Any) -> Any:
    try:
        return model.predict_proba_one(x)
    except NotImplementedError:
        return model.predict_one(x)


def same(model: Any, other: Any) -> None:
    for one, two in zip(flat(answers(model)), flat(answers(other)), strict=True):
        assert one == (pytest.approx(two, rel=1e-9, abs=1e-12) if isinstance(two, float) else two)


def flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [number for item in value.values() for number in flat(item)]
    if isinstance(value, list):
        return [number for item in value for number in flat(item)]
    return [value]


NAMES = [
    name
    for name, model in estimators().items()
    if isinstance(model, river_base.Classifier | river_base.MultiLabelClassifier)
]
WITH_BATCHES = [name for name in NAMES if hasattr(estimators()[name], "learn_many")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow(but=6)
def test_a_step_is_learned_or_not(name: str) -> None:
    model = fresh(name)
    before = pickle.dumps(model)
    x, y = examples(model, 26)[-1]
    rest = examples(model, 26 + AFTER)[26:]
    learned = pickle.loads(before)
    n = count(lambda: learned.learn_one(x, y))
    after = answers(learned)
    for at in np.linspace(1, n, 40, dtype=int):
        interrupted, expected = pickle.loads(before), pickle.loads(before)
        error = interrupt(lambda model=interrupted: model.learn_one(x, y), int(at))
        if error is None:  # fewer bytecodes than in the first run
            continue
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert not turns.Uninterrupted._active
        n_learned = getattr(error, "n_learned", None)
        if n_learned is None:  # before or after the call, as far as the caller can tell
            n_learned = answers(interrupted) == after
        if n_learned:
            expected.learn_one(x, y)
        for x_, y_ in rest:
            interrupted.learn_one(x_, y_)
            expected.learn_one(x_, y_)
        same(interrupted, expected)


@pytest.mark.parametrize("name", WITH_BATCHES)
@pytest.mark.slow(but=6)
def test_a_batch_is_learned_up_to_a_row(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SECONDS", 0.0)  # handlers may run after each row
    model = fresh(name)
    before = pickle.dumps(model)
    learned = examples(model, 25 + ROWS + AFTER)[25:]
    X = pd.DataFrame([x for x, _ in learned[:ROWS]])
    ys = [y for _, y in learned[:ROWS]]
    whole, rows = pickle.loads(before), set()
    n = count(lambda: whole.learn_many(X, ys))
    after = answers(whole)
    for at in np.linspace(1, n, 60, dtype=int):
        interrupted, expected = pickle.loads(before), pickle.loads(before)
        error = interrupt(lambda model=interrupted: model.learn_many(X, ys), int(at))
        if error is None:  # fewer bytecodes than in the first run
            continue
        assert not turns.Uninterrupted._active
        done = getattr(error, "n_learned", None)
        if done is None:
            done = ROWS * (answers(interrupted) == after)
        rows.add(done)
        if done:
            expected.learn_many(X[:done], ys[:done])
        for x, y in learned[ROWS:]:
            interrupted.learn_one(x, y)
            expected.learn_one(x, y)
        same(interrupted, expected)
    assert {0, ROWS} <= rows <= set(range(ROWS + 1))
