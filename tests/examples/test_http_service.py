"""The HTTP service: its answers, what it refuses, and what is left after kill -9."""

import asyncio
import json
import os
import pickle
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from river_hier import (
    Below,
    Not,
    OpenTaxonomy,
    Taxonomy,
    active,
    checkpoint,
    decision,
    feature_extraction,
    fit,
    inspection,
    linear_model,
)
from support.http_service import Client, Service
from support.processes import PATIENCE, until
from support.requirements import require_module
from support.shop_labels import MODELS, message, metrics_of, replayed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
require_module("prometheus_client", "serving")
from starlette.exceptions import HTTPException  # noqa: E402

from river_hier.serve import connections  # noqa: E402
from river_hier.serve import service as serving  # noqa: E402
from river_hier.serve.journal import Entry, Journal  # noqa: E402
from river_hier.sklearn import HierarchicalClassifier  # noqa: E402


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    names = "--host", "127.0.0.1,Shop.example"
    with Service(folder, MODELS["several"](), "--save", 0.2, *names) as service:
        service.start()
        yield service


@pytest.fixture(scope="module")
def learned(service: Service) -> list[dict[str, Any]]:
    """Labels that it has learned."""
    client = Client(service.port)
    labels = [message(key) for key in range(200)]
    for position, label in enumerate(labels, 1):
        assert client.json("/learn", label) == {"position": position, "new": True}
    until(lambda: client.json("/health")["saved"] == 200)
    return labels


# Answers


@pytest.mark.slow
def test_questions_within_a_budget(tmp_path: Path) -> None:
    """Those of a sampler, until they are answered."""
    sampler = active.MarginSampler(MODELS["text"](), 0.3)
    waiting: dict[str, Any] = {}
    with Service(tmp_path, MODELS["text"](), "--budget", 0.3) as service:
        service.start()
        client, n = Client(service.port), 0
        for key in range(400):
            sent = message(key, kind="text")
            y, ask = sampler.predict_one(sent["x"])
            answer = client.json("/predict", {"x": sent["x"]})
            assert (answer["y"], answer["ask"]) == (y, ask)
            if ask:
                waiting.setdefault(sent["x"], None)
                waiting[sent["x"]] = {"x": sent["x"], **answer}
                n += 1
            if ask and key % 3:
                sampler.learn_one(sent["x"], sent["y"])
                client.json("/learn", sent)
                del waiting[sent["x"]]
            if key == 200:
                assert service.stop() == 0
                service.start()
                client, waiting = Client(service.port), {}
            while len(waiting) > 100:
                del waiting[next(iter(waiting))]
        assert 100 < n < 222
        (tmp_path / "several.pkl").write_bytes(pickle.dumps(MODELS["several"]()))
        with pytest.raises(SystemExit, match="must be a classifier of one label"):
            serving.Service(tmp_path / "several.pkl", tmp_path / "several", None, 0.3)
        assert client.json("/questions") == {"questions": [*waiting.values()][::-1]}
        assert waiting


