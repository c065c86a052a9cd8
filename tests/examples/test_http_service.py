"""The HTTP service: its answers, what it refuses, and what is left after kill -9."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, checkpoint, inspection
from support.http_service import STREAMING, Client, Service
from support.hypothesis_settings import n_examples
from support.processes import PATIENCE, until
from support.requirements import require_module
from support.shop_labels import TAXONOMY, message, metrics_of, state_of, until_learned

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
sys.path.insert(0, str(STREAMING))
import delayed  # noqa: E402
import http_worker  # noqa: E402
from http_counters import Counters  # noqa: E402
from journal import Journal  # noqa: E402
from starlette.exceptions import HTTPException  # noqa: E402


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service"), "--publish", 0.2, "--save", 0.2) as service:
        service.start()
        yield service


@pytest.fixture(scope="module")
def learned(service: Service) -> list[dict[str, Any]]:
    """Labels that a new snapshot has learned."""
    client = Client(service.port)
    labels = [message(key) for key in range(200)]
    for position, label in enumerate(labels, 1):
        assert client.json("/learn", label) == {"position": position, "new": True}
    until_learned(service, 200)
    return labels


# Answers


def test_answers_are_those_of_the_model(service: Service, learned: list[dict[str, Any]]) -> None:
    model = state_of(learned)["model"]
    client = Client(service.port)
    for x in [message(key, seed=1)["x"] for key in range(50)] + [{}, {"new": -2}]:
        assert client.json("/predict", {"x": x})["y"] == delayed.predict(model, x)
        found = client.json("/top", {"x": x, "k": 3, "leaves": True})["top"]
        expected = inspection.top_one(model, x, 3, leaves=True)
        assert [(tuple(one["path"]), one["probability"]) for one in found] == expected
        nodes = client.json("/explain", {"x": x})["nodes"]
        for label, why in inspection.explain_one(model, x).items():
            contributions = [list(term) for term in why.contributions]
            assert nodes.pop(label) == {**why._asdict(), "contributions": contributions}
        assert not nodes
    words = delayed.features("spade, spade!")
    assert client.json("/predict", {"x": "spade, spade!"})["y"] == delayed.predict(model, words)
    assert len(client.json("/top", {"x": {}})["top"]) == 5


def test_a_label_that_is_sent_again_is_not_learned_again(
    service: Service, learned: list[dict[str, Any]]
) -> None:
    client = Client(service.port)
    before = client.json("/health")["accepted"]
    again = {**learned[6], "x": dict(reversed(learned[6]["x"].items()))}
    for label in (learned[6], again):
        assert client.json("/learn", label) == {"position": 7, "new": False}
    for other in ({"x": {"z": 1.0}}, {"y": "roses"}):
        found = client.json("/learn", {**learned[6], **other}, status=409)
        assert found["error"] == "there is another example with the key '0 6'; it is kept"
    assert client.json("/health")["accepted"] == before


X = {"a": 1.0}
REFUSED: list[tuple[str, Any, int, str]] = [
    ("/predict", b"", 400, "the request is not JSON"),
    ("/predict", b'{"x": {"a": NaN}}', 400, "NaN is not a number in JSON"),
    ("/predict", b'{"x": {"a": 1e999}}', 422, "finite"),
    ("/predict", b'{"x": "\xff"}', 400, "utf-8"),
    ("/predict", b"[" * 100_000, 400, "not JSON"),
    ("/predict", b'{"x": {"a": 1' + b"0" * 6000 + b"}}", 400, "not JSON"),
    ("/predict", b'{"x": {"a": 1' + b"0" * 400 + b"}}", 422, ""),
    ("/predict", [X], 422, 'expected a JSON object with "x"'),
    ("/predict", {}, 422, 'expected a JSON object with "x"'),
    ("/predict", {"x": X, "y": "roses"}, 422, 'expected a JSON object with "x"'),
    ("/predict", {"x": [1]}, 422, '"x" must be an object or a text, got [1]'),
    ("/predict", {"x": {"a": None}}, 422, "'a'"),
    ("/predict", {"x": {"a": "b"}}, 422, "'a'"),
    ("/predict", {"x": {"a": {}}}, 422, "'a'"),
    ("/predict", {"x": {str(i): 1 for i in range(10_001)}}, 422, "10,001 features"),
    ("/predict", {"x": " ".join(f"w{i}" for i in range(10_001))}, 422, "10,001 features"),
    ("/predict", {"x": "w" * 2**20}, 413, "at most 1,048,576 bytes"),
    ("/top", {"x": X, "k": 0}, 422, "from 1 to 1000, got 0"),
    ("/top", {"x": X, "k": True}, 422, "got True"),
    ("/top", {"x": X, "k": 1.5}, 422, "got 1.5"),
    ("/top", {"x": X, "leaves": 1}, 422, "true or false, got 1"),
    ("/explain", {"x": {"a": "b"}}, 422, "'a'"),
    ("/learn", {"x": X, "y": "roses"}, 422, '"key", "x", "y"'),
    ("/learn", {"key": 7, "x": X, "y": "roses"}, 422, "ASCII characters, got 7"),
    ("/learn", {"key": "", "x": X, "y": "roses"}, 422, "ASCII characters, got ''"),
    ("/learn", {"key": "k" * 201, "x": X, "y": "roses"}, 422, "1 to 200 ASCII"),
    ("/learn", {"key": "\ud800", "x": X, "y": "roses"}, 422, "ASCII characters"),
    ("/learn", {"key": "k", "x": {"a": "b"}, "y": "roses"}, 422, "'a'"),
    ("/learn", {"key": "k", "x": X, "y": "tulips"}, 422, "'tulips'"),
    ("/learn", {"key": "k", "x": X, "y": ["roses", "tulips"]}, 422, "'tulips'"),
    ("/learn", {"key": "k", "x": X, "y": "\ud800"}, 422, "'\\ud800' is not in"),
    ("/learn", {"key": "k", "x": X, "y": [["roses"]]}, 422, '"y" must be'),
    ("/learn", {"key": "k", "x": X, "y": None}, 422, '"y" must be'),
    ("/learn", {"key": "k", "x": X, "y": {"roses": True}}, 422, '"y" must be'),
    ("/learn", {"key": "k", "x": X, "y": ["roses"] * 1001}, 422, '"y" must be'),
    ("/nothing", {"x": X}, 404, "Not Found"),
    ("/../shop/checkpoint", None, 404, "Not Found"),
    ("/predict", None, 405, "Method Not Allowed"),
    ("/health", {"x": X}, 405, "Method Not Allowed"),
]


def test_what_is_refused_changes_nothing(service: Service, learned: list[dict[str, Any]]) -> None:
    client = Client(service.port)
    before = client.json("/health")["accepted"]
    for path, body, status, why in REFUSED:
        found, data = client.send(path, body)
        assert (found, why in json.loads(data)["error"]) == (status, True), (path, body, data)
    assert client.json("/health")["accepted"] == before
    assert "Traceback" not in service.said()


def test_a_client_that_leaves_in_mid_request(service: Service) -> None:
    name = 'requests_total{path="/predict",status="400"}'
    before = metrics_of(service).get(name, 0)
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        head = "POST /predict HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 99\r\n\r\n{{".encode())
    until(lambda: metrics_of(service).get(name, 0) > before)
    assert "Traceback" not in service.said()


class Trap:
    """A pickle that runs a program when it is opened."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.trace),)


