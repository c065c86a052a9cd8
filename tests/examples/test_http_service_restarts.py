"""The HTTP service under load, and what is left of its labels after kill -9."""

import http.client
import json
import random
import sys
import threading
import time
from functools import partial

import pytest

from river_hier import checkpoint
from river_hier.base.classifiers import last_step
from support.http_service import Client, Service, killed_at, with_ignored_signals, without_forks
from support.processes import KILLS, PATIENCE, run_commands_of, until
from support.requirements import require_module, require_program
from support.shop_labels import MODELS, as_learned, journal_of, message, same_as_replayed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
require_module("prometheus_client", "serving")

# Restarts


@pytest.mark.slow(but=1)
def test_what_does_not_belong_together_is_refused(tmp_path):
    with Service(tmp_path, MODELS["several"]()) as service:
        service.start()
        Client(service.port).json("/learn", message(1))
        assert service.stop() == 0
        same_as_replayed(service)
        journal = "another journal: it has the labels after 0 up to 0, and the checkpoint is at 1"
        service.arguments.extend(["--risk", "0.1"])
        service.start(ready=False)
        assert service.ended() == 1
        assert "another model, risk or budget" in service.said()
        for path in service.served.glob("labels.sqlite*"):
            path.unlink()
        service.start(ready=False)
        assert service.ended() == 1
        assert journal in service.said()


def test_a_checkpoint_that_cannot_be_written_is_tried_again(tmp_path):
    with Service(tmp_path, MODELS["several"](), "--save", 0.1) as service:
        service.start()
        path = service.served / "checkpoint"
        path.rename(tmp_path / "kept")
        path.mkdir()
        client = Client(service.port)
        client.json("/learn", message(1))
        until(lambda: "is a folder" in service.said())
        until(lambda: client.send("/health")[0] == 503)
        assert client.json("/health", status=503)["learned"] == 1
        path.rmdir()
        until(lambda: client.send("/health")[0] == 200)
        assert client.json("/health")["saved"] == 1
        assert service.stop() == 0
        same_as_replayed(service)


CALLS = (
    "river_hier.serve.service:Service.recover",  # when it starts
    "river_hier.serve.service:Service._learn",
    "river_hier.serve.journal:Journal.add",
    "river_hier.serve.service:Service.reap",  # in each tick
    "river_hier.serve.journal:Journal.drop",
    "river_hier.serve.service:Service._fork",
    "river_hier.checkpoint.save",  # in the process that saves
    "os.replace",
)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("call", "new"), [(call, n) for call in CALLS for n in (0, 3) if n or "add" not in call]
)
def test_each_label_is_learned_once_wherever_it_is_killed(tmp_path, call, when, new):
    """Several times in a row, with and without new labels in between."""
    with Service(tmp_path, MODELS["several"](), "--save", 1000) as service:
        client, learned, reached = Client(service.port), 0, False

        def rests(process, end, saves):
            """Whether it is dead, or cannot save, or has nothing left to save and to drop."""
            nonlocal learned, reached
            try:
                while learned < end:
                    client.json("/learn", message(learned))
                    learned += 1
                status, health = client.send("/health")
            except (OSError, http.client.HTTPException):
                reached |= not process.is_alive()
                return not process.is_alive()
            reached |= status == 503  # it is the process that saves
            saved = json.loads(health)["saved"] == learned
            dropped = not any(text for *_, text in journal_of(service))
            return not saves or status == 503 or (saved and dropped)

        for first, killed in [(5, ""), (new, when), (new, when), (new, ""), (new, when)]:
            service.arguments[-1] = 0.05 if killed else 1000
            service.start(*[killed_at, call, killed][: 3 * bool(killed)], ready=False)
            until(partial(rests, service.process, learned + first, killed))
            service.kill(whole=False)
        assert reached
        service.start()
        client = Client(service.port)
        for key in range(learned + 1):  # the last one may not have been acknowledged
            answer = client.json("/learn", message(key))
            assert answer["position"] == key + 1
            assert not answer["new"] or key == learned
        assert service.stop() == 0
        assert [key for _, key, _ in journal_of(service)] == [f"0 {i}" for i in range(learned + 1)]
        same_as_replayed(service)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("state", ["no process", "ignored signals"])
def test_saving_goes_on(tmp_path, state):
    """Also if no process could be started once, or the service inherits an ignored SIGCHLD."""
    with Service(tmp_path, MODELS["several"](), "--save", 0.05) as service:
        (tmp_path / "no forks").touch()
        service.start(without_forks if state == "no process" else with_ignored_signals)
        client = Client(service.port)
        client.json("/learn", message(0))
        if state == "no process":
            until(lambda: client.send("/health")[0] == 503)
            assert "no more processes" in client.json("/health", status=503)["status"]
            (tmp_path / "no forks").unlink()
        for learned in (1, 2):
            until(lambda n=learned: json.loads(client.send("/health")[1])["saved"] == n)
            assert client.json("/health")["status"] == "ok"
            client.json("/learn", message(learned))
        assert service.stop() == 0
        same_as_replayed(service)