@pytest.mark.slow(but=1)
def test_feedback_is_learned_once(tmp_path: Path) -> None:
    """As what is known of the label of the answer with this key; also after a crash."""
    model = MODELS["text"]()
    with Service(tmp_path, MODELS["text"](), "--save", 60) as service:
        service.start()
        client, n, sent_last = Client(service.port), 0, {}
        for key in range(120):
            sent = message(key, kind="text")
            if key < 40:
                client.json("/learn", sent)
                model.learn_one(sent["x"], sent["y"])
                n += 1
                continue
            answer = client.json("/predict", {"x": sent["x"], "key": sent["key"]})
            path, y = answer["labels"][0]["path"], answer["y"]
            kind = key % 3
            told = {"right": kind == 0} if kind else {"right_to": path[:-1]}
            above = Below(tuple(path[:-1])) if len(path) > 1 else Not(y)
            known = [above & Not(y) if len(path) > 1 else above, Not(y), Not(y)][kind]
            sent_last, n = {"key": sent["key"], **told}, n + 1
            assert client.json("/feedback", sent_last) == {"position": n, "new": True}
            model.learn_one(sent["x"], known)
        assert client.json("/feedback", sent_last) == {"position": n, "new": False}
        told = {"key": sent_last["key"], "right": True}
        assert "another example" in client.json("/feedback", told, status=409)["error"]
        service.kill()
        service.start()
        client = Client(service.port)
        assert client.json("/health")["learned"] == n
        assert client.json("/feedback", sent_last) == {"position": n, "new": False}
        said = client.json("/feedback", {"key": "unheard", "right": True}, status=404)["error"]
        assert "no answer with the key 'unheard' is remembered; those of the latest 10,000" in said
        client.json("/predict", {"x": "a red tulip", "key": "new"})
        label = {**message(1, kind="text"), "key": f"feedback {sent_last['key']}"}
        assert client.json("/learn", label)["new"]  # keys of labels and of feedback are apart
        model.learn_one(label["x"], label["y"])
        for wrong in ({}, {"right": 1}, {"right": True, "right_to": []}, {"right_to": ["x"]}):
            client.json("/feedback", {"key": "new", **wrong}, status=422)
        for key in range(130, 140):
            x = message(key, kind="text")["x"]
            top = client.json("/top", {"x": x})["top"][0]
            (_, p), *_ = inspection.top_one(model, x, 1)
            assert top["probability"] == pytest.approx(p, abs=1e-9)
        service.kill()
    with Service(tmp_path, MODELS["several"]()) as service:
        (tmp_path / "shop.served").rename(tmp_path / "other")
        service.start()
        said = Client(service.port).json("/feedback", {"key": "a", "right": True}, status=422)
        assert "several labels" in said["error"]


@pytest.mark.slow(but=1)
def test_a_new_category_is_known_by_its_name(tmp_path: Path) -> None:
    """Before its first example, and also after a crash."""
    open_taxonomy, words = OpenTaxonomy("/"), feature_extraction.TextViews()
    model = words | linear_model.PathSoftmax(open_taxonomy, margin=1)
    with Service(tmp_path, model, "--save", 60) as service:
        service.start()
        client = Client(service.port)
        for key, y in enumerate(["garden/rakes", "garden/spades", "toys"] * 3):
            client.json("/learn", {"key": str(key), "x": f"{y} for you", "y": y})
        named = {"key": "1", "named": ["garden", "watering_cans"], "description": "of steel"}
        for _ in range(2):
            found = client.json("/name", named)
            assert found["position"] == 10
            assert client.json("/predict", {"x": "a watering can"})["y"] == "garden/watering_cans"
            service.kill()
            service.start()
            client = Client(service.port)
        assert found["new"] is False
        for wrong, said in (
            ({"named": "garden/rakes"}, "there is a category 'garden/rakes' already"),
            ({"named": "garden/17"}, "has no name that can be learned"),
            ({"named": "boats", "on": "title"}, "expected text, got"),
            ({"named": "boats", "description": 3}, "must be a text, got 3"),
        ):
            assert said in client.json("/name", {"key": "2", **wrong}, status=422)["error"]
        assert client.json("/health")["learned"] == 10
        assert "boats" not in str(client.json("/top", {"x": "boats", "k": 9}))
    with Service(tmp_path, MODELS["several"]()) as service:
        (tmp_path / "shop.served").rename(tmp_path / "other")
        service.start()
        said = Client(service.port).json("/name", {"key": "a", "named": "b"}, status=422)["error"]
        assert "is closed" in said


@pytest.mark.slow(but=1)
def test_answers_are_those_of_the_model(service: Service, learned: list[dict[str, Any]]) -> None:
    model, _ = replayed(learned)
    client = Client(service.port)
    for x in [message(key, seed=1)["x"] for key in range(50)] + [{}, {"new": -2}]:
        for given in ({}, {"threshold": 0.9}):
            y = model.predict_one(x, **given)
            found = client.json("/predict", {"x": x, **given})
            assert found["y"] == [label for label in y if y[label]]
            assert [one["label"] for one in found["labels"]] == found["y"]
        found = client.json("/top", {"x": x, "k": 3, "leaves": True})["top"]
        expected = inspection.top_one(model, x, 3, leaves=True)
        assert [(tuple(one["path"]), one["probability"]) for one in found] == expected
        nodes = client.json("/explain", {"x": x})["nodes"]
        for node, (label, why) in zip(nodes, inspection.explain_one(model, x).items(), strict=True):
            contributions = [list(term) for term in why.contributions]
            assert node == {"label": label, **why._asdict(), "contributions": contributions}
    assert len(client.json("/top", {"x": {}})["top"]) == 5