def test_no_pickle_from_outside_is_opened(service: Service, tmp_path: Path) -> None:
    trap = Trap(tmp_path / "trace")
    client = Client(service.port)
    for data in (pickle.dumps(trap), checkpoint.dumps(trap)):
        for path in ("/predict", "/top", "/explain", "/learn"):
            for kind in ("application/octet-stream", "text/plain", ""):
                status, found = client.send(path, data, kind)
                assert status == 415
                assert b"must be application/json" in found
            assert client.send(path, data)[0] == 400
    assert not trap.trace.exists()
    with pytest.raises(ValueError, match="cannot be opened"):  # the trap works
        checkpoint.loads(checkpoint.dumps([trap, pickle.PickleError, Unopened()]))
    assert trap.trace.exists()


class Unopened:
    def __reduce__(self) -> Any:
        return int, ("no number",)


def test_metrics_count_the_requests_of_all_workers(service: Service) -> None:
    before = metrics_of(service)
    for _ in range(40):
        Client(service.port).json("/predict", {"x": X})
        Client(service.port).json("/nothing", status=404)
    after = metrics_of(service)
    for name in (
        'requests_total{path="/predict",status="200"}',
        'requests_total{path="other",status="404"}',
        'request_seconds_count{path="/predict"}',
        'request_seconds_bucket{path="/predict",le="+Inf"}',
    ):
        assert after[name] == before.get(name, 0) + 40
    assert 0 < after['request_seconds_sum{path="/predict"}'] < PATIENCE
    start = 'request_seconds_bucket{path="/predict"'
    buckets = [n for name, n in after.items() if name.startswith(start)]
    assert buckets == sorted(buckets)
    assert len(buckets) == 11


