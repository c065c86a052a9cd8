"""Two real collections of short texts: beside scikit-learn's LinearSVC and HiClass.

* Products (Flipkart): a title and a category path, which may end at any node. Titles that repeat
  are left out, and so are categories of fewer than ten products. A fifth of the titles, drawn at
  random, is for validation.
* Queries (CLINC150): 150 intents in 10 domains, the publisher's splits `train` and `val`.

    python examples/benchmarks/real_texts.py --data FOLDER

The folder holds `products` and `clinc150`. HiClass, which is not a dependency, takes part if it is
installed (`pip install hiclass`). Every model gets words weighted by their rarity and scaled to
norm 1; nothing is tuned, and no test part is read. The columns are the share of right labels, the
mean number of edges between the predicted and the true label, and the processor time in seconds of
learning and of predicting, features included: medians of interleaved repetitions.

The last table is about queries that are out of scope (`oos_val`). If a query is answered only if
the model is sure enough of an intent, at the thresholds at which 80, 90 and 95 % of the queries in
scope are answered: how many of these answers are right, and how many queries out of scope are
answered? Sure is the probability of the likeliest intent, or the largest score: a probability says
how an intent compares with the others, and a score how much of the query is known. The first line
of each model is for a given threshold, a probability of 0.6, a score of 5 or, of LinearSVC, -0.1.
"""

# %%
from __future__ import annotations

import argparse
import functools
import random
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import short_texts
from river import preprocessing
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from river_hier import (
    Taxonomy,
    feature_extraction,
    inspection,
    linear_model,
    metrics,
)

try:
    import hiclass
except ImportError:
    hiclass = None

warnings.filterwarnings("ignore", category=FutureWarning)


# %% Collections
class Split(NamedTuple):
    """Texts and labels to learn and to validate."""

    taxonomy: Taxonomy
    texts: list[str]
    y: list[str]
    texts_valid: list[str]
    y_valid: list[str]


def products(data: Path, seed: int) -> Split:
    """Prepared as in `examples/17_titles_and_category_paths.py`."""
    df = short_texts.products(data / "products").sample(frac=1, random_state=seed).dropna()
    t = Taxonomy.from_paths(df.category, separator=" >> ", labels="path")
    titles, categories, n = list(df.product_name), list(df.category), len(df) // 5
    return Split(t, titles[n:], categories[n:], titles[:n], categories[:n])


def queries(data: Path, seed: int) -> Split:
    folder = data / "clinc150"
    pairs, valid = (short_texts.queries(folder, split) for split in ("train", "val"))
    random.Random(seed).shuffle(pairs)
    columns = [column for part in (pairs, valid) for column in zip(*part, strict=True)]
    return Split(short_texts.intents(folder), *map(list, columns))


# %% Models: a function that learns, and returns one that predicts
Predict = Callable[[Sequence[str]], Sequence[Any]]


def online(learner: Callable[[Taxonomy], Any], passes: int) -> Callable[[Split], Predict]:
    def learn(s: Split) -> Predict:
        model = (
            feature_extraction.LogTFIDF(min_count=1)
            | preprocessing.Normalizer()
            | learner(s.taxonomy)
        )
        for _ in range(passes):
            for text, y in zip(s.texts, s.y, strict=True):
                model.learn_one(text, y)
        return lambda texts: [model.predict_one(text) for text in texts]

    return learn


def linear_svc(s: Split) -> Predict:
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC())
    model.fit(s.texts, s.y)
    return model.predict


def per_parent(s: Split, stop: str) -> Predict:
    """HiClass: a LinearSVC at each inner node. Labels are rows of names, one column a level.

    HiClass never stops at an inner node at which some examples do not. With a name for `stop`, the
    examples that end at an inner node get a child of it of that name.
    """
    t = s.taxonomy
    model = make_pipeline(
        TfidfVectorizer(sublinear_tf=True),
        hiclass.LocalClassifierPerParentNode(local_classifier=LinearSVC()),
    )
    rows = []
    for label in s.y:
        row = [*t.path(label)[1:], *([stop] if t.children(label) and stop else [])]
        rows.append(row + [""] * (t.height + 1 - len(row)))
    model.fit(s.texts, rows)
    return lambda texts: [
        [v for v in row if v not in ("", stop)][-1] for row in model.predict(texts)
    ]