def test_a_label_that_is_sent_again_is_not_learned_again(
    service: Service, learned: list[dict[str, Any]]
) -> None:
    client = Client(service.port)
    before = client.json("/health")["learned"]
    again = {**learned[6], "x": dict(reversed(learned[6]["x"].items()))}
    for label in (learned[6], again):
        assert client.json("/learn", label) == {"position": 7, "new": False}
    for other in ({"x": {"z": 1.0}}, {"y": "roses"}):
        found = client.json("/learn", {**learned[6], **other}, status=409)
        assert found["error"].startswith("there is another example with the key '0 6'; it is kept")
    assert client.json("/health")["learned"] == before


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
    ("/predict", {"x": 1}, 422, '"x" must be a text, an object or a list of numbers, got 1'),
    ("/predict", {"x": [1, "a"]}, 422, '"x" must be a list of numbers, got [1,'),
    ("/predict", {"x": "a text"}, 422, "put a transformer of texts"),
    ("/predict", {"x": X, "threshold": "high"}, 422, "threshold"),
    ("/predict", {"x": {"a": None}}, 422, "'a'"),
    ("/predict", {"x": {"a": "b"}}, 422, "'a'"),
    ("/predict", {"x": {"a": {}}}, 422, "'a'"),
    ("/predict", {"x": {str(i): 1 for i in range(10_001)}}, 422, "10,001 features"),
    ("/predict", {"x": [1.0] * 10_001}, 422, "10,001 features"),
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
    ("/learn", {"key": "k", "x": X, "y": [["boots", "roses"]]}, 422, "('boots', 'roses')"),
    ("/learn", {"key": "k", "x": X, "y": [None]}, 422, '"y" must be'),
    ("/learn", {"key": "k", "x": X, "y": None}, 422, '"y" must be'),
    ("/learn", {"key": "k", "x": X, "y": {"roses": True}}, 422, '"y" must be'),
    ("/learn", {"key": "k", "x": X, "y": ["roses"] * 1001}, 422, '"y" has 1,001 labels'),
    ("/nothing", {"x": X}, 404, "Not Found"),
    ("/../shop.served/checkpoint", None, 404, "Not Found"),
    ("/predict", None, 405, "Method Not Allowed"),
    ("/health", {"x": X}, 405, "Method Not Allowed"),
]


def test_what_is_refused_changes_nothing(service: Service, learned: list[dict[str, Any]]) -> None:
    client = Client(service.port)
    before = client.json("/health")
    for path, body, status, why in REFUSED:
        found, data = client.send(path, body)
        assert (found, why in json.loads(data)["error"]) == (status, True), (path, body, data)
    after = client.json("/health")
    labels = [body for path, body, *_ in REFUSED if path == "/learn" and body.get("key") == "k"]
    assert after["refused"] - before["refused"] == len(labels)
    assert after["learned"] == before["learned"]
    assert metrics_of(service)["labels_refused_total"] == after["refused"]
    assert "Traceback" not in service.said()


