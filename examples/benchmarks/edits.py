"""What does a model lose when its taxonomy is edited in the middle of a stream?

    python examples/benchmarks/edits.py --data FOLDER [--seeds 5] [--only Replayed] [COLLECTION ...]

FOLDER holds `clinc150`, `products` and `rcv1`: queries, titles and topics. Half way, a fifth of the
nodes move to other parents, and a tenth of the leaves are merged into a sibling, all at random. The
model adopts the edit, and is compared with a new one, with the answers of one that goes on in the
old taxonomy, translated into the new one, and with one that has always had the new taxonomy; all
are in `Replayed` where it says so, which learns its stored examples anew after the edit. Wrong
answers and tree errors on the test part, or H-losses of several labels: the mean over the seeds,
and the standard error of the difference from the model that has always had it.

`season` has titles again, with the changes of season.json in place of random ones, as a shop makes
them. `risk` has the share of wrong answers of `Selective(risk=0.05)` on queries in windows of
1,000.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
from names import collection

from river_hier import Taxonomy, decision, feature_extraction, linear_model, metrics, stream
from river_hier.base.classifiers import is_multilabel, last_step
from river_hier.datasets import RCV1
from river_hier.taxonomy import Edit

LATER = 0, 300, 1_000, 3_000, 10**9  # examples after the edit
TEST = 2_000
BUFFER = 2_000  # examples that a replayed model learns once more, and after the edit
SEASON = Path(__file__).with_name("season.json")
SOFTMAX = "PathSoftmax", "HierarchicalSoftmax"
METHODS = {
    "queries": [*SOFTMAX, "Replayed PathSoftmax", "Replayed HierarchicalSoftmax"],
    "titles": ["PathSoftmax"],
    "season": [*SOFTMAX, "Replayed HierarchicalSoftmax"],
    "topics": ["HAROW", "Replayed HAROW"],
}


def edit_of(name: str, t: Taxonomy, rng: random.Random) -> Edit:
    """The recorded changes, or random ones."""
    if name == "season":
        return t.edit(json.loads(SEASON.read_text("utf-8")))
    return random_edit(t, rng)


def random_edit(t: Taxonomy, rng: random.Random) -> Edit:
    """A fifth of the nodes go to other parents, and a tenth of the leaves to a sibling."""
    changes: list[Any] = []

    def tried(change: Any, now: Taxonomy) -> Taxonomy:
        try:
            now = now.edit([change]).after
        except ValueError:  # the label is taken there
            return now
        changes.append(change)
        return now

    now = t
    low = [v for v in t.nodes[1:] if t.depth(v) > 1]
    for v in rng.sample(low, len(t) // 5):
        v = now.nodes[now.index(v)]
        out = {v, now.parent(v), *now.descendants(v)}
        to = rng.choice([u for u in now._arrays.inner if u not in out])
        now = tried({"move": v, "to": to}, now)
    merged = set[Any]()
    for v in rng.sample(t.leaves, len(t.leaves) // 10):
        v = now.nodes[now.index(v)]
        beside = set(now.children(now.parent(v))).intersection(now.leaves) - merged - {v}
        if beside and v not in merged and not now.children(v):
            u = rng.choice(sorted(beside))
            merged |= {u, v}
            now = tried({"merge": [v], "to": u}, now)
    return t.edit(changes)


def made(method: str, t: Taxonomy) -> Any:
    if method.startswith("Replayed "):
        return stream.Replayed(made(method.removeprefix("Replayed "), t), 2, BUFFER)
    if method == "HAROW":
        return linear_model.HAROW(t)
    model = linear_model.PathSoftmax(t, margin=1.0)
    if method == "HierarchicalSoftmax":
        model = linear_model.HierarchicalSoftmax(t)
    return feature_extraction.TextViews() | model


def data_of(name: str, data: Path, seed: int) -> Any:
    if name == "topics":
        corpus = RCV1(data / "rcv1")
        t = corpus.taxonomy
        rows = [(x, t.closure(y) - {t.root}) for x, y in corpus]
        random.Random(seed).shuffle(rows)
        return t, rows[TEST:], rows[:TEST]
    texts = collection("titles" if name == "season" else name, data)
    train = list(texts.train)
    random.Random(seed).shuffle(train)
    return texts.taxonomy, train, texts.test[:TEST]


def translated(edit: Edit, several: bool) -> Any:
    """What an answer or a label is in the new taxonomy."""
    if several:
        return lambda y: {edit.after.nodes[v] for v in edit._closed(map(edit.before.index, y))}
    return lambda y: edit.labels.get(y, y)


def scores(model: Any, test: Any, after: Taxonomy, answer: Any) -> list[float]:
    several = is_multilabel(last_step(model))
    loss = metrics.HLoss(after) if several else metrics.TreeInducedError(after)
    wrong = 0
    for x, y in test:
        said = model.predict_labels_one(x) if several else model.predict_one(x)
        said = answer(said) if said is not None else after.root
        loss.update(y, said)
        wrong += set(said) - {after.root} != set(y) - {after.root} if several else said != y
    return [wrong / len(test), loss.get()]


def run(name: str, method: str, data: Path, seed: int) -> dict[str, list[list[float]]]:
    t, train, test = data_of(name, data, seed)
    edit, several = edit_of(name, t, random.Random(seed)), method.endswith("HAROW")
    f, half = translated(edit, several), len(train) // 2
    test = [(x, f(y)) for x, y in test]
    old, always = made(method, t), made(method, edit.after)
    for x, y in train[:half]:
        old.learn_one(x, y)
        always.learn_one(x, f(y))
    edited = copy.deepcopy(old)
    last_step(edited).adopt(edit)
    models = {
        "edited": edited,
        "translated": old,
        "always": always,
        "new": made(method, edit.after),
    }
    found: dict[str, list[list[float]]] = {kind: [] for kind in models}
    for i, (x, y) in enumerate([*train[half:], (None, None)]):
        if i in LATER or x is None:
            for kind, model in models.items():
                answer = f if kind == "translated" else lambda y: y
                found[kind].append(scores(model, test, edit.after, answer))
        if x is not None:
            for kind, model in models.items():
                model.learn_one(x, y if kind == "translated" else f(y))
    return found


def table(name: str, method: str, data: Path, seeds: int) -> None:
    runs = [run(name, method, data, seed) for seed in range(seeds)]
    for m, measure in enumerate(["wrong", "H-loss" if method.endswith("HAROW") else "tree error"]):
        print(f"{name}, {method}, {measure} after {LATER[:-1]} examples and at the end")
        reference = np.array([r["always"] for r in runs])[..., m]
        for kind in runs[0]:
            values = np.array([r[kind] for r in runs])[..., m]
            error = (values - reference).std(axis=0, ddof=1) / np.sqrt(len(runs))
            cells = zip(values.mean(axis=0), error, strict=True)
            print(f"  {kind:10}", *(f"{v:.4f} ±{e:.4f}" for v, e in cells), flush=True)


def risk(data: Path, seeds: int) -> None:
    curves = []
    for seed in range(seeds):
        t, train, _ = data_of("queries", data, seed)
        edit, half = random_edit(t, random.Random(seed)), len(train) // 2
        model = decision.Selective(made("PathSoftmax", t), risk=0.05)
        wrong = []
        for i, (x, y) in enumerate(train):
            if i == half:
                model.adopt(edit)
            now, y = (t, y) if i < half else (edit.after, edit.labels.get(y, y))
            wrong.append(model.predict_one(x) not in now.path(y))
            model.learn_one(x, y)
        curves.append(np.reshape(wrong[len(wrong) % 1000 :], (-1, 1000)).mean(axis=1))
    print(f"risk in windows of 1,000, the edit after {half}:", np.round(np.mean(curves, axis=0), 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=[*METHODS, "risk"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="methods whose names begin so")
    given = parser.parse_args()
    for name in given.what:
        if name == "risk":
            risk(given.data, given.seeds)
        for method in METHODS.get(name, []):
            if method.startswith(given.only):
                table(name, method, given.data, given.seeds)


if __name__ == "__main__":
    main()
