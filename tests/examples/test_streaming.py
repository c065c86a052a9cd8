"""The stream scripts: killed as often as you like, they end as if nothing had happened."""

import io
import itertools
import json
import pickle
import random
import re
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import evaluate

from river_hier import Taxonomy, checkpoint, feature_extraction, linear_model, metrics
from support.hypothesis_settings import n_examples
from support.paths import EXAMPLES, TESTS
from support.processes import (
    KILLS,
    PATIENCE,
    environment_of_scripts,
    free_port,
    run_commands_of,
    until,
)
from support.requirements import require_module, require_program

STREAMING = EXAMPLES / "streaming"
KILLED = TESTS / "support" / "kill_at_call.py"
EVERY, PENDING = 40, 20

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed -9 there")
sys.path.insert(0, str(STREAMING))
import delayed  # noqa: E402


class Stream(NamedTuple):
    """Lines, and what an undisturbed reader makes of them."""

    folder: Path
    lines: list[str]
    answers: list[dict[str, Any]]
    refused: list[int]
    state: dict[str, Any]

    @property
    def taxonomy(self) -> Path:
        return self.folder / "taxonomy.json"

    @property
    def events(self) -> Path:
        return self.folder / "events.jsonl"


BROKEN = ["", "{", "[1]", "[" * 9999, '{"key": 1}', '{"x": "y", "y": "x"}', '{"key": 7, "y": "a"}']
BROKEN += ['{"key": 1, "x": {"a": NaN}}', '{"key": 1, "x": {"a": "b"}}']
BROKEN += ['{"key": "article 0", "y": "nothing"}', '{"key": "article 0", "y": ["shop", null]}']


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Stream:
    folder = tmp_path_factory.mktemp("stream")
    lines = events(folder / "taxonomy.json", 500, "--delay", "40")
    rng = random.Random(5)
    for broken in BROKEN:
        lines.insert(rng.randrange(len(lines)), broken)
    lines.insert(0, "the first line is broken")
    (folder / "events.jsonl").write_text("".join(f"{line}\n" for line in lines))
    state = delayed.new_state(delayed.read_taxonomy(folder / "taxonomy.json"))
    answers, refused = [], []
    for number, line in enumerate(lines, 1):
        try:
            answer = delayed.step(state, line, PENDING)
        except delayed.REFUSED:
            refused.append(number)
            continue
        if answer is not None:
            answers.append({"line": number, **answer})
    assert len(answers) == 500
    assert state["forgotten"] > 3
    return Stream(folder, lines, answers, refused, state)


def events(taxonomy: Path, examples: int, *more: str) -> list[str]:
    """What events.py prints."""
    arguments = ["--taxonomy", str(taxonomy), "--examples", str(examples), *more]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["events.py", *arguments])
        patch.setattr(sys, "stdout", io.StringIO())
        runpy.run_path(str(STREAMING / "events.py"), run_name="__main__")
        return sys.stdout.getvalue().splitlines()


def alike(path: Path, stream: Stream) -> None:
    """The checkpoint holds the undisturbed state, to the last bit."""
    state = checkpoint.load(path)
    for part in ("model", "metric"):
        ours, theirs = pickle.dumps(state[part]), pickle.dumps(stream.state[part])
        assert pickle.dumps(pickle.loads(ours)) == pickle.dumps(pickle.loads(theirs))
    assert list(state["pending"].items()) == list(stream.state["pending"].items())
    assert state["forgotten"] == stream.state["forgotten"]


