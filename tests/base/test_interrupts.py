"""Ctrl-C: a compiled step is whole, and a batch says how many rows it has learned."""

import dis
import functools
import itertools
import pickle
import signal
import sys
import time
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import river_hier
from river_hier import Taxonomy, linear_model, stream
from river_hier._core import repeats
from support.public_api import learners

HOME = str(Path(river_hier.__file__).parent)  # `__path__` of an editable install has two

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE, MULTI = learners("linear_model")
NAMES = SINGLE + MULTI
ASKED = dict.fromkeys(range(6), 1.0)


def _interruptible(frame: FrameType) -> bool:
    """Whether handlers may run before the next bytecode; also when a frame begins."""
    code, last = frame.f_code, frame.f_lasti
    return code.co_filename.startswith(HOME) and (last < 2 or last in _ends_of_calls(code))


@functools.cache
def _ends_of_calls(code: CodeType) -> set[int]:
    """The bytecodes before which Python runs handlers: those after a call, and jumps of loops.

    Between the bytecodes that enter and leave `with lock`, it does not. The error of a handler that
    runs at the end of a call belongs to the call, so the next bytecode must have the same `except`.
    """
    bytecode = dis.Bytecode(code)
    entries = bytecode.exception_entries  # type: ignore[attr-defined]

    def target(each: dis.Instruction) -> int | None:
        return next((e.target for e in entries if e.start <= each.offset < e.end), None)

    found = list(bytecode)
    calls = (
        (a, b) for a, b in itertools.pairwise(found) if a.opname.startswith(("CALL", "RESUME"))
    )
    after = {b.offset for a, b in calls if target(a) == target(b)}
    return after | {each.offset for each in found if each.opname == "JUMP_BACKWARD"}


def count(work: Callable[[], None], at: int = 0) -> int:
    """The number of bytecodes of the library that work executes; before one of them, Ctrl-C."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        if not _interruptible(frame):
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
    finally:
        sys.settrace(None)
    return n


def interrupt(work: Callable[[], None], at: int) -> BaseException | None:
    """The error of work that gets a Ctrl-C before that bytecode."""
    try:
        # A generator has an exception state of its own. An error before a bytecode that ends an
        # `except` would otherwise leave the exception that was handled in `sys.exc_info()`.
        next(count(work, at) for _ in "1")
    except KeyboardInterrupt as error:
        return error
    return None


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


def learned(name: str, X: Any, ys: list[Any]) -> Any:
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


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_what_a_batch_has_learned_is_predicted(name: str) -> None:
    X, ys = rows(name, 8)
    table = X.to_numpy()
    n = count(lambda: learned(name, table, ys))
    for at in range(2, n + 1):
        model = getattr(linear_model, name)(TREE)
        error = interrupt(lambda model=model: model.learn_many(table, ys), at)
        n_learned = vars(error)["n_learned"] if error else len(ys)
        prefix = learned(name, table[:n_learned], ys[:n_learned])
        assert model.predict_one(ASKED) == prefix.predict_one(ASKED), at
        assert model.score_one(ASKED) == prefix.score_one(ASKED), at


def test_after_a_repetition_the_thread_repeats_no_more() -> None:
    model = stream.Replayed(linear_model.HAROW(TREE), 3, buffer_size=2)
    for _ in range(3):
        model.learn_one({"x": 1.0}, {"a"})
    for at in range(1, count(lambda: model.learn_one({"x": 1.0}, {"a"})) + 1):
        assert interrupt(lambda: model.learn_one({"x": 1.0}, {"a"}), at)
        assert not repeats()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_learned_up_to_a_row(name: str) -> None:
    n_rows = 200_000
    X, ys = rows(name, n_rows)
    early, late = 0.0, 2 * timeit.timeit(lambda: learned(name, X, ys), number=1)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    amid = 0
    try:
        for _ in range(40):  # reading the columns takes half of the time, before the first row
            model, done = getattr(linear_model, name)(TREE), False
            wait = (early + late) / 2
            try:
                signal.setitimer(signal.ITIMER_REAL, wait)
                model.learn_many(X, ys)
                done = True
                time.sleep(wait)
            except KeyboardInterrupt as error:
                n = n_rows if done else vars(error)["n_learned"]
            prefix = learned(name, X[:n], ys[:n])
            assert model.score_one(ASKED) == pytest.approx(prefix.score_one(ASKED), rel=1e-6)
            model.learn_many(X[:3], ys[:3])
            if n == 0:
                early, late = wait, 1.1 * late  # the machine may be slower than a moment ago
            elif n == n_rows:
                early, late = 0.9 * early, wait
            else:
                amid += 1
                if amid == 5:
                    break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
    assert amid, "no interrupt came between two rows"


def test_an_error_in_a_batch_says_how_many_rows_were_learned() -> None:
    X, ys = rows("HAROW", 3)
    X.loc[2, 0] = np.inf
    with pytest.raises(ValueError, match=r"row 2: .*finite") as refused:
        linear_model.HAROW(TREE).learn_many(X, ys)
    assert vars(refused.value)["n_learned"] == 2
