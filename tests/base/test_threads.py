"""One model and many threads: calls wait for their turn, and batches let predictions in."""

from __future__ import annotations

import contextlib
import copy
import itertools
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import base, compose

from river_hier import Taxonomy, _core, decision, drift, kernel, linear_model
from river_hier._core import digests, reader_of
from river_hier.base import locks, turns
from support.backends import native_only, running_on
from support.public_api import dense, estimators, learners, step

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE, MULTI = learners("linear_model")
NAMES = SINGLE + MULTI
# Of each test; the thread sanitizer looks for longer.
SECONDS = 10.0 if "TSAN_OPTIONS" in os.environ else 0.5


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
def test_x_and_y_may_change_meanwhile() -> None:
    """Without a global lock, this may be in the middle of a loop over their entries."""
    labels = [f"n{i}" for i in range(40)]
    taxonomy = Taxonomy([("r", label) for label in labels])
    x, y = dict.fromkeys(labels, 1.5), dict.fromkeys(labels, True)
    p, several = dict.fromkeys(labels, 0.5), set(labels)
    end = time.perf_counter() + SECONDS

    def work(i: int) -> None:
        model = linear_model.HPerceptron(taxonomy)
        for n in itertools.count():
            if time.perf_counter() > end:
                break
            label = labels[n % 40]
            if i:
                with contextlib.suppress(RuntimeError):  # a set has changed during iteration
                    model.learn_one(x, [y, several][n % 2])
                reader_of(taxonomy).numbers(p)
                digests(x)
            elif n % 3:
                for container in (x, y, p):
                    container.pop(label, None)
                several.discard(label)
            else:
                x[label + "."], y[label], p[label] = n / 7, n % 2 == 0, n / 7
                several.add(label)

    with running_on("native"):
        assert in_threads(3, work) == []


def test_models_are_created_while_a_process_forks_or_exits() -> None:
    """Both take the locks of all models."""
    kept = [locks.Turn() for _ in range(300)]

    def work(i: int) -> None:
        for _ in range(500):
            if i:
                kept.append(locks.Turn())
            else:
                assert len(locks.turns()) >= 300

    assert in_threads(3, work) == []


