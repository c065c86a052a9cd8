"""Checkpoints: loading restores the saved state, and a crash leaves a valid file."""

import hashlib
import io
import os
import pickle
import re
import stat
import subprocess
import sys
import threading
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import preprocessing

import river_hier
from river_hier import Taxonomy, checkpoint, linear_model, metrics
from support.hypothesis_settings import n_examples
from support.kill_at_call import run_until_killed
from support.public_api import learners

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", "d")])
posix = pytest.mark.skipif(os.name != "posix", reason="kills and folders, as POSIX has them")


def learned(n=30, name="HAROW", seed=1):
    """The state of a program after n examples, some of which still wait for their labels."""
    rng = np.random.default_rng(seed)
    model = preprocessing.StandardScaler() | getattr(linear_model, name)(TREE)
    metric, pending = metrics.HLoss(TREE), {}
    for step in range(n):
        x = {f"x{j}": float(v) for j, v in enumerate(rng.normal(size=6))}
        y = TREE.nodes[int(rng.integers(1, len(TREE)))]
        metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
        pending[step] = x
    return {"model": model, "metric": metric, "position": n, "pending": pending}


class SortedPickler(pickle._Pickler):
    """Pickles sets in sorted order; that of their iteration may change in every copy."""

    dispatch = pickle._Pickler.dispatch | {frozenset: lambda self, s: self.save(sorted(s))}


def plainly(state):
    """Bytes that are equal for equal states, regardless of which strings are the same object."""
    pickled = io.BytesIO()
    SortedPickler(pickled).dump(pickle.loads(pickle.dumps(state)))
    return pickled.getvalue()


@pytest.mark.parametrize("name", [*chain(*learners("linear_model"))])
def test_what_is_loaded_goes_on_as_what_was_saved(name, tmp_path):
    ours = learned(name=name)
    checkpoint.save(ours, tmp_path / "state")
    theirs = checkpoint.load(tmp_path / "state")
    assert plainly(theirs) == plainly(ours) == plainly(checkpoint.loads(checkpoint.dumps(ours)))
    for x in ours["pending"].values():
        assert theirs["model"].predict_one(x) == ours["model"].predict_one(x)
        assert theirs["model"].predict_proba_one(x) == ours["model"].predict_proba_one(x)
        for state in (ours, theirs):
            state["model"].learn_one(x, "b")
    assert plainly(theirs["model"]) == plainly(ours["model"])


states = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)  # fmt: skip


@n_examples(40)
@given(states)
def test_whatever_can_be_pickled_comes_back(state):
    data = checkpoint.dumps(state)
    assert checkpoint.loads(data) == state
    assert checkpoint.loads(memoryview(bytearray(data))) == state


def test_the_first_lines_can_be_read(tmp_path):
    checkpoint.save(learned(), tmp_path / "state")
    first, digest, writer, _ = (tmp_path / "state").read_bytes().split(b"\n", 3)
    assert first == b"river_hier checkpoint, format 1"
    assert re.fullmatch(rb"sha256 [0-9a-f]{64}", digest)
    assert writer.startswith(f"written by river_hier {river_hier.__version__}, river ".encode())


def test_a_file_of_this_format_opens_whoever_wrote_it():
    rest = b"written by river_hier 9.9, river 9.9, numpy 9.9, Python 9.9\n"
    rest += pickle.dumps({"position": 7}, protocol=2)
    digest = hashlib.sha256(rest).hexdigest().encode()
    data = b"river_hier checkpoint, format 1\nsha256 " + digest + b"\n" + rest
    assert checkpoint.loads(data) == {"position": 7}


# What is refused, and before anything is unpickled


class Trap:
    """Unpickling it runs code."""

    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


@pytest.fixture(scope="module")
def trap():
    return checkpoint.dumps([Trap(), b"\0" * 40, "some text"])


def test_each_flipped_bit_is_seen(trap):
    for i in range(len(trap)):
        for bit in range(8):
            data = bytearray(trap)
            data[i] ^= 1 << bit
            with pytest.raises(ValueError, match=r"this checkpoint (is|has)"):
                checkpoint.loads(data)


def test_each_cut_and_each_addition_is_seen(trap):
    for n in range(len(trap)):
        with pytest.raises(ValueError, match=r"this checkpoint is (no|cut short or damaged)"):
            checkpoint.loads(trap[:n])
    for more in (b"\0", b"\n", trap):
        with pytest.raises(ValueError, match="cut short or damaged"):
            checkpoint.loads(trap + more)
    with pytest.raises(pytest.fail.Exception):  # the trap works
        checkpoint.loads(trap)


@n_examples(50)
@given(st.binary())
def test_foreign_bytes_are_refused(data):
    with pytest.raises(ValueError, match="is no checkpoint of river_hier: it begins with b"):
        checkpoint.loads(data)


def test_other_files_are_refused_by_name(tmp_path):
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match=r"the checkpoint '.*model.pickle' is no checkpoint"):
        checkpoint.load(path)
    path.write_bytes(b"river_hier checkpoint, format 2\nwhatever")
    message = "format 2, and this version of river_hier reads format 1; open it with the version"
    with pytest.raises(ValueError, match=message):
        checkpoint.load(path)
    with pytest.raises(FileNotFoundError, match=r"there is no checkpoint '.*nothing'"):
        checkpoint.load(tmp_path / "nothing")


class Gone:
    """A class that is renamed after it was saved."""


def test_classes_that_are_not_here(monkeypatch):
    data = checkpoint.dumps(Gone())
    monkeypatch.delattr(sys.modules[__name__], "Gone")
    message = r"cannot be opened with river_hier .*; it was written by river_hier .*Gone"
    with pytest.raises(ValueError, match=message):
        checkpoint.loads(data)


