"""`river_hier.serve`: its answers, what it refuses, and what is left after kill -9."""

from __future__ import annotations

import asyncio
import copy
import http.client
import json
import os
import pickle
import random
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    checkpoint,
    ensemble,
    feature_extraction,
    inspection,
    linear_model,
    metrics,
)
from support.http_service import Client, Service
from support.processes import PATIENCE, run_commands_of, until
from support.requirements import require_module, require_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are awaited in /proc")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
from starlette.exceptions import HTTPException  # noqa: E402

from river_hier.serve.journal import Entry, Journal  # noqa: E402
from river_hier.serve.service import Service as Service_  # noqa: E402

SHOP = {
    "clothes": {"shoes": ["boots", "sandals"], "coats": ["parkas", "capes"]},
    "garden": {"tools": ["spades", "rakes"], "plants": ["roses", "ferns"]},
}
TAXONOMY = Taxonomy.from_nested({"shop": SHOP})
# What is served: the model, and an example of a leaf as it is sent.
MODELS: dict[str, tuple[Any, Any]] = {
    "README": (
        feature_extraction.LogTFIDF() | linear_model.PathSoftmax(TAXONOMY),
        lambda leaf, rng: (f"some {leaf} {rng.randrange(50)}", leaf),
    ),
    "DensePool": (
        ensemble.DensePool(n_components=20),
        lambda leaf, rng: ([rng.gauss(ord(c) % 7, 1.0) for c in leaf[:3]], leaf),
    ),
    "HAROW": (
        linear_model.HAROW(TAXONOMY),
        lambda leaf, rng: ({f"is {leaf}": 1.0, f"noise {rng.randrange(50)}": rng.random()}, [leaf]),
    ),
    "open": (
        linear_model.PathSoftmax(OpenTaxonomy()),
        lambda leaf, rng: ({leaf: 1.0, "noise": rng.random()}, list(TAXONOMY.path(leaf)[1:])),
    ),
}


def message(name: str, key: int, seed: int = 0) -> dict[str, Any]:
    """A label with its example."""
    rng = random.Random(seed * 1_000_003 + key)
    x, y = MODELS[name][1](rng.choice(TAXONOMY.leaves), rng)
    return {"key": f"{seed} {key}", "x": x, "y": y}


def read(label: dict[str, Any], several: bool) -> tuple[Any, Any]:
    """The example and the label as Python has them."""
    x, y = label["x"], label["y"]
    y = set(y) if several else tuple(y) if isinstance(y, list) else y
    return np.array(x) if isinstance(x, list) else x, y


def learned(name: str, labels: list[dict[str, Any]]) -> tuple[Any, float]:
    """What a learner makes of labels that are sent one after the other, and its loss."""
    model, loss = copy.deepcopy(MODELS[name][0]), 0.0
    for label in labels:
        x, y = read(label, name == "HAROW")
        answer = model.predict_one(x)
        model.learn_one(x, y)
        t = (model["PathSoftmax"] if name == "README" else model).taxonomy_
        metric = metrics.HLoss(t) if name == "HAROW" else metrics.TreeInducedError(t)
        metric.update(y, t.root if answer is None else answer)
        loss += metric.get()
    return model, loss


def same_as_replayed(name: str, service: Service) -> int:
    """The checkpoint is that of one program that learns all labels, to the last bit."""
    with closing(sqlite3.connect(service.folder / "served" / "labels.sqlite")) as db:
        keys = [key for (key,) in db.execute("SELECT key FROM labels ORDER BY position")]
    state = service.state
    assert state["position"] == len(keys)
    labels = [message(name, int(key.split()[1]), int(key.split()[0])) for key in keys]
    model, loss = learned(name, labels)
    assert state["loss"] == pytest.approx(loss)
    for key in range(50):
        x = read(message(name, key), False)[0]
        assert state["model"].predict_proba_one(x) == model.predict_proba_one(x)
    return len(keys)


# Under load


