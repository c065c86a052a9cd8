"""Labels for the HTTP service, and what it must make of them."""

import json
import pickle
import random
import sqlite3
import sys

from river_hier import Taxonomy, checkpoint
from support.http_service import SHOP, STREAMING, Client
from support.processes import until

sys.path.insert(0, str(STREAMING))
import delayed

TAXONOMY = Taxonomy.from_nested({"shop": SHOP})


def message(key, seed=0):
    """A label with its example: features that tell which leaf it is, and noise."""
    rng = random.Random(seed * 1_000_003 + key)
    leaf = rng.choice(TAXONOMY.leaves)
    x = {f"is {leaf}": 1.0, f"noise {rng.randrange(50)}": rng.random()}
    return {"key": f"{seed} {key}", "x": x, "y": [leaf]}


def state_of(labels):
    """What a learner makes of labels that are sent one after the other."""
    state = delayed.new_state(TAXONOMY)
    for label in labels:
        x = delayed.features(label["x"])
        on = delayed.predict(state["model"], x)
        state["model"].learn_one(x, label["y"])
        state["metric"].update(label["y"], on)
    return state


def journal_of(service):
    """Positions, keys and labels, which are dropped up to some position."""
    with sqlite3.connect(service.folder / "shop" / "labels.sqlite") as db:
        return db.execute("SELECT position, key, message FROM labels ORDER BY position").fetchall()


def same_as_replayed(service):
    """The checkpoint is that of one program that learns all labels, to the last bit."""
    rows = journal_of(service)
    assert [position for position, _, _ in rows] == list(range(1, len(rows) + 1))
    sent = [message(int(key.split()[1]), int(key.split()[0])) for _, key, _ in rows]
    labels = [{"x": label["x"], "y": label["y"]} for label in sent]
    kept = [text is not None for _, _, text in rows]
    assert kept == sorted(kept)
    assert [json.loads(text) for _, _, text in rows if text] == labels[kept.count(False) :]
    found = checkpoint.load(service.folder / "shop" / "checkpoint")
    assert found["position"] == len(rows)
    assert found["refused"] == 0
    expected = state_of(labels)
    for part in ("model", "metric"):
        ours, theirs = (pickle.dumps(state[part]) for state in (found, expected))
        assert pickle.dumps(pickle.loads(ours)) == pickle.dumps(pickle.loads(theirs))


def until_learned(service, n):
    """Wait until all workers answer from a snapshot with n labels."""
    until(lambda: all(Client(service.port).json("/health")["learned"] == n for _ in range(8)))


def metrics_of(service):
    status, text = Client(service.port).send("/metrics")
    assert status == 200
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
    pairs = (line.rsplit(" ", 1) for line in lines)
    return {name.removeprefix("river_hier_"): float(value) for name, value in pairs}