def test_a_client_that_leaves_in_mid_request(service: Service) -> None:
    name = 'request_seconds_count{path="/predict",status="400"}'
    before = metrics_of(service).get(name, 0)
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 99\r\n\r\n{{".encode())
    until(lambda: metrics_of(service).get(name, 0) > before)
    assert "Traceback" not in service.said()


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        (
            {"Host": "evil.example"},
            "of localhost, 127.0.0.1, shop.example, IP addresses, got 'evil",
        ),
        ({"Host": "localhost.evil.example:8080"}, "the host must be one of localhost"),
        ({"Host": ""}, "got ''"),
        ({"Host": "[::1"}, "got '[::1'"),
        ({"Host": "localhost:80", "Origin": "http://localhost:81"}, "pages of another site"),
        ({"Host": "localhost", "Origin": "null"}, "pages of another site"),
        ({"Host": "localhost", "Sec-Fetch-Site": "cross-site"}, "pages of another site"),
        ({"Host": "localhost", "Origin": "http://localhost"}, ""),
        ({"Host": "LOCALHOST:1"}, ""),
        ({"Host": "shop.example", "Origin": "https://shop.example"}, ""),
        ({"Host": "[::1]:80", "Sec-Fetch-Site": "same-origin"}, ""),
        ({"Host": "192.0.2.1:8080"}, ""),
    ],
)
@pytest.mark.parametrize("path", ["/questions", "/learn"])
def test_other_hosts_and_pages_of_other_sites_are_refused(
    service: Service, headers: dict[str, str], why: str, path: str
) -> None:
    client = Client(service.port)
    before = client.json("/health")["learned"]
    label = {"key": f"{headers}", "x": X, "y": "nothing"} if path == "/learn" else None
    status, data = client.send(path, label, **headers)
    assert status == (403 if why else 422 if label else 200)
    assert why in json.loads(data).get("error", "")
    assert client.json("/health")["learned"] == before


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


def test_metrics_count_the_requests(service: Service) -> None:
    before = metrics_of(service)
    for _ in range(40):
        Client(service.port).json("/predict", {"x": X})
        Client(service.port).json("/nothing", status=404)
    after = metrics_of(service)
    for name in (
        'request_seconds_count{path="/predict",status="200"}',
        'request_seconds_count{path="other",status="404"}',
        'request_seconds_bucket{le="+Inf",path="/predict",status="200"}',
    ):
        assert after[name] == before.get(name, 0) + 40
    assert 0 < after['request_seconds_sum{path="/predict",status="200"}'] < PATIENCE
    names = [name for name in after if "bucket" in name and 'path="/predict",status="200"' in name]
    buckets = [after[name] for name in names]
    assert buckets == sorted(buckets)
    assert len(buckets) == 11


def test_the_loss_is_that_before_learning(service: Service, learned: list[dict[str, Any]]) -> None:
    assert metrics_of(service)["loss"] == replayed(learned)[1] > 0


