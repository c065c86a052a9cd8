"""Interrupts at any point: steps and rows are learned or not, and the error says how many."""

from __future__ import annotations

import copy
import math
import os
import pickle
import random
import signal
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import base as river_base

from river_hier import OpenTaxonomy, Taxonomy, linear_model
from river_hier.base import turns
from river_hier.base.locks import Turn
from support.interrupts import count, interrupt
from support.public_api import dense, estimators


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Python's own handler, which programs started in the background lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


ROWS, AFTER = 6, 4


def examples(model: Any, n: int) -> list[tuple[Any, Any]]:
    rng = random.Random(3)
    return [dense(model, rng) for _ in range(n)]


def fresh(name: str) -> Any:
    model = estimators()[name]
    for x, y in examples(model, 25):
        model.learn_one(x, y)
    return model


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
    errors = 0
    for at in np.linspace(1, n, 40, dtype=int):
        interrupted, expected = pickle.loads(before), pickle.loads(before)
        error = interrupt(lambda model=interrupted: model.learn_one(x, y), int(at))
        if error is None:  # fewer bytecodes than in the first run
            continue
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert not turns.Uninterrupted._active
        errors += 1
        n_learned = getattr(error, "n_learned", None)
        if n_learned is None:  # before or after the call, as far as the caller can tell
            n_learned = answers(interrupted) == after
        if n_learned:
            expected.learn_one(x, y)
        for x_, y_ in rest:
            interrupted.learn_one(x_, y_)
            expected.learn_one(x_, y_)
        same(interrupted, expected)
    assert errors >= 20


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
        if done is None:  # before or after the call, as far as the caller can tell
            done = ROWS * (answers(interrupted) == after)
        rows.add(done)
        if done:
            expected.learn_many(X[:done], ys[:done])
        for x, y in learned[ROWS:]:
            interrupted.learn_one(x, y)
            expected.learn_one(x, y)
        same(interrupted, expected)
    assert {0, ROWS} <= rows <= set(range(ROWS + 1))