class Sender(threading.Thread):
    """Sends labels until each is acknowledged, some of them twice, and asks for predictions."""

    def __init__(self, name: str, port: int, seed: int) -> None:
        super().__init__()
        self.model, self.port, self.seed = name, port, seed
        self.acknowledged = self.failures = 0
        self.stopping = False
        self.unexpected: list[Any] = []

    def run(self) -> None:
        client, rng = Client(self.port), random.Random(self.seed)
        while not self.stopping:
            label = message(self.model, self.acknowledged, self.seed)
            try:
                status, data = client.send("/learn", label)
                again = client.send("/learn", label) if rng.random() < 0.2 else (200, b"{}")
                shown = client.send("/predict", {"x": label["x"]})
            except (OSError, http.client.HTTPException):
                self.failures += 1
                time.sleep(0.01)
                continue  # and send the same label again
            if (status, again[0], shown[0]) != (200, 200, 200) or b"true" in again[1]:
                self.unexpected.append((status, data, again, shown))
            self.acknowledged += 1


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", MODELS)
def test_killed_under_load(name: str, tmp_path: Path) -> None:
    """Twenty times in all: no label that was acknowledged is lost or learned twice."""
    rng = random.Random(7)
    with Service(tmp_path, MODELS[name][0], "--save", 0.05, forks=True) as service:
        service.start()
        senders = [Sender(name, service.port, seed) for seed in range(3)]
        for sender in senders:
            sender.start()
        for kill in range(5):
            time.sleep(rng.uniform(0.05, 0.6))
            service.kill()
            service.start(ready=kill % 3 > 0)  # or killed while it starts
        until(service.answers, service.said)
        for sender in senders:
            sender.stopping = True
        for sender in senders:
            sender.join(PATIENCE)
        service.stop()
        assert [sender.unexpected for sender in senders] == [[], [], []]
        assert sum(sender.failures for sender in senders) > 0
        rows, acknowledged = same_as_replayed(name, service), sum(s.acknowledged for s in senders)
        assert acknowledged <= rows <= acknowledged + len(senders)
        assert acknowledged > 10