# Parts


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers after a second if it is asked for `/late`."""
    while (message := await receive())["type"] == "http.request" and message["more_body"]:
        pass
    await asyncio.sleep(scope["path"] == "/late")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, Any]]:
    """The port and state of a server of 4 connections, which have .3 seconds for a request."""
    monkeypatch.setattr(connections, "SLOW", 0.3)
    monkeypatch.setattr(connections, "CONNECTIONS", 5)
    server, listening = connections.server(app, "127.0.0.1", 0)
    thread = Thread(target=server.run, args=([listening],))
    thread.start()
    yield listening.getsockname()[1], server.server_state
    server.should_exit = True
    thread.join()


HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n"


@pytest.mark.parametrize("sent", [b"", HEAD, HEAD + b"\r\nhalf"], ids=["none", "head", "body"])
@pytest.mark.parametrize("slowly", [False, True])
def test_connections_without_a_complete_request_are_closed(
    impatient: tuple[int, Any], sent: bytes, slowly: bool
) -> None:
    (port, state), start, slow = impatient, time.monotonic(), []
    for _ in range(4):
        slow.append(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
        slow[-1].sendall(sent)
    until(lambda: len(state.tasks if b"half" in sent else state.connections) == 4)
    until(lambda: Client(port).send("/")[0] == 503)
    ended = False
    while slowly and not ended:  # one byte after the other
        time.sleep(0.1)
        with suppress(BrokenPipeError, ConnectionResetError):
            slow[0].sendall(sent[:1])
        with suppress(TimeoutError, ConnectionResetError):
            slow[0].settimeout(0.01)
            ended = slow[0].recv(1) == b""
    until(lambda: Client(port).send("/")[0] == 200)
    assert time.monotonic() - start < 5.0  # of an idle connection
    for connection in slow:
        with suppress(ConnectionResetError), closing(connection):
            connection.settimeout(PATIENCE)
            assert connection.recv(1) == b""


def test_connections_with_complete_requests_stay_open(
    impatient: tuple[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SLOW", 0.8)  # longer than a busy machine takes
    client = Client(impatient[0])
    client.connection.connect()
    name = client.connection.sock.getsockname()
    for path in ["/"] * 8 + ["/late"] * 2:
        time.sleep(0.2)
        assert client.send(path)[0] == 200
        assert client.connection.sock.getsockname() == name


def learn(position: int, label: Any) -> None:
    """A model that refuses an example."""
    if label == {"x": 0}:
        raise ValueError("0")


def test_a_journal_keeps_all_labels_of_a_transaction_or_none(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    journal = Journal(path)
    one, two = {"x": 1}, {"x": 2}
    found = journal.add([("a", one), ("b", {"x": 0}), ("b", two), ("a", one)], learn)
    assert [entry[:3] for entry in found] == [
        (1, True, True),
        (0, True, True),
        (2, True, True),
        (1, False, True),
    ]
    assert str(found[1].error) == "0"
    with pytest.raises(TypeError, match="not JSON serializable"):
        journal.add([("c", {"x": 3}), ("d", {"x": b""})], learn)
    assert journal.add([("d", {"x": 4}), ("b", {"x": 5})], learn) == [
        Entry(3),
        Entry(2, new=False, same=False),
    ]
    other = Journal(path)
    assert list(other.after(0)) == [(1, one), (2, two), (3, {"x": 4})]
    assert (other.start(), other.end()) == (1, 3)
    assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)  # fsync in each transaction


def test_dropped_labels_are_known_until_many_others_have_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("river_hier.serve.journal.KEYS", 3)
    journal = Journal(tmp_path / "labels.sqlite")
    journal.add([(str(i), {"x": i}) for i in range(1, 11)], learn)
    for position, n, start in [(4, 2, 3), (4, 9, 5), (4, 9, 5), (9, 9, 10)]:
        journal.drop(position, n)
        assert (journal.start(), journal.end()) == (start, 10)
        assert next(journal.after(start - 1)) == (start, {"x": start})
    for label, entry in [
        (("7", {"x": 7}), Entry(7, new=False)),
        (("8", {"x": 1}), Entry(8, new=False, same=False)),
        (("6", {"x": 6}), Entry(11)),
        (("1", {"x": 1}), Entry(12)),
    ]:
        assert journal.add([label], learn) == [entry]
    assert journal.drop(12, 99)
    assert not journal.drop(12, 99)
    assert (journal.start(), journal.end()) == (13, 12)
    assert journal.add([("new", {"x": 1})], learn) == [Entry(13)]


def test_the_file_of_a_journal_does_not_grow_without_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("river_hier.serve.journal.KEYS", 10)
    path, sizes = tmp_path / "labels.sqlite", []
    journal = Journal(path)
    with closing(journal._db):
        for first in range(0, 4000, 200):
            journal.add([(str(i), {"x": "a " * 50}) for i in range(first, first + 200)], learn)
            journal.drop(first + 200, 1000)
            journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            sizes.append(path.stat().st_size)
    assert max(sizes) == sizes[1]


def test_what_cannot_be_stored_or_fails_in_learning_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a disk that is full, or with a model that raises when it has begun to learn."""
    (tmp_path / "model").write_bytes(pickle.dumps(MODELS["text"]()))
    service = serving.Service(tmp_path / "model", tmp_path / "served", None)

    def learn() -> Any:
        return asyncio.run(service.learn("k", "word " * 9999, "roses"))

    before = pickle.dumps(service.state)
    db = service.journal._db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(HTTPException, match=r"503.*could not be stored.*full"):
        learn()
    db.execute("PRAGMA max_page_count = 1000")
    with monkeypatch.context() as patch:
        patch.setattr(serving.losses, "tree_induced_error", lambda *_: 1 / 0)
        with pytest.raises(HTTPException, match=r"422.*division"):
            learn()
    assert service.journal.end() == 0
    assert pickle.dumps(service.state) == before
    assert learn() == {"position": 1, "new": True}
    assert pickle.dumps(service.state) != before