@pytest.fixture
def company() -> Iterator[None]:
    """Another thread, which does nothing."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield
    done.set()
    thread.join()


@pytest.mark.usefixtures("company")
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize(
    ("inner", "average", "outer"),
    [
        (linear_model.Hieron, linear_model.AveragedClassifier, decision.Tempered),
        (
            linear_model.HPerceptron,
            linear_model.AveragedMultiLabelClassifier,
            decision.Calibrated,
        ),
    ],
)
def test_an_average_and_its_copies_share_weights_with_the_model_inside(
    inner: Any, average: Any, outer: Any, copied: Callable[[Any], Any]
) -> None:
    """Also two levels down, and in open taxonomies, whose new labels both must get."""
    for taxonomy in (TREE, None):
        alone = inner(taxonomy)
        model = outer(average(inner(taxonomy)))
        for i, label in enumerate("abcabcabc"):
            single = inner is linear_model.Hieron
            x, y = {"x": 1.0, i: i - 3.5}, label if single else {label}
            alone.learn_one(x, y)
            model.learn_one(x, y)
            within = model.model.model
            assert within.weights == model.model.last.weights == alone.weights
            if i == 4:
                turn = within._turn
                model = copied(model)
                within = model.model.model
                assert within.weights == alone.weights
                assert not any("_private" in vars(m) for m in (model, model.model, within))
                assert within._turn is model._turn is not turn


@pytest.mark.usefixtures("company")
@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickle.dumps])
def test_an_interrupted_copy_releases_all_locks(copied: Callable[[Any], Any]) -> None:
    """Ctrl-C at every point where Python runs signal handlers: after C calls, and in new frames."""
    averaged = linear_model.AveragedMultiLabelClassifier(linear_model.HPerceptron(TREE))
    model = decision.Calibrated(averaged)
    for i, label in enumerate("abc"):
        model.learn_one({"x": 1.0, i: 2.0}, {label})
    before = pickle.dumps(model)

    def interrupted(at: int) -> bool:
        n = 0

        def profile(_: Any, event: str, __: Any) -> None:
            nonlocal n
            n += event in ("call", "c_return")
            if n == at:
                raise KeyboardInterrupt

        sys.setprofile(profile)
        try:
            copied(model)
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False

    at = 1
    while interrupted(at):
        for part in (model, averaged, averaged.model):
            assert not part._turn.lock._is_owned()
        at += 1
    assert at > 100
    assert pickle.dumps(model) == before


@pytest.mark.slow(but=8)
@pytest.mark.parametrize("name", [n for n, m in estimators().items() if hasattr(m, "learn_one")])
def test_every_model_in_four_threads(name: str) -> None:
    """Two threads learn, one predicts, one copies and resets: each call waits for its turn."""
    model = estimators()[name]
    for x, y in examples(model, 20, seed=0):
        step(model, x, y)
    end = time.perf_counter() + SECONDS
    steps = [0] * 4

    def work(i: int) -> None:
        for n, (x, y) in enumerate(examples(model, 10**9, seed=i)):
            if time.perf_counter() > end and n > 2:
                break
            if isinstance(model, base.Transformer):
                step(model, x, y)
            elif i == 0 and (n % 20 or not hasattr(model, "learn_many")):
                model.learn_one(x, y)
            elif i == 0:
                model.learn_many(pd.DataFrame([x] * 10), [y] * 10)
            elif i == 1:
                model.learn_one(x, y)
            elif i == 2:
                for call in CALLS:
                    ask(model, call, x)
            elif n % 3:
                ask(pickle.loads(pickle.dumps(model)), "predict_one", x)
            elif hasattr(model, "forget"):
                with contextlib.suppress(TypeError):  # least squares with a kernel refuse
                    model.forget(model.taxonomy_.leaves[n % 2])
            steps[i] += 1

    assert in_threads(4, work) == []
    assert all(steps), steps
    for x, y in examples(model, 5, seed=9):
        step(pickle.loads(pickle.dumps(model)), x, y)


def examples(model: Any, n: int, seed: int) -> Iterator[tuple[Any, Any]]:
    rng = random.Random(seed)
    return (dense(model, rng) for _ in range(n))


def ask(model: Any, call: str, x: Any) -> None:
    if hasattr(model, call):
        with contextlib.suppress(NotImplementedError):
            getattr(model, call)(x)


CALLS = (
    "predict_one",
    "predict_proba_one",
    "score_one",
    "predict_labels_one",
    "explain_one",
    "debug_one",
)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_lets_predictions_in_and_nothing_else(name: str) -> None:
    rng = np.random.default_rng(0)
    n = 3000 if name in ("HRLS", "SHRLS") else 100_000
    if _core.name == "numpy":
        n = 200
    X = pd.DataFrame(rng.normal(size=(n, 30)))
    ys = [TREE.nodes[v] for v in rng.integers(1, 4, size=n)]
    y = ys if name in SINGLE else [{label} for label in ys]
    expected, model = getattr(linear_model, name)(TREE), getattr(linear_model, name)(TREE)
    expected.learn_many(X, y)
    thread = threading.Thread(target=model.learn_many, args=(X, y))
    x, answers = X.iloc[0].to_dict(), 0
    thread.start()
    while thread.is_alive():
        model.predict_one(x)
        pickle.dumps(model)
        answers += 1
    thread.join()
    assert answers
    assert model.score_one(x) == expected.score_one(x)
    model.learn_many(X[:3], y[:3])  # waits for no one


@pytest.mark.parametrize(
    "model", [kernel.HRLS(TREE), kernel.Hieron(TREE), linear_model.HAROW(TREE, dtype="float32")]
)
def test_a_batch_is_checked_with_the_lock_held(model: Any, monkeypatch: Any) -> None:
    """What is checked depends on the model, which other threads may be changing."""
    check, n_checked = type(model)._check, 0

    def in_turn(self: Any, *args: Any) -> None:
        nonlocal n_checked
        assert turns.turn_of(self).lock._is_owned()
        check(self, *args)
        n_checked += 1

    monkeypatch.setattr(type(model), "_check", in_turn)
    single = isinstance(model, base.Classifier)
    model.learn_many(pd.DataFrame({"x": [1.0, 2.0]}), ["b" if single else {"b"}] * 2)
    assert n_checked


@pytest.mark.parametrize("name", ["PathSoftmax", "HPerceptron"])
def test_steps_wait_for_the_end_of_a_batch(name: str) -> None:
    """Also those that are single compiled calls, which do not look at `batch` otherwise."""
    model = getattr(linear_model, name)(TREE)
    turn = turns.turn_of(model)
    y = "b" if name in SINGLE else {"b"}
    learner = threading.Thread(target=model.learn_one, args=({"x": 1.0}, y))

    def work(_: turns.Rows) -> None:
        learner.start()
        turn.lock.release()  # as between two rows
        learner.join(0.05)
        turn.lock.acquire()
        assert learner.is_alive()

    turns.change(model, work)
    learner.join()


def test_a_change_in_the_middle_of_a_prediction_is_refused() -> None:
    """That of a signal handler; it must not wait for a batch that has let the prediction in."""
    model = linear_model.HRLS(TREE)
    turn, held, end = turns.turn_of(model), threading.Event(), threading.Event()

    def batch() -> None:
        with turn.batch:
            held.set()
            end.wait(100.0)

    thread = threading.Thread(target=batch)
    thread.start()
    held.wait()
    before = time.perf_counter()
    for lock in (turn.lock, turn.queue):
        with lock:
            model.predict_one({"x": 1.0})
            with pytest.raises(RuntimeError, match="in the middle of another call"):
                model.learn_one({"x": 1.0}, {"b"})
            with pytest.raises(RuntimeError, match="in the middle of another call"):
                model.learn_many(pd.DataFrame({"x": [1.0]}), [{"b"}])
    assert time.perf_counter() - before < 80.0
    end.set()
    thread.join()


def test_a_model_restored_after_a_failed_batch_keeps_its_locks() -> None:
    def check(x: dict[str, float]) -> dict[str, float]:
        if x["x"] > 1.0:
            raise ValueError("too large")
        return x

    model = drift.BranchReset(compose.FuncTransformer(check) | linear_model.HAROW(TREE))
    before = dict(vars(turns.turn_of(model)))
    with pytest.raises(ValueError, match="too large"):
        model.learn_many(pd.DataFrame({"x": [1.0, 2.0]}), [{"b"}, {"b"}])
    assert vars(turns.turn_of(model)) == before


# Since Python 3.12, forks of processes with threads warn.
PYTHON = [sys.executable, "-P", "-W", "ignore::DeprecationWarning", "-c"]

CHILD = """
import os, sys, threading, time
import numpy as np
from river_hier import Taxonomy, linear_model