def run(
    script: str, *arguments: Any, fatal: int = 0, stdin: Any = subprocess.DEVNULL
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, or until it is killed at a call into C."""
    command = [sys.executable, str(KILLED), str(fatal), str(STREAMING / script)]
    found = subprocess.run(
        [*command, *map(str, arguments)],
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment_of_scripts(),
    )
    assert found.returncode == (-signal.SIGKILL if fatal else 0), found.stderr
    return found


def fatal_calls(undisturbed: subprocess.CompletedProcess[str], kills: int) -> Iterator[list[int]]:
    """Calls at which to kill; in each round all but the last run are killed before they are done.

    In the first round all make headway; in the others they are killed at any call.
    """
    calls = int(undisturbed.stderr.split()[-1])
    rng = random.Random(calls)
    yield [rng.randrange(calls // 4, calls // kills) for _ in range(kills)] + [0]
    for _ in range(kills, KILLS, kills):
        moments = sorted(rng.sample(range(1, calls), kills))
        yield [b - a for a, b in itertools.pairwise([0, *moments])] + [0]


def complaints(found: subprocess.CompletedProcess[str]) -> list[int]:
    """The numbers of the lines that were reported."""
    return [int(number) for number in re.findall(r"^line (\d+): ", found.stderr, re.MULTILINE)]


# The messages


def test_late_labels_are_scored_as_river_scores_them(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in events(tmp_path / "t.json", 200, "--delay", "20")]
    taxonomy = delayed.read_taxonomy(tmp_path / "t.json")
    state = delayed.new_state(taxonomy)
    labels = {line["key"]: line["y"] for line in lines if "y" in line}
    known = (line for line in lines if "x" in line and line["key"] in labels)
    examples = [(line["x"], labels[line["key"]]) for line in known]
    constant = []
    for i, (x, _) in enumerate(examples):
        if i >= 7:
            constant.append({"key": i - 7, "y": examples[i - 7][1]})
        constant.append({"key": i, "x": x})
    constant += [{"key": i, "y": y} for i, (_, y) in list(enumerate(examples))[-7:]]
    for message in constant:
        delayed.step(state, json.dumps(message), 10)
    model, metric = linear_model.HAROW(taxonomy), metrics.HLoss(taxonomy)
    evaluate.progressive_val_score(examples, model, metric, delay=7)
    assert state["metric"].get() == metric.get()
    assert not state["pending"]
    for x, _ in examples[:20]:
        assert state["model"].predict_one(x) == model.predict_one(x)


@pytest.mark.parametrize(
    "line", [*BROKEN, '{"key": 2, "x": "again"}', '{"key": 2, "y": ["a", "?"]}']
)
def test_what_is_refused_changes_nothing(line: str) -> None:
    state = delayed.new_state(Taxonomy([("r", "a"), ("r", "b")]))
    delayed.step(state, '{"key": 2, "x": {"a": 2}}', 9)
    delayed.step(state, '{"key": "3", "x": {"z": 1}}', 9)
    delayed.step(state, '{"key": "3", "y": "b"}', 9)
    delayed.step(state, '{"key": 5, "x": {}}', 9)
    assert list(state["pending"]) == [2, 5]
    assert state["pending"][2] == ({"a": 2}, [])
    before = pickle.dumps(state)
    with pytest.raises(delayed.REFUSED):
        delayed.step(state, line, 9)
    assert pickle.dumps(state) == before


def test_another_model_is_another_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the page says: that of the README, of one label and of texts."""
    words = feature_extraction.LogTFIDF() | linear_model.PathSoftmax(Taxonomy([("r", "a")]))
    monkeypatch.setattr(linear_model, "HAROW", lambda taxonomy: words)
    state = delayed.new_state(Taxonomy([("r", "a")]))
    for key, y in enumerate(["r", "a"]):
        line = json.dumps({"key": key, "x": "a text"})
        assert delayed.step(state, line, 9) == {"key": key, "y": y}
        with pytest.raises(delayed.REFUSED, match="one label"):
            delayed.step(state, json.dumps({"key": key, "y": ["a", "?"]}), 9)
        delayed.step(state, json.dumps({"key": key, "y": "a"}), 9)
    assert not state["pending"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a", "r", "z"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("az"), inner),
    max_leaves=4,
)
fields = st.fixed_dictionaries(
    {"key": st.sampled_from([2, "3"]) | anything}, optional={"x": anything, "y": anything}
)


@n_examples(150)
@given(st.lists(fields | anything))
def test_no_message_breaks_it(messages: list[Any]) -> None:
    state = delayed.new_state(Taxonomy([("r", "a"), ("r", "b")]))
    for message in messages:
        before = pickle.dumps(state)
        try:
            answer = delayed.step(state, json.dumps(message), 9)
        except delayed.REFUSED:
            assert pickle.dumps(state) == before
        else:
            assert (answer is None) == ("y" in message)
            assert (message["key"] in state["pending"]) == ("x" in message)


def test_the_oldest_example_is_forgotten() -> None:
    state = delayed.new_state(Taxonomy([("r", "a"), ("r", "b")]))
    for key in range(5):
        delayed.step(state, json.dumps({"key": key, "x": {"z": 1}}), 3)
    assert list(state["pending"]) == [2, 3, 4]
    assert delayed.summary(state).endswith("3 examples wait, 2 were forgotten")
    with pytest.raises(ValueError, match="no example 1 waits for a label"):
        delayed.step(state, '{"key": 1, "y": "a"}', 3)


# JSON lines


def given_to_all(stream: Stream) -> list[Any]:
    return ["--taxonomy", stream.taxonomy, "--pending", PENDING]


def json_lines(stream: Stream, path: Path, fatal: int = 0) -> subprocess.CompletedProcess[str]:
    arguments = *given_to_all(stream), "--checkpoint", path, "--every", EVERY
    with stream.events.open() as lines:
        return run("json_lines.py", *arguments, fatal=fatal, stdin=lines)


@pytest.mark.slow
def test_json_lines_killed(stream: Stream, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    undisturbed = json_lines(stream, path)
    assert [json.loads(line) for line in undisturbed.stdout.splitlines()] == stream.answers
    assert complaints(undisturbed) == stream.refused
    alike(path, stream)
    resumed = 0

    for i, fatal_ones in enumerate(fatal_calls(undisturbed, kills=3)):
        path, seen = tmp_path / f"killed {i}", {}
        for fatal in fatal_ones:
            before = checkpoint.load(path)["lines"] if path.exists() else 0
            printed = json_lines(stream, path, fatal).stdout
            assert printed.endswith("\n") or not printed
            for line in printed.splitlines():
                number = json.loads(line)["line"]
                assert number > before
                assert seen.setdefault(number, line) == line
        resumed += before > EVERY
        assert [json.loads(seen[number]) for number in sorted(seen)] == stream.answers
        alike(path, stream)
    assert resumed


@pytest.mark.slow
def test_json_lines_answers_at_once_and_can_be_killed_while_it_waits(
    stream: Stream, tmp_path: Path
) -> None:
    path = tmp_path / "checkpoint"
    command = [sys.executable, str(STREAMING / "json_lines.py"), "--taxonomy", str(stream.taxonomy)]
    command += ["--checkpoint", str(path), "--every", "2"]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment_of_scripts()
    )
    assert child.stdin is not None
    assert child.stdout is not None
    impatience = threading.Timer(PATIENCE, child.kill)
    impatience.start()
    try:
        for key in range(4):
            child.stdin.write(json.dumps({"key": key, "x": {"a": 1.0}}).encode() + b"\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["key"] == key  # before the next line comes
        until(lambda: checkpoint.load(path)["lines"] == 4)
        assert child.poll() is None
    finally:
        impatience.cancel()
        child.kill()
        child.communicate()
    assert list(checkpoint.load(path)["pending"]) == [0, 1, 2, 3]


def in_process(
    script: str, monkeypatch: pytest.MonkeyPatch, *arguments: Any, stdin: bytes = b""
) -> None:
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    runpy.run_path(str(STREAMING / script), run_name="__main__")


def test_json_lines_that_are_not_those_of_the_checkpoint(
    stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    path = tmp_path / "checkpoint"
    arguments = ("--taxonomy", stream.taxonomy, "--checkpoint", path)
    first, more = (b'{"key": %d, "x": {"a": 1.0}}\n' % key for key in (1, 2))
    in_process("json_lines.py", monkeypatch, *arguments, stdin=first + more[:-1])
    assert "line 2 has not ended: it is left for the next run" in capfd.readouterr().err
    in_process("json_lines.py", monkeypatch, *arguments, stdin=first + more)
    assert list(checkpoint.load(path)["pending"]) == [1, 2]
    for lines in (more + first, first, b"", first + more[:-1]):
        with pytest.raises(SystemExit, match=r"the first 2 lines are not those that .* was made"):
            in_process("json_lines.py", monkeypatch, *arguments, stdin=lines)
    (tmp_path / "other.json").write_text('{"r": ["a", "b"]}')
    arguments = ("--taxonomy", tmp_path / "other.json", "--checkpoint", path)
    with pytest.raises(SystemExit, match="was made in another taxonomy"):
        in_process("json_lines.py", monkeypatch, *arguments, stdin=first + more)
    with pytest.raises(SystemExit, match="2"):
        in_process("json_lines.py", monkeypatch, *arguments, "--every", 0)
    assert "must be at least 1, got 0" in capfd.readouterr().err


# Redis


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """The address of a server of our own, and a client."""
    redis = require_module("redis", "streaming")
    program = require_program("redis-server")
    folder = tmp_path_factory.mktemp("redis")
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    child = subprocess.Popen(
        [*command, "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL
    )
    client = redis.Redis(port=port, decode_responses=True, protocol=2)

    def answers() -> bool:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False

    try:
        until(answers)
        yield f"redis://127.0.0.1:{port}", client
    finally:
        child.kill()
        child.wait()


@pytest.fixture
def filled(server: tuple[str, Any], stream: Stream) -> tuple[str, Any]:
    """The same, and the lines in a stream."""
    _, client = server
    client.flushall()
    for line in stream.lines:
        client.xadd("events", {"message": line})
    return server


def redis_arguments(address: str, stream: Stream, path: Path) -> list[Any]:
    arguments = [*given_to_all(stream), "--redis", address, "--checkpoint", path]
    return [*arguments, "--every", EVERY, "--patience", 1]


def all_is_done(client: Any, stream: Stream, path: Path) -> None:
    """Everything is learned, answered once, and acknowledged."""
    alike(path, stream)
    assert client.xpending("events", "learners")["pending"] == 0
    entries = [i for i, _ in client.xrange("events")]
    given = client.xrange("answers")
    assert [i for i, _ in given] == [entries[answer["line"] - 1] for answer in stream.answers]
    for (_, fields), answer in zip(given, stream.answers, strict=True):
        assert {"line": answer["line"], **json.loads(fields["message"])} == answer


@pytest.mark.slow
def test_redis_stream_killed(filled: tuple[str, Any], stream: Stream, tmp_path: Path) -> None:
    address, client = filled
    arguments = redis_arguments(address, stream, tmp_path / "undisturbed")
    undisturbed = run("redis_stream.py", *arguments)
    all_is_done(client, stream, tmp_path / "undisturbed")

    left = 0
    for i, fatal_ones in enumerate(fatal_calls(undisturbed, kills=2)):
        client.delete("answers")
        client.xgroup_destroy("events", "learners")
        arguments = redis_arguments(address, stream, tmp_path / f"killed {i}")
        for fatal in fatal_ones:
            run("redis_stream.py", *arguments, fatal=fatal)
            groups = client.xinfo_groups("events")
            left += groups[0]["pending"] if groups and fatal else 0
        all_is_done(client, stream, tmp_path / f"killed {i}")
    assert left > 0  # entries were delivered and not acknowledged


def test_redis_answers_that_cannot_be_given_are_reported(
    filled: tuple[str, Any],
    stream: Stream,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: Any,
) -> None:
    address, client = filled
    client.flushall()
    client.xadd("events", {"message": '{"key": 1, "x": {}}'}, id="1-1")
    client.xadd("events", {"message": '{"key": 2, "x": {}}'}, id="3-1")
    client.xadd("answers", {"message": "of somebody else"}, id="2-1")
    path = tmp_path / "checkpoint"
    arguments = redis_arguments(address, stream, path)
    in_process("redis_stream.py", monkeypatch, *arguments)
    refused = (
        "entry 1-1: its answer is not given: 'answers' has gone past it without, or has another"
    )
    assert capfd.readouterr().err.splitlines()[:-1] == [refused]
    assert [i for i, _ in client.xrange("answers")] == ["2-1", "3-1"]
    path.unlink()
    in_process("redis_stream.py", monkeypatch, *arguments)  # 3-1 is there, and is what it was
    assert capfd.readouterr().err.splitlines()[:-1] == [refused]


def test_redis_goes_back_to_where_the_checkpoint_is(
    filled: tuple[str, Any], stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, client = filled
    path = tmp_path / "checkpoint"
    arguments = redis_arguments(address, stream, path)
    in_process("redis_stream.py", monkeypatch, *arguments)
    path.unlink()
    in_process("redis_stream.py", monkeypatch, *arguments)  # from the beginning, once more
    all_is_done(client, stream, path)
    client.flushall()
    client.xadd("events", {"message": "{}"}, id="1-1")
    with pytest.raises(SystemExit, match="another stream: it ends at 1-1, and the checkpoint is"):
        in_process("redis_stream.py", monkeypatch, *arguments)


# Bytewax


def flow(stream: Stream, folder: Path, fatal: int = 0) -> subprocess.CompletedProcess[str]:
    arguments = *given_to_all(stream), "--recovery", folder / "recovery", "--interval", 0
    files = "--checkpoint", folder / "checkpoint", stream.events, folder / "answers.jsonl"
    return run("bytewax_flow.py", *arguments, *files, fatal=fatal)


@pytest.mark.slow
def test_bytewax_flow_killed(stream: Stream, tmp_path: Path) -> None:
    require_module("bytewax", "streaming")
    expected = [{"key": answer["key"], "y": answer["y"]} for answer in stream.answers]
    undisturbed = flow(stream, tmp_path)
    assert complaints(undisturbed) == stream.refused
    alike(tmp_path / "checkpoint", stream)

    for i, fatal_ones in enumerate(fatal_calls(undisturbed, kills=2)):
        folder = tmp_path / f"killed {i}"
        folder.mkdir()
        for fatal in fatal_ones:
            flow(stream, folder, fatal)
        alike(folder / "checkpoint", stream)
        for answers in (tmp_path / "answers.jsonl", folder / "answers.jsonl"):
            assert [json.loads(line) for line in answers.read_text().splitlines()] == expected
    # It goes on, and does not begin again; after a kill, Bytewax may have stored no epoch yet.
    assert complaints(flow(stream, tmp_path)) == []
    alike(tmp_path / "checkpoint", stream)


def test_bytewax_store_that_was_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before there is a store, the next run makes one; afterwards it stays what it is."""
    require_module("bytewax", "streaming")
    monkeypatch.syspath_prepend(STREAMING)
    make_store = runpy.run_path(str(STREAMING / "bytewax_flow.py"))["make_store"]
    with monkeypatch.context() as patch:
        patch.setitem(make_store.__globals__, "init_db_dir", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            make_store(tmp_path / "recovery")
    for _ in range(2):
        make_store(tmp_path / "recovery")
        (part,) = (tmp_path / "recovery").iterdir()
        assert part.stat().st_size > 0
    assert [file.name for file in tmp_path.iterdir()] == ["recovery"]


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    require_module("redis", "streaming")
    require_module("bytewax", "streaming")
    require_program("redis-server")
    blocks, printed, _ = run_commands_of("streaming.md", "6399", tmp_path)
    assert len(blocks) == 4
    assert [line for line in printed if line.isdigit()][:2] == ["50", "0"]
    for answers in ("answers.jsonl", "flow_answers.jsonl"):
        assert len((tmp_path / answers).read_text().splitlines()) == 50
    lines, redis, flow = (
        checkpoint.load(tmp_path / f"{name}.checkpoint") for name in ("lines", "redis", "flow")
    )
    assert lines["metric"].get() == redis["metric"].get() == flow["metric"].get() > 0
