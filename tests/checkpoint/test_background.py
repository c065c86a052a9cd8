"""Checkpoints that a thread writes."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from river_hier import Taxonomy, checkpoint, linear_model


def slow(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Every thread waits before it flushes a file."""
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (time.sleep(seconds), sync(file))[1])


def test_the_state_is_that_of_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, 0.1)
    model = linear_model.HRLS(Taxonomy.flat("ab"))
    for i in range(20):
        model.learn_one({f"x{i % 5}": 1.0 + i}, {"ab"[i % 2]})
    path, state = tmp_path / "model", {"model": model, "position": 20}
    expected = checkpoint.dumps(state)
    saving = checkpoint.save_in_background(state, path)
    model.learn_one({"x0": -5.0}, {"a"})
    state["position"] = 21
    saving.wait()
    assert saving.done()
    assert saving.path == path
    assert path.read_bytes() == expected
    assert os.listdir(tmp_path) == ["model"]


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


def test_a_full_disk_and_a_state_that_cannot_be_pickled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"
    checkpoint.save("old", path)
    with pytest.raises(TypeError, match="`state` cannot be pickled"):
        checkpoint.save_in_background(lambda: None, path)

    def full(file: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        saving = checkpoint.save_in_background("new", path)
        for _ in range(2):
            with pytest.raises(OSError, match="No space left") as found:
                saving.wait()
            assert found.value.errno == errno.ENOSPC
    assert checkpoint.load(path) == "old"
    assert os.listdir(tmp_path) == ["state"]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        checkpoint.save_in_background("new", tmp_path / "nowhere" / "state")
    checkpoint.save_in_background("newer", path).wait()
    assert checkpoint.load(path) == "newer"


def test_an_interrupt_of_the_program_does_not_stop_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch, 0.2)
    saving = checkpoint.save_in_background("new", tmp_path / "state")
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "join", interrupt)
        with pytest.raises(KeyboardInterrupt):
            saving.wait()
    saving.wait()
    assert checkpoint.load(saving.path) == "new"


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


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


@pytest.mark.slow
def test_the_program_is_killed_at_any_time(tmp_path: Path) -> None:
    path, n = tmp_path / "state", 0
    rng = random.Random(1)
    checkpoint.save({"n": 0, "data": [0] * 20_000}, path)
    for _ in range(20):
        program = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, str(path), str(n)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert program.stdout is not None
        program.stdout.readline()
        time.sleep(rng.random() * 0.1)
        program.kill()
        *_, last = [n + 1, *map(int, program.stdout.read().split())]
        program.wait()
        found = checkpoint.load(path)
        assert found["data"] == [found["n"]] * 20_000
        assert n <= found["n"] <= last + 1  # the last one may not have been printed
        n = found["n"]
    assert n > 0
    for part in tmp_path.glob(".state.*.part"):
        os.utime(part, (0, 0))
    checkpoint.save({"n": 0}, path)
    assert os.listdir(tmp_path) == ["state"]


def test_a_program_that_ends_waits_for_the_file(tmp_path: Path) -> None:
    program = PROGRAM.replace("while True:", "if True:").replace("saving.wait()", "")
    command = [sys.executable, "-P", "-c", program, str(tmp_path / "state"), "0"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert checkpoint.load(tmp_path / "state")["n"] == 1
    assert os.listdir(tmp_path) == ["state"]
