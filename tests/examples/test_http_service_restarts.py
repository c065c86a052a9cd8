"""The HTTP service under load, and what is left of its labels after kill -9."""

import http.client
import json
import os
import random
import signal
import sys
import threading
import time

import pytest

from river_hier import checkpoint
from support.http_service import KILLS, Client, Service
from support.processes import PATIENCE, run_commands_of, until
from support.requirements import require_module, require_program
from support.shop_labels import journal_of, message, same_as_replayed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")
require_module("starlette", "serving")
require_module("uvicorn", "serving")

# Restarts


def test_another_journal_is_refused(tmp_path):
    with Service(tmp_path, workers=1) as service:
        service.start()
        Client(service.port).json("/learn", message(1))
        assert service.stop() == 0
        same_as_replayed(service)
        (tmp_path / "shop" / "labels.sqlite").unlink()
        service.start(ready=False)
        assert service.process is not None
        assert service.process.wait(PATIENCE) == 1
        expected = "another journal: it has the labels after 0 up to 0, and the checkpoint is at 1"
        assert expected in service.said()


def test_a_killed_worker_is_replaced(tmp_path):
    with Service(tmp_path, workers=2) as service:
        service.start()
        before = service.workers()
        os.kill(before[0], signal.SIGKILL)
        os.kill(before[1], signal.SIGTERM)
        until(lambda: len(set(service.workers()) - set(before)) == 2)
        service.until_ready()
        assert service.stop() == 0


def test_a_checkpoint_that_cannot_be_written_is_tried_again(tmp_path):
    with Service(tmp_path, "--save", 0.1, workers=1) as service:
        service.start()
        path = tmp_path / "shop" / "checkpoint"
        path.mkdir()
        client = Client(service.port)
        client.json("/learn", message(1))
        until(lambda: "is a folder" in service.said())
        assert client.json("/health")["accepted"] == 1
        path.rmdir()
        until(path.is_file)
        assert service.stop() == 0
        same_as_replayed(service)


class Sender(threading.Thread):
    """Sends labels until each is acknowledged, some of them twice, and asks for predictions."""

    def __init__(self, port, seed, n=float("inf")):
        super().__init__()
        self.port, self.seed, self.n = port, seed, n
        self.acknowledged = []
        self.failures = 0
        self.stopping = False
        self.unexpected = []

    def run(self):
        client, key, rng = Client(self.port), 0, random.Random(self.seed)
        while not self.stopping and key < self.n:
            label = message(key, self.seed)
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
            self.acknowledged.append(label["key"])
            key += 1


@pytest.mark.slow
def test_service_killed(tmp_path):
    """At random moments: the first process, a worker, or all at once."""
    rng = random.Random(7)
    with Service(tmp_path, "--publish", 0.1, "--save", 0.1) as service:
        service.start()
        senders = [Sender(service.port, seed) for seed in range(3)]
        for sender in senders:
            sender.start()
        try:
            for kill in range(KILLS):
                time.sleep(rng.uniform(0, 0.5))
                victim = ("first", "all", "worker", "first")[kill % 4]
                if victim == "worker":
                    service.until_ready()
                    os.kill(rng.choice(service.workers()), signal.SIGKILL)
                else:
                    service.kill(whole=victim == "all")
                    service.start(ready=kill % 3 > 0)  # or killed while it starts
            service.until_ready()
        finally:
            for sender in senders:
                sender.stopping = True
            for sender in senders:
                sender.join(PATIENCE)
        assert service.stop() == 0
        assert [sender.unexpected for sender in senders] == [[], [], []]
        assert sum(sender.failures for sender in senders) > 0
        acknowledged = [key for sender in senders for key in sender.acknowledged]
        rows = [key for _, key, _ in journal_of(service)]
        assert len(rows) == len(set(rows))
        assert set(acknowledged) <= set(rows)  # nothing is lost
        assert len(rows) <= len(acknowledged) + len(senders)  # and nothing else is there
        print(f"{KILLS} kills, {len(rows):,} labels, {sum(s.failures for s in senders):,} failures")
        same_as_replayed(service)


# The page


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    require_program("curl")
    blocks, printed, errors = run_commands_of("serving.md", "8080", tmp_path)
    assert (len(blocks), errors) == (2, "")
    learned, predicted, top, explained, *rest = printed
    assert learned.endswith('{"position": 1, "new": true}')  # after the health
    # After one example, the answer with the least expected loss is no label.
    assert json.loads(predicted)["y"] == []
    assert len(json.loads(top)["top"]) == 3
    assert json.loads(explained)["nodes"]["garden"]["on"] is False
    assert "river_hier_labels_accepted_total 1" in rest
    assert checkpoint.load(tmp_path / "shop" / "checkpoint")["position"] == 1