# Answers


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One that has learned 100 labels."""
    folder = tmp_path_factory.mktemp("service")
    with Service(folder, MODELS["HAROW"][0], "--save", 0.05) as service:
        service.start()
        client = Client(service.port)
        for position in range(1, 101):
            label = message("HAROW", position)
            assert client.json("/learn", label) == {"position": position, "new": True}
        yield service


def test_answers_are_those_of_the_model(service: Service) -> None:
    model, loss = learned("HAROW", [message("HAROW", key) for key in range(1, 101)])
    client = Client(service.port)
    for x in [message("HAROW", key, seed=1)["x"] for key in range(20)] + [{}, {"new": -2}]:
        for threshold in (None, 0.3):
            on = model.predict_one(x, threshold=threshold)
            found = client.json("/predict", {"x": x, "threshold": threshold})
            assert found["y"] == [label for label in on if on[label]]
            p = model.predict_proba_one(x)
            for v in found["labels"]:
                assert tuple(v["path"]) == TAXONOMY.path(v["label"])
                assert v["probability"] == p[v["label"]][True]
        top = client.json("/top", {"x": x, "k": 3, "leaves": True})["top"]
        expected = inspection.top_one(model, x, 3, leaves=True)
        assert [(tuple(one["path"]), one["probability"]) for one in top] == expected
        nodes = client.json("/explain", {"x": x})["nodes"]
        for node, (label, why) in zip(nodes, model.explain_one(x).items(), strict=True):
            contributions = [list(term) for term in why.contributions]
            assert node == {"label": label, **why._asdict(), "contributions": contributions}
    assert metrics_of(service)["loss"] == pytest.approx(loss / 100)
    assert len(client.json("/top", {"x": {}})["top"]) == 5


def test_one_label_with_its_path_and_a_risk(tmp_path: Path) -> None:
    with Service(tmp_path, MODELS["README"][0], "--risk", 0.2) as service:
        service.start()
        client = Client(service.port)
        for key in range(60):
            client.json("/learn", message("README", key))
        found = client.json("/predict", {"x": "some roses"})
        model, p = service, client.json("/top", {"x": "some roses", "k": 15})["top"]
        below = [one["probability"] for one in p if found["y"] in one["path"]]
        (label,) = found["labels"]
        assert label["path"] == list(TAXONOMY.path(found["y"]))
        assert label["probability"] == pytest.approx(sum(below))
        sure = client.json("/predict", {"x": "some roses", "threshold": 0.999})
        assert sure["y"] in TAXONOMY.path(found["y"])
        assert client.json("/learn", {"key": "k", "x": "a", "y": ["shirt"]}, 422)["error"]
        assert model.stop() == 0
        assert type(model.state["model"]).__name__ == "Selective"


def metrics_of(service: Service) -> dict[str, float]:
    status, text = Client(service.port).send("/metrics")
    assert status == 200
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
    pairs = (line.rsplit(" ", 1) for line in lines)
    return {name.removeprefix("river_hier_"): float(value) for name, value in pairs}


def test_a_label_that_is_sent_again_is_not_learned_again(service: Service) -> None:
    client, label = Client(service.port), message("HAROW", 7)
    for again in (label, {**label, "x": dict(reversed(label["x"].items()))}):
        assert client.json("/learn", again) == {"position": 7, "new": False}
    for other in ({"x": {"z": 1.0}}, {"y": "roses"}):
        found = client.json("/learn", {**label, **other}, status=409)
        assert found["error"] == "there is another example with the key '0 7'; it is kept"
    assert client.json("/health")["learned"] == 100


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
    ("/predict", {"x": ["a"]}, 422, '"x" must be a list of numbers, got'),
    ("/predict", {"x": {"a": None}}, 422, "'a'"),
    ("/predict", {"x": {"a": "b"}}, 422, "'a'"),
    ("/predict", {"x": {"a": {}}}, 422, "'a'"),
    ("/predict", {"x": {str(i): 1 for i in range(10_001)}}, 422, "10,001 features"),
    ("/predict", {"x": [0] * 10_001}, 422, "10,001 features"),
    ("/predict", {"x": "a text"}, 422, "LogTFIDF() | model"),
    ("/predict", {"x": X, "threshold": 2}, 422, "threshold"),
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
    ("/learn", {"key": "k", "x": X, "y": [["roses", "a"]]}, 422, "roses"),
    ("/learn", {"key": "k", "x": X, "y": None}, 422, "None"),
    ("/learn", {"key": "k", "x": X, "y": {"roses": True}}, 422, "dict"),
    ("/learn", {"key": "k", "x": X, "y": ["roses"] * 1001}, 422, "1,001 labels"),
    ("/nothing", {"x": X}, 404, "Not Found"),
    ("/../served/checkpoint", None, 404, "Not Found"),
    ("/predict", None, 405, "Method Not Allowed"),
    ("/health", {"x": X}, 405, "Method Not Allowed"),
]


def test_what_is_refused_changes_nothing(service: Service) -> None:
    client = Client(service.port)
    before = client.json("/health")
    for path, body, status, why in REFUSED:
        found, data = client.send(path, body)
        assert (found, why in json.loads(data)["error"]) == (status, True), (path, body, data)
    after = client.json("/health")
    assert after["learned"] == before["learned"]
    assert after["refused"] - before["refused"] == sum(
        (path, status) == ("/learn", 422) and '"key"' not in why and "ASCII" not in why
        for path, _, status, why in REFUSED
    )
    assert "1,001 labels" in after["last_refusal"]
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


def test_metrics_count_the_requests_in_all(service: Service) -> None:
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


# The journal, and files


def test_a_journal_keeps_all_labels_of_a_transaction_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("river_hier.serve.journal.KEYS", 3)
    journal, seen = Journal(tmp_path / "labels.sqlite"), list[Any]()

    def learn(position: int, label: Any) -> None:
        if label == "bad":
            raise ValueError("refused")
        seen.append((position, label))

    first, second, again, bad, last = journal.add(
        [("a", 1), ("b", 2), ("a", 1), ("c", "bad"), ("d", 4)], learn
    )
    assert (first, second, again, last) == (Entry(1), Entry(2), Entry(1, new=False), Entry(3))
    assert str(bad.error) == "refused"
    with pytest.raises(TypeError, match="not JSON serializable"):
        journal.add([("e", 5), ("f", b"")], learn)
    assert journal.add([("c", 3), ("b", 5)], learn) == [Entry(4), Entry(2, False, False)]
    assert list(Journal(tmp_path / "labels.sqlite").after(1)) == [(2, 2), (3, 4), (4, 3)]
    assert seen == [(1, 1), (2, 2), (3, 4), (4, 5), (4, 3)]
    assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)  # fsync in each transaction
    # Dropped labels are known until many others have come.
    journal.add([(str(i), i) for i in range(5, 11)], learn)
    for position, n, start in [(6, 4, 5), (6, 9, 7), (6, 9, 7), (9, 9, 10)]:
        journal.drop(position, n)
        assert (journal.start(), journal.end()) == (start, 10)
        assert next(journal.after(start - 1)) == (start, start)
    assert journal.add([("7", 7), ("8", 1), ("6", 6)], learn) == [
        Entry(7, new=False),
        Entry(8, False, False),
        Entry(11),
    ]
    assert journal.drop(11, 99)
    assert not journal.drop(11, 99)
    assert (journal.start(), journal.end()) == (12, 11)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """What could not be stored is not acknowledged, and the model has not learned it."""
    checkpoint.save(MODELS["README"][0], tmp_path / "model")
    service = Service_(tmp_path / "model", tmp_path / "served", None)
    db = service.journal._db

    def learn(key: str, n: int, y: str = "roses") -> Any:
        class Request:
            headers = {"content-type": "application/json"}  # noqa: RUF012

            async def stream(self) -> Any:
                yield json.dumps({"key": key, "x": "word " * n, "y": y}).encode()

        return asyncio.run(service.learn(Request()))  # type: ignore[arg-type]

    learn("a", 1)
    before = pickle.dumps(service.state["model"])
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(HTTPException, match=r"503.*could not be stored.*full"):
        learn("b", 9999)
    assert pickle.dumps(pickle.loads(pickle.dumps(service.state["model"]))) == pickle.dumps(
        pickle.loads(before)
    )
    # So it is if the model fails when a transformer in front of it has learned.
    db.execute("PRAGMA max_page_count = 1000")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_model.PathSoftmax, "learn_one", breaking)
        with pytest.raises(HTTPException, match=r"422.*broken"):
            learn("c", 9, "ferns")
    assert service.state["position"] == service.journal.end() == 1
    assert json.loads(learn("b", 9999).body) == {"position": 2, "new": True}


def breaking(
    self: Any, x: Any, y: Any, learn_one: Any = linear_model.PathSoftmax.learn_one
) -> None:
    if y == "ferns":
        raise RuntimeError("broken")
    learn_one(self, x, y)


def test_a_checkpoint_that_cannot_be_written_is_told_and_tried_again(tmp_path: Path) -> None:
    with Service(tmp_path, MODELS["HAROW"][0], "--save", 0.1) as service:
        service.start()
        client, path = Client(service.port), tmp_path / "served" / "checkpoint"
        path.rename(tmp_path / "away")
        path.mkdir()
        client.json("/learn", message("HAROW", 1))
        until(lambda: client.send("/health")[0] == 503)
        assert "is a folder" in service.said()
        assert "could not be written" in client.json("/health", status=503)["status"]
        path.rmdir()
        until(lambda: client.send("/health")[0] == 200)
        assert service.stop() == 0
        assert same_as_replayed("HAROW", service) == 1
        # Another journal, and another model, are refused.
        (tmp_path / "served" / "labels.sqlite").rename(tmp_path / "journal")
        expected = "another journal: it has the labels after 0 up to 0, and the checkpoint is at 1"
        for said in (expected, "continues another model"):
            service.start(ready=False)
            assert service.process.wait(PATIENCE) == 1
            assert said in service.said()
            (tmp_path / "journal").replace(tmp_path / "served" / "labels.sqlite")
            checkpoint.save(MODELS["README"][0], tmp_path / "model")
            (tmp_path / "journal").touch()


# The page


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    require_program("curl")
    blocks, printed, errors = run_commands_of("serving.md", "8080", tmp_path)
    assert (len(blocks), errors) == (2, "")
    learned, predicted, top, explained, *rest = printed
    assert learned.endswith('{"position": 1, "new": true}')  # after the health
    assert json.loads(predicted)["y"] == "boot"
    assert len(json.loads(top)["top"]) == 3
    assert json.loads(explained)["nodes"][0]["label"] == "shop"
    assert "river_hier_labels_learned_total 1" in rest
    assert checkpoint.load(tmp_path / "shop.served" / "checkpoint")["position"] == 1