tree = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
model = getattr(linear_model, sys.argv[1])(tree)
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 60))
ys = [tree.nodes[v] for v in rng.integers(1, 4, size=len(X))]
y = ys if sys.argv[2] == "single" else [{label} for label in ys]


def learn():
    while True:
        model.learn_many(X, y)


threading.Thread(target=learn, daemon=True).start()
time.sleep(0.3)
for _ in range(3):
    child = os.fork()
    if child == 0:  # the model is between two rows, and no thread holds its lock
        model.predict_one({0: 1.0})
        model.learn_many(X[:5], y[:5])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", NAMES)
def test_a_process_forks_and_ends_while_a_daemon_learns(name: str) -> None:
    kind = "single" if name in SINGLE else "multi"
    command = [*PYTHON, CHILD, name, kind]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (run.returncode, run.stderr) == (0, "")


FORKS = """
import os, signal, threading, time
import numpy as np
from river_hier import Taxonomy, linear_model

tree = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
model = linear_model.HPerceptron(tree)
X = np.random.default_rng(0).normal(size=(20_000, 60))
y = [{tree.nodes[1 + i % 3]} for i in range(len(X))]
ends = []


def fork():
    time.sleep(0.1)
    for _ in range(5):
        child = os.fork()
        if child == 0:
            ours = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
            signal.alarm(100)
            model.learn_many(X[:5], y[:5])
            os._exit(ours)
        ends.append(os.waitpid(child, 0)[1])


threads = [threading.Thread(target=fork) for _ in range(3)]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    model.learn_many(X, y)
assert ends == [0] * 15, ends
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_threads_fork_while_the_main_thread_learns() -> None:
    """Each child has free locks, and the handlers that wait for a step in its parent."""
    command = [*PYTHON, FORKS]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (run.returncode, run.stderr) == (0, "")


ENDS = """
import sys, threading, time
from river_hier import Taxonomy, linear_model

sys.setswitchinterval(1e-6)
model = linear_model.HPerceptron(Taxonomy([("r", "a"), ("r", "c")]))
x = {f"f{i}": 1.0 for i in range(200)}
model.learn_one(x, {"a"})


def work(i):
    while True:
        model.predict_one(x) if i % 2 else model.learn_one(x, {"a"})


for i in range(4):
    threading.Thread(target=work, args=(i,), daemon=True).start()
end = time.perf_counter() + 0.1
while time.perf_counter() < end:
    model.learn_one(x, {"c"})
"""


@pytest.mark.slow
def test_a_process_ends_while_daemons_wait_for_their_turn() -> None:
    """A thread that has just been woken must have its turn before Python stops all threads."""
    for _ in range(12):
        command = [*PYTHON, ENDS]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert (run.returncode, run.stderr) == (0, "")
