"""Edits over HTTP, and the log from which a new model is trained, edits included."""

import json
import pickle
import sys
from pathlib import Path

import pytest

from river_hier import Taxonomy, feature_extraction, linear_model
from support.http_service import Client, Service
from support.processes import until
from support.requirements import require_module

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
require_module("prometheus_client", "serving")
from river_hier.serve import service as serving  # noqa: E402
from river_hier.serve.journal import Journal, Log  # noqa: E402

T = Taxonomy.from_nested({"shop": {"garden": ["rakes", "spades"], "toys": ["kites"]}})
EDIT = {"key": "1", "changes": [{"merge": ["rakes", "spades"], "to": "tools"}]}
LABELS = ["rakes", "spades", "kites"] * 3
AFTER = ["tools", "rakes", "kites"]


def model():
    return feature_extraction.TextViews() | linear_model.PathSoftmax(T, margin=1)


def learned():
    """What the service must have learned."""
    ours = model()
    for i, y in enumerate(LABELS):
        ours.learn_one(f"{y} for you {i}", y)
    last = ours["PathSoftmax"]
    last.adopt(T.edit(EDIT["changes"]))
    for y in AFTER:
        ours.learn_one(f"{y} are new", y)
    return ours


def send(client):
    for i, y in enumerate(LABELS):
        client.json("/learn", {"key": str(i), "x": f"{y} for you {i}", "y": y})
    edited = client.json("/edit", EDIT)
    for y in AFTER:
        client.json("/learn", {"key": y, "x": f"{y} are new", "y": y})
    return edited


def assert_learned(client):
    ours = learned()
    for x in ("a rake", "spades", "kites and toys"):
        p = ours.predict_proba_one(x)
        for top in client.json("/top", {"x": x, "k": 3})["top"]:
            assert p[top["path"][-1]] == pytest.approx(top["probability"])


@pytest.mark.slow(but=1)
def test_an_edit_is_learned_once_and_in_its_place(tmp_path: Path) -> None:
    with Service(tmp_path, model(), "--save", 60) as service:
        service.start()
        client = Client(service.port)
        assert send(client) == {"position": 10, "new": True}
        for wrong, said in (
            ({"changes": [{"retire": "toy"}]}, "change 0, {'retire': 'toy'}: label 'toy' is not"),
            ({"changes": {"retire": "toys"}}, "must be a list"),
            ({"changes": [], "old_labels": 1}, "true or false"),
        ):
            assert said in client.json("/edit", {"key": "2", **wrong}, status=422)["error"]
        assert_learned(client)
        service.kill()
        service.start()
        client = Client(service.port)
        assert client.json("/edit", EDIT) == {"position": 10, "new": False}
        assert client.json("/health")["learned"] == 13
        assert_learned(client)


@pytest.mark.slow(but=1)
def test_a_new_model_is_trained_from_the_log(tmp_path: Path) -> None:
    """Also if its last line was cut off when the service was killed."""
    log = tmp_path / "labels.jsonl"
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    with Service(tmp_path / "first", model(), "--save", 60, "--log", log) as service:
        service.start()
        client = Client(service.port)
        send(client)
        service.kill()
        lines = log.read_text().splitlines(keepends=True)
        assert [json.loads(line)["position"] for line in lines] == list(range(1, 14))
        log.write_text("".join(lines)[:-9])
        service.start()
        client = Client(service.port)
        assert client.json("/learn", {"key": "0", "x": "rakes for you 0", "y": "rakes"})
        assert service.stop() == 0
    assert log.read_text() == "".join(lines)
    for _ in range(2):  # the second time everything is known
        with Service(tmp_path / "second", model(), "--replay", log) as service:
            service.start()
            client = Client(service.port)
            assert client.json("/health")["learned"] == 13
            assert_learned(client)
            assert service.stop() == 0


def test_labels_wait_in_the_journal_for_the_log(tmp_path: Path) -> None:
    """A checkpoint covers them, and the log has none of them yet."""
    log = tmp_path / "labels.jsonl"
    with Service(tmp_path, model(), "--save", 0.05, "--log", log) as service:
        service.start()
        client = Client(service.port)
        send(client)
        until(lambda: client.json("/health")["saved"] == 13)
        until(lambda: Journal(service.served / "labels.sqlite").start() == 14)
    assert len(log.read_text().splitlines()) == 13


def test_a_log_holds_each_label_of_its_journal_once(tmp_path: Path) -> None:
    journal, path = Journal(tmp_path / "journal"), tmp_path / "log"
    log = Log(path, journal)
    for i in range(3):
        journal.add([(str(i), {"x": i})], lambda *_: None)
    log.extend()
    log.extend()
    whole = path.read_text()
    assert whole.count("\n") == 3
    for cut in range(len(whole)):
        path.write_text(whole[:cut])
        Log(path, journal)
        assert path.read_text() == whole
    with pytest.raises(ValueError, match="is no log of this journal"):
        Log(path, Journal(tmp_path / "other"))


def test_a_log_that_is_cut_off_or_none(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(pickle.dumps(model()))
    service, log = serving.Service(tmp_path / "model", tmp_path / "served", None), tmp_path / "log"
    entry = {"position": 1, "key": "0", "x": "rakes", "y": "rakes"}
    log.write_text(f'{json.dumps(entry)}\n{{"posi')
    service.replay(log)
    assert service.state["position"] == 1
    for line in ("[1]", "{}", "no JSON"):
        log.write_text(f"{json.dumps(entry)}\n{line}\n")
        with pytest.raises(SystemExit, match="log cannot be replayed: line 2 is no entry of a log"):
            service.replay(log)
