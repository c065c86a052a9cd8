"""Checkpoints that a process of their own writes."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from river_hier import Taxonomy, checkpoint, linear_model

pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def trained(n: int, n_features: int = 5) -> Any:
    model = linear_model.HRLS(Taxonomy.flat("ab"))
    for i in range(n):
        model.learn_one({f"x{i % n_features}": 1.0 + i}, {"ab"[i % 2]})
    return model


def slow(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Every process waits before it flushes a file."""
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (time.sleep(seconds), sync(file))[1])


@pytest.mark.parametrize("forks", [pytest.param(True, marks=posix), False])
def test_the_state_is_that_of_the_call(
    forks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not forks:
        monkeypatch.delattr(os, "fork", raising=False)
    path, state = tmp_path / "model", {"model": trained(20), "position": 20}
    expected = checkpoint.dumps(state)
    saving = checkpoint.save_in_background(state, path)
    state["model"].learn_one({"x0": -5.0}, {"a"})
    state["position"] = 21
    saving.wait()
    assert saving.done()
    assert saving.path == path
    assert path.read_bytes() == expected
    assert os.listdir(tmp_path) == ["model"]


@posix
def test_one_at_a_time_and_the_last_state_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch, 0.2)
    path = tmp_path / "state"
    saving = checkpoint.save_in_background(1, path)
    other = checkpoint.save_in_background(3, tmp_path / "other")
    assert not saving.done()
    with pytest.raises(RuntimeError, match=r"state' is still being saved; save less often, or"):
        checkpoint.save_in_background(2, tmp_path / ".." / tmp_path.name / "state")
    with pytest.raises(TimeoutError, match=r"is still being saved after 0\.01 s"):
        saving.wait(0.01)
    checkpoint.save(2, path)
    assert saving.done()
    assert checkpoint.load(path) == 2
    checkpoint.save_in_background(4, path).wait()
    assert checkpoint.load(path) == 4
    other.wait()
    assert checkpoint.load(other.path) == 3


