"""The locks of a model, and methods that take them in compiled code."""

from __future__ import annotations

import functools
import gc
import inspect
import pickle
import random
import signal
import sys
import sysconfig
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from base.test_interrupts import answers, count, ctrl_c, examples, fresh, interrupt, same
from river_hier import Taxonomy, _core, decision, linear_model
from river_hier.base import locks, turns
from support.backends import both, running_on

__all__ = ["ctrl_c"]
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
Lock = locks.Lock


def started(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_lock_is_reentrant() -> None:
    lock = Lock()
    with lock, lock:
        assert lock._is_owned()
        assert lock.acquire(blocking=False)
        lock.release()
    with pytest.raises(RuntimeError):
        lock.release()


def test_a_lock_keeps_other_threads_out() -> None:
    lock, found, tried = Lock(), list[Any](), threading.Event()

    def work() -> None:
        found.append(lock._is_owned())
        found.append(lock.acquire(blocking=False))
        begun = time.perf_counter()
        found.append(lock.acquire(timeout=0.05))
        assert time.perf_counter() - begun > 0.04
        with pytest.raises(RuntimeError):
            lock.release()
        tried.set()
        lock.acquire()
        found.append("has it")
        lock.release()

    with lock:
        thread = started(work)
        assert tried.wait(60.0)
        assert found == [False, False, False]
    thread.join(60.0)
    assert found[-1] == "has it"
    assert lock.acquire(blocking=False)


def test_many_threads_take_turns() -> None:
    """Nobody else is between `acquire` and `release`, and each wait ends."""
    lock, inside, total = Lock(), 0, 0

    def work() -> None:
        nonlocal inside, total
        for _ in range(300):
            with lock:
                inside += 1
                time.sleep(0)  # lets others try
                total += inside == 1
                inside -= 1

    threads = [started(work) for _ in range(6)]
    for thread in threads:
        thread.join(60.0)
    assert total == 1800


def test_a_lock_that_others_wait_for_is_not_taken_at_once() -> None:
    """Else a batch would wait as long as there are predictions."""
    if _core.name == "numpy":
        pytest.skip("Python's locks go to whoever asks first; there, `queue` is always taken")
    lock, begun, end = Lock(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        with lock:
            end.wait(60.0)

    lock.acquire()
    thread = started(work)
    assert begun.wait(60.0)
    time.sleep(0.3)
    lock.release()
    assert not lock.acquire(blocking=False)  # the thread has the lock, or is about to take it
    end.set()
    thread.join(60.0)
    assert lock.acquire(blocking=False)


def test_a_handler_runs_while_the_main_thread_waits() -> None:
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers on this system")
    lock, end = Lock(), threading.Event()

    def work() -> None:
        with lock:
            end.wait(60.0)

    def late(*_: Any) -> None:
        raise TimeoutError

    def wait() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        lock.acquire()

    thread = started(work)
    while lock.acquire(blocking=False):
        lock.release()
    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(TimeoutError):
            wait()
    finally:
        signal.signal(signal.SIGALRM, before)
        end.set()
    thread.join()
    assert lock.acquire(timeout=5.0)


class Counter:
    """A class with a method of each kind."""

    n = 0

    @turns.reads
    def value(self, plus: int = 0) -> int:
        """The number, and more."""
        return self.n + plus

    @turns.steps
    def add(self, n: int) -> None:
        if n < 0:
            raise ValueError(n)
        self.n += n


def test_methods_keep_their_names_and_signatures() -> None:
    counter = Counter()
    for method in (Counter.value, counter.value):
        assert method.__doc__ == "The number, and more."
        assert method.__qualname__ == "Counter.value"
        assert method.__module__ == __name__
    assert str(inspect.signature(counter.value)) == "(plus: 'int' = 0) -> 'int'"
    inspect.getfullargspec(Counter.add)  # River's checks use it
    parameters = inspect.signature(linear_model.HPerceptron.predict_one).parameters
    assert list(parameters) == ["self", "x", "threshold", "max_depth"]


def test_methods_are_called_like_others() -> None:
    counter = Counter()
    counter.add(3)
    counter.add(n=4)
    assert counter.value() == Counter.value(counter) == 7
    assert counter.value(1) == counter.value(plus=1) == functools.partial(counter.value, 1)() == 8
    for wrong in (lambda: counter.value(1, 2), lambda: counter.add(), lambda: Counter.value()):  # type: ignore[call-arg]
        with pytest.raises((TypeError, IndexError)):
            wrong()


def test_locks_are_free_after_an_error() -> None:
    counter = Counter()
    for _ in range(3):
        with pytest.raises(ValueError, match="-1"):
            counter.add(-1)
    turn = turns.turn_of(counter)
    assert not any(lock._is_owned() for lock in (turn.lock, turn.batch, turn.queue))
    thread = started(lambda: counter.add(1))
    thread.join(20.0)
    assert counter.n == 1


@pytest.mark.parametrize("held", ["lock", "batch"])
def test_methods_wait(held: str) -> None:
    counter = Counter()
    counter.add(1)
    with getattr(turns.turn_of(counter), held):
        thread = started(lambda: counter.add(1))
        thread.join(0.1)
        assert thread.is_alive()
        assert counter.n == 1
        with pytest.raises(RuntimeError, match="in the middle of another call"):
            counter.add(5)  # this thread has the lock
    thread.join(20.0)
    assert counter.n == 2


@pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    reason="a free-threaded Python 3.13 keeps classes that have methods, once it had threads",
)
def test_a_class_with_methods_can_go() -> None:
    class Local(Counter):
        @turns.reads
        def own(self) -> int:
            return super().value()  # refers to the class

    Local().own()
    seen = weakref.ref(Local)
    del Local
    gc.collect()
    assert seen() is None


def test_an_error_of_a_property_is_not_lost() -> None:
    """The lock of a wrapper is that of the model inside, which Python code looks up."""

    class Interrupted(decision.Tempered):
        @property
        def _turn(self) -> Any:
            raise KeyboardInterrupt

    model = Interrupted(linear_model.Hieron(TREE))
    with pytest.raises(KeyboardInterrupt):
        model.predict_proba_one({"x": 1.0})


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("name", ["HAROW", "AveragedHieron", "HPerceptron"])
@pytest.mark.parametrize("call", ["learn_one", "adopt", "forget"])
def test_closed_models_change_whole_or_not(name: str, call: str) -> None:
    """Their steps are single compiled calls, during which handlers wait by themselves."""
    model = getattr(linear_model, name)(fresh(f"linear_model.{name}").taxonomy_)
    for x, y in examples(model, 25):
        model.learn_one(x, y)
    tree = model.taxonomy_
    arguments: dict[str, tuple[Any, ...]] = {
        "learn_one": examples(model, 26)[-1],
        "adopt": (tree.extend([(tree.root, "new"), (tree.nodes[-1], "below")]),),
        "forget": (tree.nodes[1],),
    }
    before = pickle.dumps(model)
    changed = pickle.loads(before)
    n = count(lambda: getattr(changed, call)(*arguments[call]))
    for at in np.linspace(1, n, 100, dtype=int):
        interrupted, expected = pickle.loads(before), pickle.loads(before)
        method = getattr(interrupted, call)
        interrupt(lambda method=method: method(*arguments[call]), int(at))
        if answers(interrupted) == answers(changed):
            expected = changed
        same(interrupted, expected)
        assert interrupted.taxonomy_ == expected.taxonomy_


@both
def test_predictions_in_the_middle_of_a_step_do_not_change_it(backend: str) -> None:
    rng = random.Random(1)
    stream = [({i: rng.gauss(0, 1) for i in range(8)}, {"abcd"[k % 4]}) for k in range(14)]

    def learned(last: Any) -> Any:
        model = decision.Calibrated(linear_model.HAROW(Taxonomy.flat("abcd")))
        for x, y in stream[:-1]:
            model.learn_one(x, y)
        last(model, *stream[-1])
        return model.predict_proba_one(stream[0][0])

    def interrupted(model: Any, x: Any, y: Any) -> None:
        def trace(frame: Any, event: str, _: Any) -> Any:  # as the garbage collector calls back
            sys.settrace(None)
            model.predict_one(stream[0][0])
            sys.settrace(trace)
            return trace

        sys.settrace(trace)
        try:
            model.learn_one(x, y)
        finally:
            sys.settrace(None)

    with running_on(backend):
        assert learned(interrupted) == learned(lambda model, x, y: model.learn_one(x, y))