MODELS: dict[str, Callable[[Split], Predict]] = {
    "AveragedHieron, one pass": online(linear_model.AveragedHieron, 1),
    "AveragedHieron, 3 passes": online(linear_model.AveragedHieron, 3),
    "PathSoftmax, one pass": online(linear_model.PathSoftmax, 1),
    "PathSoftmax, 3 passes": online(linear_model.PathSoftmax, 3),
    "LinearSVC": linear_svc,
}
if hiclass is not None:
    MODELS["HiClass, LinearSVC per parent"] = functools.partial(per_parent, stop="")
    MODELS["HiClass, stops as children"] = functools.partial(per_parent, stop="here")


# %% Results
def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - start


def main(data: Path, seed: int, n_times: int) -> None:
    for name, make in {"Products": products, "Queries": queries}.items():
        s = make(data, seed)
        print(f"\n{name}: {len(s.y):,} to learn, {len(s.y_valid):,} to validate, {s.taxonomy}")
        print(f"{'':34}{'right':>8}{'distance':>10}{'learn, s':>10}{'predict, s':>12}")
        times: dict[str, list[tuple[float, float]]] = {model: [] for model in MODELS}
        rows = {}
        for _ in range(n_times):
            for model, learn in MODELS.items():
                predict, learning = timed(learn, s)
                answers, predicting = timed(predict, s.texts_valid)
                times[model].append((learning, predicting))
                distance = metrics.TreeInducedError(s.taxonomy)
                pairs = [(y, str(v)) for y, v in zip(s.y_valid, answers, strict=True)]
                for pair in pairs:
                    distance.update(*pair)
                rows[model] = sum(y == v for y, v in pairs) / len(pairs), distance.get()
        for model, (right, error) in rows.items():
            learning, predicting = (
                statistics.median(column) for column in zip(*times[model], strict=True)
            )
            print(f"{model:34}{right:>8.3f}{error:>10.3f}{learning:>10.2f}{predicting:>12.3f}")


def out_of_scope(data: Path, seed: int) -> None:
    s = queries(data, seed)
    outside = [text for text, _ in short_texts.queries(data / "clinc150", "oos_val")]
    svc = make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC()).fit(s.texts, s.y)
    words = feature_extraction.LogTFIDF(min_count=1) | preprocessing.Normalizer()
    softmax = words | linear_model.PathSoftmax(s.taxonomy)

    def by_svc(texts: Sequence[str]) -> list[tuple[str, float]]:
        scores = svc.decision_function(texts)
        best = scores.argmax(axis=1)
        return [(str(svc.classes_[v]), row[v]) for v, row in zip(best, scores, strict=True)]

    def by_softmax(texts: Sequence[str]) -> list[tuple[str, float]]:
        best = (inspection.top_one(softmax, text, k=1, leaves=True)[0] for text in texts)
        return [(str(path[-1]), p) for path, p in best]

    def by_score(texts: Sequence[str]) -> list[tuple[str, float]]:
        rows = (softmax.score_one(text) for text in texts)
        return [max(row.items(), key=lambda pair: pair[1]) for row in rows]

    def show(name: str, answer: Callable[[Sequence[str]], Any], given: float) -> None:
        inside, others = answer(s.texts_valid), answer(outside)
        ranked = sorted((p for _, p in inside), reverse=True)
        for threshold in [given, *(ranked[round(k * len(inside)) - 1] for k in (0.8, 0.9, 0.95))]:
            right = [v == y for (v, p), y in zip(inside, s.y_valid, strict=True) if p >= threshold]
            let_in = sum(p >= threshold for _, p in others) / len(others)
            share = len(right) / len(inside)
            print(f"{name:34}{share:>10.1%}{sum(right) / len(right):>8.1%}{let_in:>25.0%}")

    print(f"\n{'':34}{'answered':>10}{'right':>8}{'out of scope, answered':>25}")
    for n_passes in range(1, 4):
        for text, y in zip(s.texts, s.y, strict=True):
            softmax.learn_one(text, y)
        if n_passes != 2:
            show(f"PathSoftmax, passes: {n_passes}", by_softmax, 0.6)
            show("  by score", by_score, 5.0)
    show("LinearSVC", by_svc, -0.1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of products and clinc150")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--times", type=int, default=5, help="repetitions, for the times")
    arguments = parser.parse_args()
    main(arguments.data, arguments.seed, arguments.times)
    out_of_scope(arguments.data, arguments.seed)
