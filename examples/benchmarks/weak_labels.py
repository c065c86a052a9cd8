"""What are labels worth that are wrong, or known in part?

    python examples/benchmarks/weak_labels.py --data FOLDER [COLLECTION ... [PART ...]]

FOLDER holds `clinc150`, `products`, `icd`, `goemotions` and `rcv1`. A stream of each collection, in
random order, is learned in one pass by `TextViews() | PathSoftmax(t, margin=1)`, but for a fifth
that is kept for the test. The figures are the shares of wrong answers on it, means over the orders,
with standard errors in brackets.

`wrong`: a fifth of the labels is wrong: any label ("anywhere", drawn like the right ones), a
sibling of the right one, or a tenth of each. "channel" is `decision.NoisyLabels` around the model,
"root" and "deeper" the sums of its `noise_rates_`, "AUROC" how well `suspect_one` ranks the wrong
labels before they are learned, and "time" that of learning in ratio to the model alone.

`passes`: the same with scikit-learn's face, in three passes alone and in the channel, and in one.

`suspects`: precision among the first 5 % and AUROC of `inspection.suspects`, beside out-of-fold
probabilities of scikit-learn's logistic regression on the same features, of which cleanlab's
self-confidence is that of the given label; and seconds of processor time.

`thumbs`: after a tenth of the labels, only "right" or "wrong" is known of the model's answer. The
model learns the confirmed answers, or also what is `Not` the label, or down to where the path of
the answer is right.

`below`: two thirds of the labels are known down to the top level only, and dropped, or learned as
`Below` it.

`tags`: of GoEmotions and RCV1, with several labels, half of the nodes are said of each example. The
figures are the H-losses of `HAROW`, which learns what is `Known`, or takes the others for off.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import selective
from labels import parts, report, wrong
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from river_hier import Below, Known, Not, Taxonomy, decision, inspection, linear_model, losses
from river_hier.feature_extraction import LogTFIDF, TextViews
from river_hier.sklearn import HierarchicalClassifier

PARTS = {"wrong", "passes", "suspects", "thumbs", "below", "tags"}
KINDS = {"none": (0.0, 0.0), "anywhere": (0.2, 0.0), "siblings": (0.0, 0.2), "both": (0.1, 0.1)}
Pairs = list[tuple[Any, Any]]


def model_of(t: Taxonomy) -> Any:
    return TextViews() | linear_model.PathSoftmax(t, margin=1)


def with_wrong_labels(t: Taxonomy, pairs: Pairs, kind: str, seed: int) -> tuple[Pairs, Any]:
    """The examples, and which of their labels are wrong."""
    anywhere, siblings = KINDS[kind]
    labels, rng = [y for _, y in pairs], random.Random(seed)
    seen: dict[Any, list[Any]] = {}
    for y in dict.fromkeys(labels):
        seen.setdefault(t.parent(y), []).append(y)
    found: Pairs = []
    for x, y in pairs:
        u = rng.random()
        if u < anywhere:
            y = rng.choice(labels)
        elif u < anywhere + siblings:
            y = rng.choice(seen[t.parent(y)])
        found.append((x, y))
    return found, np.array([a != b for (_, a), (_, b) in zip(found, pairs, strict=True)])


def seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def learn(model: Any, pairs: Pairs) -> Any:
    for x, y in pairs:
        model.learn_one(x, y)
    return model


def wrong_labels(t: Taxonomy, pairs: Pairs, seed: int) -> dict[str, list[float]]:
    (train, test), found = parts(pairs), dict[str, list[float]]()
    for kind in KINDS:
        noisy, bad = with_wrong_labels(t, train, kind, seed)
        alone, channel = model_of(t), decision.NoisyLabels(model_of(t))
        ratio = seconds(partial(learn, channel, noisy)) / seconds(partial(learn, alone, noisy))
        auroc = math.nan
        if bad.any():
            found_wrong = {s.row: s.wrong for s in inspection.suspects(model_of(t), iter(noisy))}
            auroc = roc_auc_score(bad, [found_wrong[i] for i in range(len(noisy))])
        root, *deeper = channel.noise_rates_
        rates = [root, sum(deeper)]
        found[kind] = [wrong(alone, test), wrong(channel, test), *rates, auroc, ratio]
    return found


def passes(t: Taxonomy, pairs: Pairs, seed: int) -> dict[str, list[float]]:
    (train, test), found = parts(pairs), dict[str, list[float]]()
    x, y = ([pair[i] for pair in test] for i in (0, 1))
    for kind in ("none", "anywhere"):
        texts, labels = zip(*with_wrong_labels(t, train, kind, seed)[0], strict=True)
        channel = decision.NoisyLabels(model_of(t))
        found[kind] = []
        for model, n in ((model_of(t), 3), (channel, 3), (channel, 1)):
            fitted = HierarchicalClassifier(model, n_passes=n, random_state=seed)
            found[kind].append(1.0 - fitted.fit(list(texts), list(labels)).score(x, y))
    return found


def suspected(t: Taxonomy, pairs: Pairs, seed: int) -> dict[str, list[float]]:
    (train, _), found = parts(pairs), dict[str, list[float]]()
    for kind in ("anywhere", "siblings"):
        noisy, bad = with_wrong_labels(t, train, kind, seed)
        for name, call in (("suspects", doubts), ("out of fold", doubts_out_of_fold)):
            start = time.process_time()
            doubt = call(t, noisy)
            took = time.process_time() - start
            first = np.argsort(-doubt)[: len(noisy) // 20]
            found[f"{kind}, {name}"] = [float(bad[first].mean()), roc_auc_score(bad, doubt), took]
    return found


def doubts(t: Taxonomy, pairs: Pairs) -> Any:
    wrong = {s.row: s.wrong for s in inspection.suspects(model_of(t), pairs)}
    return np.array([wrong[i] for i in range(len(pairs))])


def doubts_out_of_fold(t: Taxonomy, pairs: Pairs) -> Any:
    y = np.unique([str(y) for _, y in pairs], return_inverse=True)[1]
    model = LogisticRegression(C=10.0, max_iter=60)
    p = cross_val_predict(model, matrix(pairs), y, cv=3, method="predict_proba")
    return 1.0 - p[np.arange(len(y)), y]


def matrix(pairs: Pairs) -> Any:
    """The same features for scikit-learn."""
    views, rows = TextViews(), []
    for text, _ in pairs:
        rows.append(views.transform_one(text))
        views.learn_one(text)
    names = {name: i for i, name in enumerate(dict.fromkeys(n for x in rows for n in x))}
    cells = [(i, names[n], v) for i, x in enumerate(rows) for n, v in x.items()]
    i, j, v = zip(*cells, strict=True)
    return sparse.csr_array((v, (i, j)), shape=(len(rows), len(names)))


def thumbs(t: Taxonomy, pairs: Pairs) -> dict[str, list[float]]:
    (train, test), found = parts(pairs), dict[str, list[float]]()
    few = len(train) // 10
    for name in ("confirmed", "and what it is not", "and the right part", "all labels"):
        model = learn(model_of(t), train if name == "all labels" else train[:few])
        for x, y in train[few:] if name != "all labels" else []:
            said = model.predict_one(x)
            if said == y:
                model.learn_one(x, y)
            elif name == "and what it is not" and said != t.root:
                model.learn_one(x, Not(said))
            elif name == "and the right part":
                path, shown = t.path(y), t.path(said)
                n = sum(a == b for a, b in zip(path, shown, strict=False))
                known = Below(path[n - 1])
                model.learn_one(x, known if n == len(shown) else known & Not(shown[n]))
        found[name] = [wrong(model, test)]
    return found


def below(t: Taxonomy, pairs: Pairs, seed: int) -> dict[str, list[float]]:
    train, test = parts(pairs)

    def error(margin: float, dropped: bool) -> float:
        model, rng = TextViews() | linear_model.PathSoftmax(t, margin=margin), random.Random(seed)
        for x, y in train:
            if rng.random() >= 2 / 3 or t.depth(y) < 1:
                model.learn_one(x, y)
            elif not dropped:
                model.learn_one(x, Below(t.path(y)[1]))
        return wrong(model, test)

    found = {}
    for margin in (0.0, 1.0):
        errors = error(margin, True), error(margin, False)
        found[f"margin={margin:g}"] = [*errors, errors[0] - errors[1]]
    return found


def tags(t: Taxonomy, rows: Pairs, seed: int) -> dict[str, list[float]]:
    (train, test), found = parts(rows), dict[str, list[float]]()
    for name in ("taken for off", "Known", "all"):
        model, rng = linear_model.HAROW(t), random.Random(seed)
        for x, y in train:
            on = t.closure(y)
            told = {v: v in on for v in t.nodes[1:] if rng.random() < 0.5}
            known = {v for v, yes in told.items() if yes}
            model.learn_one(x, y if name == "all" else Known(told) if name == "Known" else known)
        lost = [losses.h_loss(t, y, model.predict_one(x)) for x, y in test]
        found[name] = [float(np.mean(lost))]
    return found


def featured(pairs: Pairs) -> Pairs:
    """Dictionaries in the place of texts."""
    words, rows = LogTFIDF(), []
    for x, y in pairs:
        rows.append((words.transform_one(x), y) if isinstance(x, str) else (x, y))
        if isinstance(x, str):
            words.learn_one(x)
    return rows


def main(data: Path, seeds: int, most: int, names: list[str]) -> None:
    wanted = PARTS.intersection(names) or PARTS
    for name in [name for name in names if name in selective.STREAMS]:
        t, pairs = selective.STREAMS[name](data)
        orders = [random.Random(s).sample(pairs, min(most, len(pairs))) for s in range(seeds)]
        if "wrong" in wanted:
            runs = [wrong_labels(t, order, seed) for seed, order in enumerate(orders)]
            report(name, ("alone", "channel", "root", "deeper", "AUROC", "time"), runs)
        if "passes" in wanted:
            runs = [passes(t, order, seed) for seed, order in enumerate(orders)]
            report(f"{name}, passes", ("three", "channel", "one"), runs)
        if "suspects" in wanted:
            runs = [suspected(t, order, seed) for seed, order in enumerate(orders[:2])]
            report(f"{name}, found", ("first 5 %", "AUROC", "seconds"), runs)
        if "thumbs" in wanted:
            report(f"{name}, thumbs", ("wrong",), [thumbs(t, order) for order in orders])
        if "below" in wanted:
            runs = [below(t, order, seed) for seed, order in enumerate(orders)]
            report(f"{name}, top level", ("dropped", "Below", "gain"), runs)
    for name in [name for name in names if name in selective.SEVERAL and "tags" in wanted]:
        t, rows = selective.SEVERAL[name](data)
        some = list(islice(rows, most))
        orders = [featured(random.Random(s).sample(some, len(some))) for s in range(seeds)]
        report(
            f"{name}, half of the tags", ("H-loss",), [tags(t, o, s) for s, o in enumerate(orders)]
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=15_000, help="texts of a collection")
    parser.add_argument(
        "names", nargs="*", default=[*selective.STREAMS, *selective.SEVERAL], metavar="NAME"
    )
    options = parser.parse_args()
    main(options.data, options.seeds, options.most, options.names)