@pytest.mark.parametrize("forks", [pytest.param(True, marks=posix), False])
def test_a_full_disk_and_a_state_that_cannot_be_pickled(
    forks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"
    checkpoint.save("old", path)
    if not forks:
        monkeypatch.delattr(os, "fork", raising=False)
    saving = checkpoint.save_in_background(lambda: None, path)
    with pytest.raises(TypeError, match="`state` cannot be pickled"):
        saving.wait()

    def full(file: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    saving = checkpoint.save_in_background("new", path)
    for _ in range(2):
        with pytest.raises(OSError, match="No space left") as found:
            saving.wait()
        assert found.value.errno == errno.ENOSPC
    assert checkpoint.load(path) == "old"
    assert os.listdir(tmp_path) == ["state"]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        checkpoint.save_in_background("new", tmp_path / "nowhere" / "state")


class OddError(Exception):
    """An error that cannot be unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


class Raises:
    def __reduce__(self) -> Any:
        raise OddError(1, 2)


@posix
def test_an_error_that_cannot_be_sent(tmp_path: Path) -> None:
    saving = checkpoint.save_in_background(Raises(), tmp_path / "state")
    with pytest.raises(RuntimeError, match="OddError: 1 and 2"):
        saving.wait()


@posix
def test_killed_or_cancelled_the_old_file_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"
    checkpoint.save("old", path)
    with monkeypatch.context() as patch:
        slow(patch, 30.0)
        savings = [checkpoint.save_in_background("new", path)]
        time.sleep(0.1)
        os.kill(savings[0]._child or 0, signal.SIGKILL)
        savings[0].finish(10.0)
        savings.append(checkpoint.save_in_background("new", path))
        savings[1].cancel()
        savings[1].cancel()
    for saving in savings:
        with pytest.raises(RuntimeError, match=r"the process that saved '.*state' was killed"):
            saving.wait()
    assert checkpoint.load(path) == "old"
    checkpoint.save_in_background("newer", path).wait()
    assert checkpoint.load(path) == "newer"
    assert os.listdir(tmp_path) == ["state"], "what the killed process left is deleted"


@posix
def test_signals_of_the_program_do_not_stop_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch, 0.3)
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        saving = checkpoint.save_in_background("new", tmp_path / "state")
        time.sleep(0.1)
        for number in (signal.SIGINT, signal.SIGUSR1):
            os.kill(saving._child or 0, number)
        saving.wait()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert checkpoint.load(saving.path) == "new"


@posix
def test_a_program_that_waits_for_all_its_children(tmp_path: Path) -> None:
    saving = checkpoint.save_in_background("new", tmp_path / "state")
    assert os.waitpid(-1, 0)[0]
    saving.wait()
    assert checkpoint.load(saving.path) == "new"


@posix
@pytest.mark.slow
def test_other_threads_learn(tmp_path: Path) -> None:
    """Both nodes store every example, so that a state in the middle of a step would be seen."""
    model, stop = (
        linear_model.SHRLS(Taxonomy.flat("ab"), threshold=1e9, budget=50),
        threading.Event(),
    )
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        try:
            while not stop.is_set():
                x = {f"x{rng.randrange(20)}": rng.random() for _ in range(5)}
                model.learn_one(x, {rng.choice("ab")})
                model.predict_one(x)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    try:
        for i in range(30):
            saving = checkpoint.save_in_background(model, tmp_path / f"{i}")
            saving.wait(30.0)
            found = checkpoint.load(saving.path)
            assert len(set(found.n_stored.values())) == 1
            found.learn_one({"x0": 1.0}, {"a"})
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not errors


PROGRAM = """
import sys
from river_hier import checkpoint

path, n = sys.argv[1], int(sys.argv[2])
while True:
    n += 1
    saving = checkpoint.save_in_background({"n": n, "data": [n] * 20_000}, path)
    print(n, flush=True)
    saving.wait()
"""


@posix
@pytest.mark.slow
def test_the_program_is_killed_at_any_time(tmp_path: Path) -> None:
    path, n = tmp_path / "state", 0
    rng = random.Random(1)
    for _ in range(20):
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path), str(n)], stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        program.stdout.readline()
        time.sleep(rng.random() * 0.1)
        program.kill()
        # The process that saves continues without the program, and keeps its output open.
        *_, last = [n + 1, *map(int, program.stdout.read().split())]
        program.wait()
        found = checkpoint.load(path)
        assert found["data"] == [found["n"]] * 20_000
        assert found["n"] in (last - 1, last, last + 1)  # the last one may not have been printed
        n = max(last, found["n"])
    checkpoint.save({"n": 0}, path)
    assert os.listdir(tmp_path) == ["state"]


@posix
def test_a_forked_process_can_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, 0.2)
    saving = checkpoint.save_in_background("new", tmp_path / "state")
    child = os.fork()
    if not child:
        try:
            checkpoint.save_in_background("child", tmp_path / "state").wait()
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    saving.wait()
    assert checkpoint.load(saving.path) in ("new", "child")


@posix
def test_processes_of_other_paths_are_not_left_behind(tmp_path: Path) -> None:
    savings = [checkpoint.save_in_background(i, tmp_path / f"{i}") for i in range(30)]
    time.sleep(0.5)
    checkpoint.save_in_background(0, tmp_path / "last").wait()
    with pytest.raises(ChildProcessError):  # there are no children
        os.waitpid(-1, os.WNOHANG)
    for i, saving in enumerate(savings):
        saving.wait()
        assert checkpoint.load(saving.path) == i


@posix
def test_another_process_with_the_pipe_does_not_hold_up_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipes, pipe = [], os.pipe
    monkeypatch.setattr(os, "pipe", lambda: pipes.append(pipe()) or pipes[-1])
    fork, copies = os.fork, []

    def fork_twice() -> int:
        copies.append(os.dup(pipes[-1][1]))  # as a child of another thread would have it
        return fork()

    monkeypatch.setattr(os, "fork", fork_twice)
    saving = checkpoint.save_in_background(1, tmp_path / "model")
    saving.wait(60)
    saving = checkpoint.save_in_background([2] * 10**7, tmp_path / "model")
    saving.cancel()
    with pytest.raises(RuntimeError, match="was killed"):
        saving.wait(60)
    for copy in copies:
        os.close(copy)


class Impossible:
    def __reduce__(self) -> Any:
        raise ValueError("this cannot be pickled")


@posix
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer here")
def test_an_interrupt_while_a_process_starts_or_ends_loses_nothing(tmp_path: Path) -> None:
    class InterruptError(Exception):
        pass

    def interrupt(*_: Any) -> None:
        raise InterruptError

    path, rng, before = (
        tmp_path / "model",
        random.Random(1),
        signal.signal(signal.SIGALRM, interrupt),
    )
    interrupted = 0
    try:
        for _ in range(150):
            saving = None
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 8e-3))
                saving = checkpoint.save_in_background(Impossible(), path)
                saving.wait()
            except InterruptError:
                interrupted += 1
            except ValueError:
                pass
            except RuntimeError:  # an interrupted call has started the last process
                assert saving is None
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            if saving is not None:
                with pytest.raises(ValueError, match="cannot be pickled"):
                    saving.wait(60)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted
    time.sleep(0.5)
    with pytest.raises(ValueError, match="cannot be pickled"):
        checkpoint.save_in_background(Impossible(), path).wait(60)
    with pytest.raises(ChildProcessError):  # there are no children
        os.waitpid(-1, os.WNOHANG)