@pytest.mark.parametrize("name", ["HAROW", "HRLS", "Hieron", "AveragedHieron"])
@pytest.mark.parametrize("start", ["open", "extended"])
def test_labels_that_are_new_in_an_interrupted_batch(
    name: str, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the rows before the interrupt have been learned, and can be predicted."""
    monkeypatch.setattr(turns, "SECONDS", 0.0)
    rows, single = turns.Rows.learned, name.endswith("Hieron")
    X = pd.DataFrame({"x": [1.0, 0.5, -1.0, 2.0], "y": [0.0, 1.0, 0.5, 3.0]})
    ys = [y if single else {y} for y in ("new", "new", "new", "old")]

    def interrupted(self: turns.Rows, n: int) -> None:
        rows(self, n)
        if self.n_learned >= 2:
            raise KeyboardInterrupt

    models = []
    for _ in range(2):
        model = getattr(linear_model, name)(OpenTaxonomy("/") if start == "open" else OLD)
        model.learn_one({"x": -1.0}, ys[3])
        if start == "extended":
            model.adopt(OLD.extend([("r", "new"), ("r", "other")]))
        models.append(model)
    with monkeypatch.context() as patch:
        patch.setattr(turns.Rows, "learned", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            models[0].learn_many(X, ys)
    n = vars(caught.value)["n_learned"]
    assert 2 <= n <= 4
    for x, y in zip(X.to_dict("records")[:n], ys, strict=False):
        models[1].learn_one(x, y)
    assert models[0]._unlearned == models[1]._unlearned
    one, two = (flat(model.predict_proba_one({"x": 1.0, "y": 0.5})) for model in models)
    assert one == pytest.approx(two, rel=1e-9)


OLD = Taxonomy([("r", "old")])
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])


def test_an_interrupt_while_a_batch_is_read_says_that_no_row_was_learned() -> None:
    class Interrupted(Sequence[str]):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, i: Any) -> str:
            raise KeyboardInterrupt

    model = linear_model.PathSoftmax(TREE)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.learn_many(pd.DataFrame({"x": [1.0, 2.0]}), Interrupted())
    assert vars(caught.value)["n_learned"] == 0
    with pytest.raises(ValueError, match="finite") as refused:
        model.learn_many(pd.DataFrame({"x": [1.0, math.inf]}), ["b", "c"])
    assert vars(refused.value)["n_learned"] == 0


def test_an_interrupt_after_a_batch_says_that_all_rows_were_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last lines of `learn_many` run when handlers no longer wait."""
    learn = linear_model.PathSoftmax._learn_stages

    def interrupted(*batch: Any) -> None:
        learn(*batch)
        raise KeyboardInterrupt

    monkeypatch.setattr(linear_model.PathSoftmax, "_learn_stages", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        linear_model.PathSoftmax(TREE).learn_many(pd.DataFrame({"x": [1.0, 2.0]}), ["b", "c"])
    assert vars(caught.value)["n_learned"] == 2


@pytest.fixture
def sigalrm() -> Iterator[int]:
    if not hasattr(signal, "SIGALRM"):
        pytest.skip("no SIGALRM on this system")
    before = signal.getsignal(signal.SIGALRM)
    yield signal.SIGALRM
    signal.signal(signal.SIGALRM, before)


def test_a_handler_may_set_handlers(sigalrm: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in programs whose second Ctrl-C stops at once; a batch runs them with all in place."""
    monkeypatch.setattr(turns, "SECONDS", 0.0)
    seen = []

    def second(*_: Any) -> None:
        """Not called."""

    def first(*_: Any) -> None:
        seen.append(signal.getsignal(sigalrm))
        signal.signal(sigalrm, second)

    def work(rows: turns.Rows) -> None:
        for i in range(3):
            if i == 1:
                signal.raise_signal(sigalrm)
            assert signal.getsignal(sigalrm) not in (first, second)
            rows.learned(i + 1)

    signal.signal(sigalrm, first)
    turns.change(linear_model.PathSoftmax(TREE), work)
    assert seen == [first]
    assert signal.getsignal(sigalrm) is second


def test_the_handlers_of_all_signals_run_if_one_raises(sigalrm: int) -> None:
    seen = []

    def fail(*_: Any) -> None:
        raise TimeoutError

    def work(_: turns.Rows) -> None:
        signal.raise_signal(sigalrm)
        signal.raise_signal(signal.SIGINT)
        seen.append("end of the step")

    signal.signal(sigalrm, fail)
    before = signal.signal(signal.SIGINT, lambda *_: seen.append("SIGINT"))
    try:
        with pytest.raises(TimeoutError):
            turns.change(linear_model.PathSoftmax(TREE), work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["end of the step", "SIGINT"]
    assert signal.getsignal(sigalrm) is fail


@pytest.mark.parametrize("name", ["SIGPROF", "SIGVTALRM", "SIGCHLD", "SIGQUIT", "SIGRTMIN"])
def test_the_handlers_of_other_signals_wait_too(name: str) -> None:
    number = getattr(signal, name, None)
    if number is None:
        pytest.skip(f"no {name} on this system")
    seen = []

    def work(_: turns.Rows) -> None:
        signal.raise_signal(number)
        seen.append("end of the step")

    before = signal.signal(number, lambda *_: seen.append(name))
    try:
        turns.change(linear_model.PathSoftmax(TREE), work)
    finally:
        signal.signal(number, before)
    assert seen == ["end of the step", name]


@pytest.mark.parametrize("name", ["HAROW", "HRLS", "PathSoftmax"])
@pytest.mark.parametrize("call", ["learn_one", "learn_many", "adopt", "forget"])
def test_a_handler_cannot_change_the_model_that_learns_a_batch(
    name: str, call: str, sigalrm: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may predict and copy. Neither call is interrupted."""
    monkeypatch.setattr(turns, "SECONDS", 0.0)
    X, ys = pd.DataFrame({"x": [1.0, 0.5, -1.0, 2.0]}), ["b", "c", "a", "b"]
    if name != "PathSoftmax":
        ys = [{y} for y in ys]
    model, other = (getattr(linear_model, name)(TREE) for _ in range(2))
    arguments = {
        "learn_one": ({"x": 3.0}, ys[0]),
        "learn_many": (X, ys),
        "adopt": (TREE.extend([("c", "new")]),),
        "forget": ("a",),
    }
    copies, errors = [], []

    def handler(*_: Any) -> None:
        copies.append(copy.deepcopy(model))
        model.predict_one({"x": 1.0})
        try:
            getattr(model, call)(*arguments[call])
        except RuntimeError as error:
            errors.append(str(error))

    learned = turns.Rows.learned

    def interrupted(self: turns.Rows, n: int) -> None:
        signal.raise_signal(sigalrm)
        learned(self, n)

    signal.signal(sigalrm, handler)
    with monkeypatch.context() as patch:
        patch.setattr(turns.Rows, "learned", interrupted)
        model.learn_many(X, ys)
    assert copies
    assert len(errors) == len(copies)
    assert "in the middle of another call" in errors[0]
    other.learn_many(X, ys)
    assert model.score_one({"x": 1.0}) == other.score_one({"x": 1.0})
    assert model.taxonomy_ == TREE
    getattr(model, call)(*arguments[call])


def test_an_error_raised_twice_tells_the_rows_of_its_batch() -> None:
    error = KeyboardInterrupt()

    class Interrupted(Sequence[str]):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, i: Any) -> str:
            raise error

    vars(error)["n_learned"] = 7  # in an earlier batch
    with pytest.raises(KeyboardInterrupt):
        linear_model.PathSoftmax(TREE).learn_many(pd.DataFrame({"x": [1.0, 2.0]}), Interrupted())
    assert vars(error)["n_learned"] == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_handler_that_raises_during_a_fork_leaves_no_lock_held(sigalrm: int) -> None:
    """Python ignores its exception. Only the parent process runs it."""
    seen = []

    def fail(*_: Any) -> None:
        seen.append("handled")
        raise TimeoutError

    class Interrupting:
        """A lock, and a signal as soon as it is held."""

        def __init__(self) -> None:
            self.lock = threading.RLock()
            self.release, self._is_owned = self.lock.release, lambda: False

        def acquire(self, timeout: float) -> bool:
            self.lock.acquire()
            signal.raise_signal(sigalrm)
            return True

    turn = Turn()
    turn.queue = lock = Interrupting()
    signal.signal(sigalrm, fail)
    child = os.fork()
    if child == 0:
        os._exit(len(seen))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert seen == ["handled"]
    assert signal.getsignal(sigalrm) is fail
    assert "owner=0" in repr(lock.lock)


def test_a_step_inside_another_does_not_end_its_wait() -> None:
    with turns.Uninterrupted() as outer:
        with turns.Uninterrupted():
            assert turns.Uninterrupted._active is outer
        assert turns.Uninterrupted._active is outer
    assert turns.Uninterrupted._active is None