@pytest.mark.parametrize("data", ["text", None, 3, ["bytes"]])
def test_what_is_not_bytes(data):
    with pytest.raises(TypeError, match="`data` must be bytes, as `dumps` makes them, got"):
        checkpoint.loads(data)


def test_what_cannot_be_saved_leaves_the_file(tmp_path):
    path = tmp_path / "state"
    checkpoint.save("old", path)
    for state in (lambda: 0, (i for i in range(3)), threading.Lock()):
        with pytest.raises(TypeError, match=r"`state` cannot be pickled: .*; keep functions"):
            checkpoint.save(state, path)
    assert checkpoint.load(path) == "old"
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere' to save into"):
        checkpoint.save("new", tmp_path / "nowhere" / "state")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        checkpoint.save("new", tmp_path)
    assert os.listdir(tmp_path) == ["state"]


# The file


@posix
def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "state")
    checkpoint.save("new", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert checkpoint.load(tmp_path / "there" / "state") == "new"


@posix
def test_who_may_read_the_old_file_may_read_the_new_one(tmp_path):
    path = tmp_path / "state"
    checkpoint.save("old", path)
    for mode in (0o600, 0o640, 0o400):
        path.chmod(mode)
        checkpoint.save("new", path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_leftovers_of_this_path_alone_are_deleted(tmp_path):
    digits = "0123456789abcdef"
    ours = f".state.{digits}.part"
    others = [f".state.b.{digits}.part", f"state.{digits}.part", ".state.part", f".states{ours}"]
    for name in (ours, *others):
        (tmp_path / name).write_text("left")
    checkpoint.save("new", tmp_path / "state")
    assert (tmp_path / ours).exists(), "another program may be writing it"
    for name in (ours, *others):
        os.utime(tmp_path / name, (0, 0))
    checkpoint.save("new", tmp_path / "state")
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "state"])


@posix
def test_the_bytes_reach_the_disk_before_the_name(tmp_path, monkeypatch):
    calls = []

    def noted(name, real):
        def call(*args):
            if name == "fsync":
                calls.append(f"fsync {os.path.realpath(f'/proc/self/fd/{args[0]}')}")
            else:
                calls.append(f"{name} {args[0]} {args[1]}")
            return real(*args)

        return call

    monkeypatch.setattr(os, "fsync", noted("fsync", os.fsync))
    monkeypatch.setattr(os, "replace", noted("replace", os.replace))
    path = Path(os.path.realpath(tmp_path)) / "state"
    checkpoint.save("new", path)
    if not Path("/proc/self/fd").exists():
        calls = [re.sub("fsync .*", "fsync", call) for call in calls]
        assert [call.split()[0] for call in calls] == ["fsync", "replace", "fsync"]
        return
    part = calls[0].removeprefix("fsync ")
    assert re.fullmatch(rf"{re.escape(str(path.parent))}/\.state\.[0-9a-f]{{16}}\.part", part)
    assert calls[1:] == [f"replace {part} {path}", f"fsync {path.parent}"]


@pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_errors_leave_the_old_file_and_nothing_else(step, error, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise error

    checkpoint.save("old", tmp_path / "state")
    with monkeypatch.context() as patch:
        patch.setattr(Path if step == "open" else os, step, fail)
        with pytest.raises(type(error)):
            checkpoint.save("new", tmp_path / "state")
    assert os.listdir(tmp_path) == ["state"]
    assert checkpoint.load(tmp_path / "state") == "old"


def saved_but_killed_at(step, path):
    """Whether a child process that saves "new" was killed right before the n-th C call."""
    if (child := os.fork()) == 0:
        run_until_killed(lambda: checkpoint.save("new", path), step)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.slow
@posix
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_killed_at_every_step_the_file_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_OLD", -1.0)
    path = tmp_path / "state"
    checkpoint.save("old", path)
    found, leftovers, step = [], 0, 1
    while saved_but_killed_at(step, path):
        found.append(checkpoint.load(path))
        parts = [name for name in os.listdir(tmp_path) if name != "state"]
        assert len(parts) <= 1
        leftovers += len(parts)
        checkpoint.save("old", path)
        assert os.listdir(tmp_path) == ["state"]
        step += 1
    switched = found.index("new")
    assert found == ["old"] * switched + ["new"] * (len(found) - switched)
    assert switched > 15  # steps before the name changed hands
    assert leftovers > 3
    assert checkpoint.load(path) == "new"


SAVER = """
import sys
from river_hier import checkpoint
path, mark, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for step in range(n):
    checkpoint.save({"mark": mark, "step": step, "numbers": [float(mark)] * 20_000}, path)
"""


def test_several_programs_save_to_one_path(tmp_path):
    path, n = tmp_path / "state", 60
    command = [sys.executable, "-P", "-c", SAVER, str(path)]
    savers = [subprocess.Popen([*command, str(mark), str(n)], stderr=-1) for mark in range(3)]
    found = set()
    while any(saver.poll() is None for saver in savers):
        if path.exists():
            state = checkpoint.load(path)
            assert state["numbers"] == [float(state["mark"])] * 20_000
            found.add(state["mark"])
    for saver in savers:
        assert saver.communicate()[1] == b""
        assert saver.returncode == 0
    assert checkpoint.load(path)["step"] == n - 1
    assert os.listdir(tmp_path) == ["state"]
    assert len(found) > 1


@pytest.mark.parametrize("number", [b"01", b"001", b"+1", b"1_0", b" 1", b"1.0", b"", b"1 "])
def test_the_number_of_the_format_is_written_in_one_way(number):
    data = checkpoint.dumps({"position": 7}).replace(b"format 1", b"format " + number, 1)
    with pytest.raises(ValueError, match="is no checkpoint of river_hier: it begins with"):
        checkpoint.loads(data)
