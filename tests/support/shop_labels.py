"""Labels for the HTTP service, and what it must make of them."""

import json
import pickle
import random
import sqlite3

import numpy as np

from river_hier import OpenTaxonomy, Taxonomy, checkpoint, losses
from river_hier.ensemble import DensePool
from river_hier.feature_extraction import LogTFIDF
from river_hier.linear_model import HAROW, Hieron, PathSoftmax
from support.http_service import Client

SHOP = {
    "clothes": {"shoes": ["boots", "sandals"], "coats": ["parkas", "capes"]},
    "garden": {"tools": ["spades", "rakes"], "plants": ["roses", "ferns"]},
}
TAXONOMY = Taxonomy.from_nested({"shop": SHOP})
MODELS = {
    "text": lambda: LogTFIDF() | PathSoftmax(TAXONOMY),
    "row": lambda: DensePool(TAXONOMY, n_components=20),
    "several": lambda: HAROW(TAXONOMY),
    "open": lambda: Hieron(OpenTaxonomy()),
}


def message(key, seed=0, kind="several"):
    """A label with its example: features that tell which leaf it is, and noise."""
    rng = random.Random(seed * 1_000_003 + key)
    leaf = rng.choice(TAXONOMY.leaves)
    x = {f"is {leaf}": 1.0, f"noise {rng.randrange(50)}": rng.random()}
    y = [leaf] if kind == "several" else leaf
    if kind == "text":
        x = " ".join(x)
    elif kind == "row":
        x = [float(leaf == other) + rng.gauss(0, 0.1) for other in TAXONOMY.leaves]
    elif kind == "open":
        y = [*TAXONOMY.path(leaf)[1:], f"{key % 7}"]
    return {"key": f"{seed} {key}", "x": x, "y": y}


def replayed(labels, kind="several"):
    """What a program makes of labels, one after the other: the model, and its mean loss."""
    model, loss = MODELS[kind](), 0.0
    for label in labels:
        x, y = as_learned(label, kind)
        answer = model.predict_one(x)
        model.learn_one(x, y)
        taxonomy = TAXONOMY if kind != "open" else model.taxonomy_
        of = losses.h_loss if kind == "several" else losses.tree_induced_error
        loss += of(taxonomy, y, taxonomy.root if answer is None else answer)
    return model, loss / max(len(labels), 1)


def as_learned(label, kind):
    """x and y as they are in Python."""
    x, y = label["x"], label["y"]
    as_y = {"several": set, "open": tuple}.get(kind, str)
    return np.array(x) if kind == "row" else x, as_y(y)


def journal_of(service):
    """Positions, keys and labels, which are dropped up to some position."""
    with sqlite3.connect(service.served / "labels.sqlite") as db:
        return db.execute("SELECT position, key, message FROM labels ORDER BY position").fetchall()


def same_as_replayed(service, kind="several"):
    """The checkpoint is that of one program that learns all labels, to the last bit."""
    rows = journal_of(service)
    assert [position for position, _, _ in rows] == list(range(1, len(rows) + 1))
    sent = [message(*map(int, reversed(key.split())), kind) for _, key, _ in rows]
    kept = [text is not None for _, _, text in rows]
    assert kept == sorted(kept)
    labels = [{"x": label["x"], "y": label["y"]} for label in sent]
    assert [json.loads(text) for _, _, text in rows if text] == labels[kept.count(False) :]
    found = checkpoint.load(service.served / "checkpoint")
    assert found["position"] == len(rows)
    model, loss = replayed(labels, kind)
    assert found["loss"] / max(len(rows), 1) == loss
    ours, theirs = (pickle.loads(pickle.dumps(one)) for one in (found["model"], model))
    if kind in ("row", "open"):  # what is shared or reserved is pickled in other ways
        says = "predict_proba_one" if kind == "row" else "score_one"
        for x in (as_learned(message(key, 5, kind), kind)[0] for key in range(100)):
            found, expected = (list(getattr(one, says)(x).items()) for one in (ours, theirs))
            assert found == expected  # of the same nodes in the same order, to the last bit
    else:
        assert pickle.dumps(ours) == pickle.dumps(theirs)
    return model


def metrics_of(service):
    status, text = Client(service.port).send("/metrics")
    assert status == 200
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
    pairs = (line.rsplit(" ", 1) for line in lines)
    return {name.removeprefix("river_hier_"): float(value) for name, value in pairs}