def test_labels_whose_transaction_cannot_be_committed_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(pickle.dumps(MODELS["text"]()))
    service = serving.Service(tmp_path / "model", tmp_path / "served", None)

    async def learn(*keys: str) -> Any:
        labels = (service.learn(key, f"word {key}", "roses" * (key != "bad")) for key in keys)
        return await asyncio.gather(*labels, return_exceptions=True)

    assert asyncio.run(learn("a")) == [{"position": 1, "new": True}]
    before = pickle.dumps(service.state)
    service.journal._db.executescript(
        "PRAGMA foreign_keys = ON;"
        "CREATE TABLE others (n REFERENCES none (n) DEFERRABLE INITIALLY DEFERRED);"
        "CREATE TABLE none (n PRIMARY KEY);"
        "CREATE TRIGGER broken AFTER INSERT ON labels BEGIN INSERT INTO others VALUES (1); END;"
    )
    errors = asyncio.run(learn("b", "bad", "a", "c"))
    assert [error.status_code for error in errors] == [503] * 4
    assert "could not be stored: FOREIGN KEY" in errors[0].detail
    assert (service.journal.end(), pickle.dumps(service.state)) == (1, before)
    assert service.health().status_code == 200
    service.journal._db.execute("DROP TRIGGER broken")
    found = asyncio.run(learn("b", "c", "a"))
    assert [(one["position"], one["new"]) for one in found] == [(2, True), (3, True), (1, False)]
    state = pickle.dumps(service.state)
    service.recover()
    assert pickle.dumps(service.state) == state != before
    service.checkpoint.write_bytes(b"damaged")
    with pytest.raises(SystemExit, match="cannot be continued after 0 labels: "):
        service.recover()
    assert not service.state  # which would replace the checkpoint


def test_a_saver_of_whose_end_others_were_told_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(pickle.dumps(MODELS["text"]()))
    service = serving.Service(tmp_path / "model", tmp_path / "served", None)
    service.saver = os.getppid(), 0  # no child

    with suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(service.keep_going(0.0), 0.1))
    assert service.saver is None
    health = service.health()
    assert health.status_code == 503
    assert "could not be written: [Errno" in json.loads(bytes(health.body))["status"]


PATHS = "shop > tools > rakes", "shop > tools", "toys"
TUPLES = [tuple(path.split(" > ")) for path in PATHS]


@pytest.mark.parametrize(
    ("taxonomy", "labels"),
    [
        (Taxonomy.from_paths(PATHS, " > "), ["rakes", "tools", "toys", "root"]),
        (Taxonomy.from_paths(PATHS, " > ", labels="path"), [*PATHS, "root"]),
        (Taxonomy.from_paths(PATHS[:2], " > ", labels="path"), [*PATHS[:2], "shop"]),
        (Taxonomy.from_paths(TUPLES, labels="path"), TUPLES),
        (Taxonomy.from_paths(TUPLES[:2], labels="path"), [*TUPLES[:2], ("shop",)]),
        (OpenTaxonomy(" > "), [*PATHS, ""]),
        (OpenTaxonomy(), [*TUPLES, ()]),
    ],
)
def test_paths_in_answers_are_labels(tmp_path: Path, taxonomy: Any, labels: list[Any]) -> None:
    """Each label is predicted, and learned from its path, as from itself."""
    model = linear_model.PathSoftmax(taxonomy)
    for i, label in enumerate(labels * 5):
        model.learn_one({f"{i % len(labels)}": 1.0}, label)
    (tmp_path / "model").write_bytes(pickle.dumps(model))
    service = serving.Service(tmp_path / "model", tmp_path / "served", None)
    for i, label in enumerate(labels):
        x = {f"{i}": 1.0}
        model.learn_one(x, label)
        (answer,) = service.predict(x)["labels"]
        assert service.top(x)["top"][0]["path"] == answer["path"]
        path = json.loads(json.dumps(answer["path"]))
        assert asyncio.run(service.learn(f"{i}", x, path)) == {"position": i + 1, "new": True}
        assert answer["label"] == label
    assert pickle.dumps(service.state["model"]) == pickle.dumps(pickle.loads(pickle.dumps(model)))
    if taxonomy == OpenTaxonomy(" > "):
        grew = asyncio.run(service.learn("grew", x, "a > b"))["grew"]
        assert grew == [["a"], ["a", "b"]]
        assert "grew" not in asyncio.run(service.learn("known", x, "a > b"))
        for deep in ("a > " * 65, ["a"] * 65):
            with pytest.raises(HTTPException, match=r"422.* has 65 levels"):
                asyncio.run(service.learn("deep", x, deep))