def test_the_loss_is_that_before_learning(service: Service, learned: list[dict[str, Any]]) -> None:
    assert metrics_of(service)["loss"] == state_of(learned)["metric"].get() > 0


# Parts


anything = st.recursive(
    st.none() | st.integers() | st.floats() | st.sampled_from(["a", "r", "z", "b c"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("az"), inner),
    max_leaves=4,
)


@n_examples(200)
@given(st.dictionaries(st.sampled_from("az"), anything), anything)
def test_what_a_worker_accepts_can_be_learned(x: Any, y: Any) -> None:
    """Workers check labels with a metric, as they must not learn."""
    state = delayed.new_state(Taxonomy([("r", "a"), ("r", "b c")]))
    try:
        state["metric"].clone().update(y, delayed.predict(state["model"], x))
    except delayed.REFUSED:
        return
    state["model"].learn_one(x, y)


def test_a_journal_keeps_all_labels_of_a_transaction_or_none(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    journal = Journal(path)
    assert journal.add([("a", {"x": 1}), ("b", {"x": 2}), ("a", {"x": 1})]) == [
        (1, True, True),
        (2, True, True),
        (1, False, True),
    ]
    with pytest.raises(TypeError, match="not JSON serializable"):
        journal.add([("c", {"x": 3}), ("d", {"x": b""})])
    assert journal.add([("d", {"x": 4}), ("b", {"x": 5})]) == [(3, True, True), (2, False, False)]
    other = Journal(path)
    assert other.after(0, 2) == [(1, {"x": 1}), (2, {"x": 2})]
    assert other.after(2, 9) == [(3, {"x": 4})]
    assert (other.start(), other.end()) == (1, 3)
    assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)  # fsync in each transaction


def test_dropped_labels_are_known_until_many_others_have_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("journal.KEYS", 3)
    journal = Journal(tmp_path / "labels.sqlite")
    journal.add([(str(i), {"x": i}) for i in range(1, 11)])
    for position, n, start in [(4, 2, 3), (4, 9, 5), (4, 9, 5), (9, 9, 10)]:
        journal.drop(position, n)
        assert (journal.start(), journal.end()) == (start, 10)
        assert journal.after(start - 1, 1) == [(start, {"x": start})]
    assert journal.add([("7", {"x": 7}), ("8", {"x": 1})]) == [(7, False, True), (8, False, False)]
    assert journal.add([("6", {"x": 6}), ("1", {"x": 1})]) == [(11, True, True), (12, True, True)]
    journal.drop(12, 99)
    assert (journal.start(), journal.end()) == (13, 12)
    assert journal.add([("new", {"x": 1})]) == [(13, True, True)]


def test_the_file_of_a_journal_does_not_grow_without_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("journal.KEYS", 10)
    path, sizes = tmp_path / "labels.sqlite", []
    with closing(Journal(path)) as journal:
        for first in range(0, 4000, 200):
            journal.add([(str(i), {"x": "word " * 20}) for i in range(first, first + 200)])
            journal.drop(first + 200, 1000)
            journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            sizes.append(path.stat().st_size)
    assert max(sizes) == sizes[1]


def test_a_label_that_cannot_be_stored_is_not_acknowledged(tmp_path: Path) -> None:
    """As on a disk that is full."""
    state = delayed.new_state(TAXONOMY, position=0, refused=0)
    snapshot = http_worker.Snapshot(state, time.time())
    worker = http_worker.Worker(snapshot, tmp_path / "labels.sqlite", Counters([], 1), 0)

    class Request:
        def __init__(self) -> None:
            self.headers = {"content-type": "application/json"}

        async def stream(self) -> Any:
            yield json.dumps({"key": "k", "x": "word " * 9999, "y": "roses"}).encode()

    db = worker.journal._db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(HTTPException, match=r"503.*could not be stored.*full"):
        asyncio.run(worker.learn(Request()))  # type: ignore[arg-type]
    db.execute("PRAGMA max_page_count = 1000")
    assert worker.journal.end() == 0
    found = asyncio.run(worker.learn(Request()))  # type: ignore[arg-type]
    assert json.loads(found.body) == {"position": 1, "new": True}