class Sender(threading.Thread):
    """Sends labels until each is acknowledged, some of them twice, and asks for predictions."""

    def __init__(self, port, seed, kind):
        super().__init__()
        self.port, self.seed, self.kind = port, seed, kind
        self.acknowledged = []
        self.failures = 0
        self.stopping = False
        self.unexpected = []

    def run(self):
        client, key, rng = Client(self.port), 0, random.Random(self.seed)
        while not self.stopping:
            label = message(key, self.seed, self.kind)
            refused = {**label, "key": f"{label['key']} refused", "y": {"none": 1}}
            try:
                status, data = client.send("/learn", label)
                again = client.send("/learn", label) if rng.random() < 0.2 else (200, b"{}")
                bad = client.send("/learn", refused) if rng.random() < 0.2 else (422, b"")
                shown = client.send("/predict", {"x": label["x"]})
            except (OSError, http.client.HTTPException):
                self.failures += 1
                time.sleep(0.01)
                continue  # and send the same label again
            statuses = status, again[0], bad[0], shown[0]
            if statuses != (200, 200, 422, 200) or b"true" in again[1]:
                self.unexpected.append((status, data, again, bad, shown))
            self.acknowledged.append(label["key"])
            key += 1


def expected(model, x):
    """The answer to a request, from what the model says to a program."""
    y, taxonomy = model.predict_one(x), last_step(model).taxonomy_
    found = [label for label in y if y[label]] if isinstance(y, dict) else [y]
    try:
        p = model.predict_proba_one(x)
    except NotImplementedError:  # of Hieron, which has scores
        p = None

    def probability(v):
        if p is None or isinstance(y, dict):
            return p and p[v][True]
        return pytest.approx(sum(p[u] for u in p if v in taxonomy.path(u)))

    names = {v: v if isinstance(v, tuple) else taxonomy.path(v) for v in found}
    labels = [{"label": v, "path": names[v]} for v in found]
    shown = json.loads(json.dumps({"y": found if isinstance(y, dict) else y, "labels": labels}))
    for v, one in zip(found, shown["labels"], strict=True):
        one["probability"] = probability(v)
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_service_killed_under_load(tmp_path, kind):
    """While three clients send labels, all four models."""
    with Service(tmp_path, MODELS[kind](), "--save", 0.1) as service:
        service.start()
        senders = [Sender(service.port, seed, kind) for seed in range(3)]
        for sender in senders:
            sender.start()
        try:
            for kill in range(KILLS):
                n = 10 + max(len(sender.acknowledged) for sender in senders)
                until(lambda n=n: all(len(sender.acknowledged) > n for sender in senders))
                service.kill(whole=kill % 2 > 0)
                service.start()
        finally:
            for sender in senders:
                sender.stopping = True
            for sender in senders:
                sender.join(PATIENCE)
        service.kill()
        service.start()
        assert [sender.unexpected for sender in senders] == [[], [], []]
        assert sum(sender.failures for sender in senders) > 0
        acknowledged = [key for sender in senders for key in sender.acknowledged]
        client = Client(service.port)
        client.json("/learn", {"key": "k", "x": None, "y": "boots"}, status=422)
        health = client.json("/health")
        assert health["refused"] == 1
        assert health["last_refusal"].startswith('"x" must be a text, an object or a list')
        labels = [message(key, 9, kind) for key in range(20)]
        answers = [client.json("/predict", {"x": label["x"]}) for label in labels]
        assert service.stop() == 0
        rows = [key for _, key, _ in journal_of(service)]
        assert len(rows) == len(set(rows)) == health["learned"]
        assert set(acknowledged) <= set(rows)  # nothing is lost
        assert len(rows) <= len(acknowledged) + len(senders)  # and nothing else is there
        model = same_as_replayed(service, kind)
        for label, answer in zip(labels, answers, strict=True):
            assert answer == expected(model, as_learned(label, kind)[0])


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    require_program("curl")
    blocks, printed, errors = run_commands_of("serving.md", "8080", tmp_path)
    assert (len(blocks), errors) == (2, "")
    served, learned, predicted, top, explained, refused, *rest = printed
    assert served.startswith("PathSoftmax with 6 nodes at http://127.0.0.1:")
    assert learned.endswith('{"position": 1, "new": true}')  # after the health
    (label,) = json.loads(predicted)["labels"]
    assert label["path"] == ["shop", "garden", "rakes"]
    assert len(json.loads(top)["top"]) == 2
    assert len(json.loads(explained)["nodes"]) > 3
    assert "'tulips' is not in the taxonomy" in json.loads(refused)["error"]
    assert "river_hier_labels_learned_total 1.0" in rest
    assert checkpoint.load(tmp_path / "model.served" / "checkpoint")["position"] == 1