@pytest.mark.parametrize(
    ("data", "risk", "why"),
    [
        (None, None, "No such file or directory"),
        (b"no pickle", None, "cannot be served: "),
        (pickle.dumps([1, 2]), None, "`model` must be a model in a taxonomy with `learn_one`"),
        (pickle.dumps(decision.Selective), None, "must be a model in a taxonomy"),
        (checkpoint.dumps({"model": 1}), None, "`model` must be a model in a taxonomy"),
        (checkpoint.dumps(MODELS["text"]())[:-9], None, "cannot be served: "),
        (pickle.dumps(MODELS["text"]()), 2.0, "`risk` must be"),
    ],
)
def test_what_is_no_model_is_refused_in_a_sentence(
    tmp_path: Path, data: Any, risk: Any, why: str
) -> None:
    path = tmp_path / "model.pkl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(SystemExit, match=f"^{path} cannot be served: ") as refused:
        serving.Service(path, tmp_path / "served", risk)
    assert why in str(refused.value)
    assert not (tmp_path / "served").exists()


def test_the_model_of_an_estimator_is_served(tmp_path: Path) -> None:
    model = HierarchicalClassifier().fit(["red boots", "a garden rake"] * 3, ["boots", "rakes"] * 3)
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    service = serving.Service(tmp_path / "model.pkl", tmp_path / "served", None)
    assert service.state["model"].predict_one("a rake") == "rakes"


@pytest.mark.parametrize("port", ["in use", 70_000])
def test_a_port_that_cannot_be_is_told_in_a_sentence(port: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1] if port == "in use" else port
        with pytest.raises(
            SystemExit, match=f"cannot listen at 127.0.0.1, port {number}: .*--port"
        ):
            connections.server(None, "127.0.0.1", number)


@pytest.mark.slow(but=1)
def test_a_risk_gives_inner_nodes(tmp_path: Path) -> None:
    """The answers are those of `Selective`, also after a restart."""
    labels, shown = [message(key, kind="text") for key in range(60)], set()
    with Service(tmp_path, MODELS["text"](), "--risk", 0.1) as service:
        expected = decision.Selective(MODELS["text"](), risk=0.1)
        for first in (0, 10):
            service.start()
            client = Client(service.port)
            for label in labels[first : first + 10]:
                client.json("/learn", label)
                expected.learn_one(label["x"], label["y"])
            answers = [client.json("/predict", {"x": label["x"]})["y"] for label in labels]
            assert answers == [expected.predict_one(label["x"]) for label in labels]
            shown.update(answers)
            assert service.stop() == 0
    assert {"shop", "tools", "boots"} < shown  # the root, a node with children, leaves


def test_a_risk_of_a_model_that_fit_has_made_begins_with_the_first_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the rows that were held out; without them, the first answers are the root."""
    labels = [message(key, kind="text") for key in range(300)]
    table = tmp_path / "shop.jsonl"
    table.write_text("\n".join(json.dumps({"text": m["x"], "label": m["y"]}) for m in labels))
    monkeypatch.setattr(sys, "argv", ["fit", str(table)])
    fit.main()
    state = checkpoint.load(tmp_path / "shop.model")
    careful = decision.Selective(state["model"], risk=0.1)
    assert careful.predict_one(labels[0]["x"]) == careful.taxonomy_.root
    careful.calibrate(state["held_out"])
    with Service(tmp_path, state, "--risk", 0.1) as service:
        service.start()
        answers = [Client(service.port).json("/predict", {"x": m["x"]})["y"] for m in labels[:50]]
    assert answers == [careful.predict_one(m["x"]) for m in labels[:50]]
    assert len(set(answers)) > 3
