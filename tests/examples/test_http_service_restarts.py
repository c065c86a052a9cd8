"""The HTTP service under load, and what is left of its labels after kill -9."""

import http.client
import json
import random
import sys
import threading
import time

import pytest

from river_hier import checkpoint
from river_hier.base.classifiers import last_step
from support.http_service import Client, Service
from support.processes import KILLS, PATIENCE, run_commands_of, until
from support.requirements import require_module, require_program
from support.shop_labels import MODELS, as_learned, journal_of, message, same_as_replayed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")
require_module("starlette", "serving")
require_module("uvicorn", "serving")

# Restarts


def test_what_does_not_belong_together_is_refused(tmp_path):
    with Service(tmp_path, MODELS["several"]()) as service:
        service.start()
        Client(service.port).json("/learn", message(1))
        assert service.stop() == 0
        same_as_replayed(service)
        journal = "another journal: it has the labels after 0 up to 0, and the checkpoint is at 1"
        for change, expected in [
            (lambda: service.command.extend(["--risk", "0.1"]), "another model, risk or budget"),
            (lambda: (service.served / "labels.sqlite").unlink(), journal),
        ]:
            change()
            service.start(ready=False)
            assert service.process.wait(PATIENCE) == 1
            assert expected in service.said()


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

    labels = [{"label": v, "path": taxonomy.path(v)} for v in found]
    shown = json.loads(json.dumps({"y": found if isinstance(y, dict) else y, "labels": labels}))
    for v, one in zip(found, shown["labels"], strict=True):
        one["probability"] = probability(v)
    return shown


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kind", MODELS)
def test_service_killed(tmp_path, kind):
    """At random moments, while it learns, saves or starts: 20 times in all four models."""
    rng = random.Random(7)
    with Service(tmp_path, MODELS[kind](), "--save", 0.1) as service:
        service.start()
        senders = [Sender(service.port, seed, kind) for seed in range(3)]
        for sender in senders:
            sender.start()
        try:
            for kill in range(max(KILLS, 5)):
                time.sleep(rng.uniform(0, 0.5))
                service.kill(whole=kill % 2 > 0)
                service.start(ready=kill % 3 != 1)  # or killed while it starts
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
        print(
            f"{kill + 1} kills, {len(rows):,} labels, {sum(s.failures for s in senders):,} failures"
        )


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    require_program("curl")
    blocks, printed, errors = run_commands_of("serving.md", "8080", tmp_path)
    assert (len(blocks), errors) == (2, "")
    learned, predicted, top, explained, refused, *rest = printed
    assert learned.endswith('{"position": 1, "new": true}')  # after the health
    (label,) = json.loads(predicted)["labels"]
    assert label["path"] == ["shop", "garden", "rakes"]
    assert len(json.loads(top)["top"]) == 2
    assert len(json.loads(explained)["nodes"]) > 3
    assert "'tulips' is not in the taxonomy" in json.loads(refused)["error"]
    assert "river_hier_labels_learned_total 1" in rest
    assert checkpoint.load(tmp_path / "model.served" / "checkpoint")["position"] == 1


def test_labels_that_are_replayed_are_kept_until_a_checkpoint_has_them(tmp_path):
    with Service(tmp_path, MODELS["several"](), "--save", 0.1) as service:
        service.start()
        for key in range(5):
            Client(service.port).json("/learn", message(key))
        service.kill()
        service.start()
        until(lambda: Client(service.port).json("/health")["saved"] == 5)
        assert service.stop() == 0
        same_as_replayed(service)
