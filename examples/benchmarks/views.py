"""Words, or several views of a text: `PathSoftmax` and pools beside LinearSVC and HiClass.

    python examples/benchmarks/views.py --data FOLDER

Five collections of texts with one label, prepared as in `calibration.py`; of Reuters-21578 the
stories with exactly one topic, in chronological order, of which each seed takes other years to
learn and to validate. Every seed has another order, and for all but queries and stories other
examples to validate. "Views" are words, pairs of words and runs of 4 characters: `TextViews`, and
two `TfidfVectorizer` for the methods in batch. "Learned 3 times" is by `stream.Replayed`, which
stores the latest 2,000 examples, "3 passes" is `HierarchicalClassifier()`, which shuffles all of
them for each pass. These numbers, the margin of 1 and the weights of `TextViews` were chosen on
these examples to validate; nothing else is tuned, and no test part is read.

The columns are the share of wrong labels, the mean number of edges between the predicted and the
true label, the log loss, the calibration error in per cent, and the processor time in seconds of
learning. In brackets is the standard error of the difference from LinearSVC on words. The
calibration error of true probabilities is not 0 on few examples: "expected" is what remains of it
if each answer is right with the probability that the model gives it.

LinearSVC has no probabilities: those of the rows with "calibrated" are of `CalibratedClassifierCV`
with sigmoids and three folds. HiClass, which is not a dependency, takes part if it is
installed (`pip install hiclass`).

The last table has products with their brand and prices (`product_columns` in the folder): the title
alone, all columns joined for one `PathSoftmax`, pools by `ensemble.make_views`, and one with a
column of random numbers. In brackets is the standard error of the difference from the title alone.
"""

# %%
from __future__ import annotations

import argparse
import math
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import short_texts
from calibration import ONE_LABEL, Collection
from river import compose
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from river_hier import (
    Taxonomy,
    datasets,
    ensemble,
    feature_extraction,
    linear_model,
    metrics,
    stream,
)
from river_hier.sklearn import HierarchicalClassifier

try:
    import hiclass
except ImportError:
    hiclass = None

warnings.filterwarnings("ignore")  # of scikit-learn, about labels with fewer than three examples


# %% Collections
def stories(data: Path, seed: int) -> Collection:
    """Reuters-21578: the first 70, 75, ... % of the stories with one topic, and 10 % more."""
    stream = datasets.Reuters21578(data / "reuters21578")
    t, pairs = stream.taxonomy, []
    for x, y in stream:
        on = [v for v in t.nodes[1:] if y[v] and not any(y[u] for u in t.children(v))]
        if len(on) == 1:
            pairs.append((f"{x['title']} {x['body']}", on[0]))
    first = round(len(pairs) * (0.70 + 0.05 * (seed % 5)))
    last = first + len(pairs) // 10
    return Collection(t, pairs[:first], pairs[first:last], None, single=True)


COLLECTIONS: dict[str, Callable[[Path, int], Collection]] = {**ONE_LABEL, "Reuters-21578": stories}


# %% Models: a function that learns, and returns one that gives labels and probabilities
Predict = Callable[[Sequence[str]], tuple[Sequence[Any], Sequence[Any] | None]]


def online(make: Callable[[Any], Any]) -> Callable[[Collection], Predict]:
    def learn(c: Collection) -> Predict:
        model = make(c.taxonomy)
        for text, y in c.train:
            model.learn_one(text, y)
        return answers_of(model)

    return learn


def answers_of(model: Any) -> Predict:
    return lambda texts: (
        [model.predict_one(text) for text in texts],
        [model.predict_proba_one(text) for text in texts],
    )


def words() -> Any:
    return TfidfVectorizer(sublinear_tf=True)


def views() -> Any:
    characters = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(4, 4))
    return make_union(TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)), characters)


def svc(features: Callable[[], Any], calibrated: bool = False) -> Callable[[Collection], Predict]:
    def learn(c: Collection) -> Predict:
        texts, ys = zip(*c.train, strict=True)
        numbers = [c.taxonomy.index(y) for y in ys]
        last: Any = LinearSVC()
        if calibrated:
            folds = list(KFold(3, shuffle=True, random_state=0).split(texts))
            last = CalibratedClassifierCV(last, cv=folds, ensemble=False)
        model = make_pipeline(features(), last).fit(texts, numbers)
        labels = [c.taxonomy.nodes[v] for v in model.classes_]

        def predict(texts: Sequence[str]) -> Any:
            answers = [c.taxonomy.nodes[v] for v in model.predict(texts)]
            if not calibrated:
                return answers, None
            rows = model.predict_proba(texts).tolist()
            return answers, [dict(zip(labels, row, strict=True)) for row in rows]

        return predict

    return learn


def per_parent(features: Callable[[], Any]) -> Callable[[Collection], Predict]:
    """HiClass: a LinearSVC at each inner node; examples that end there get a child of it."""

    def learn(c: Collection) -> Predict:
        t, rows = c.taxonomy, []
        for _, y in c.train:
            path = [str(t.index(v)) for v in t.path(y)[1:]] + ["here"] * bool(t.children(y))
            rows.append(path + [""] * (t.height + 1 - len(path)))
        local = hiclass.LocalClassifierPerParentNode(local_classifier=LinearSVC())
        model = make_pipeline(features(), local).fit([x for x, _ in c.train], rows)

        def predict(texts: Sequence[str]) -> Any:
            found = ([v for v in row if v not in ("", "here")] for row in model.predict(texts))
            return [t.nodes[int(row[-1])] for row in found], None

        return predict

    return learn


def softmax(features: type[Any], **parameters: Any) -> Callable[[Any], Any]:
    return lambda t: features() | linear_model.PathSoftmax(t, **parameters)


def thrice(t: Any) -> Any:
    last = stream.Replayed(linear_model.PathSoftmax(t, margin=1.0), times=3, buffer_size=2_000)
    return feature_extraction.TextViews() | last


def passes(c: Collection) -> Predict:
    texts, ys = zip(*c.train, strict=True)
    return answers_of(HierarchicalClassifier(taxonomy=c.taxonomy).fit(texts, ys).model_)


def pool(t: Any) -> Any:
    parts = ({}, {"ngram_range": (2, 2)}, {"analyzer": "char_wb", "ngram_range": (4, 4)})
    texts = (feature_extraction.LogTFIDF(**part) for part in parts)
    return ensemble.LogarithmicPool([f | linear_model.PathSoftmax(t, margin=1.0) for f in texts])


BASE = "LinearSVC, words"
MODELS: dict[str, Callable[[Collection], Predict]] = {
    "PathSoftmax, words": online(softmax(feature_extraction.LogTFIDF)),
    "PathSoftmax, views": online(softmax(feature_extraction.TextViews, margin=1.0)),
    "  without a margin": online(softmax(feature_extraction.TextViews)),
    "  learned 3 times": online(thrice),
    "  3 passes": passes,
    "pool of views": online(pool),
    BASE: svc(words),
    "  calibrated": svc(words, calibrated=True),
    "LinearSVC, views": svc(views),
    "  calibrated ": svc(views, calibrated=True),
}
if hiclass is not None:
    MODELS["HiClass, words"] = per_parent(words)
    MODELS["HiClass, views"] = per_parent(views)


# %% Results
class Measures(NamedTuple):
    wrong: float
    distance: float
    log_loss: float = math.nan
    error: float = math.nan
    expected: float = math.nan
    seconds: float = math.nan


def measured(learn: Callable[[Collection], Predict], c: Collection) -> Measures:
    start = time.process_time()
    predict = learn(c)
    seconds = time.process_time() - start
    texts, ys = zip(*c.valid, strict=True)
    answers, rows = predict(texts)
    distance = metrics.TreeInducedError(c.taxonomy)
    for y, answer in zip(ys, answers, strict=True):
        distance.update(y, answer)
    wrong = sum(y != v for y, v in zip(ys, answers, strict=True)) / len(ys)
    if rows is None:
        return Measures(wrong, distance.get(), seconds=seconds)
    loss = [-math.log(max(row.get(y, 0.0), 1e-15)) for y, row in zip(ys, rows, strict=True)]
    top = np.array([max(row.values()) for row in rows])
    right = np.array([max(row, key=row.get) == y for y, row in zip(ys, rows, strict=True)])
    rng = np.random.default_rng(0)
    drawn = [calibration_error(top, rng.random(len(top)) < top) for _ in range(100)]
    errors = calibration_error(top, right), statistics.mean(drawn)
    return Measures(wrong, distance.get(), statistics.mean(loss), *errors, seconds)


def calibration_error(top: Any, right: Any) -> float:
    """`metrics.TopLabelCalibrationError` of whole columns, in per cent."""
    bins = np.minimum((10 * top).astype(int), 9)
    return float(100 * np.abs(np.bincount(bins, top - right)).sum() / len(top))


def columns(data: Path, seed: int) -> Collection:
    """Products with a title, a brand, two prices as logarithms, and a random number."""
    found = pd.read_csv(data / "product_columns" / "columns.csv.gz")
    df = short_texts.products(data / "products").merge(found, on="uniq_id")
    df = df.dropna(subset=["category"]).sample(frac=1, random_state=seed)
    prices = ["retail_price", "discounted_price"]
    df[prices] = np.log(df[prices])
    df["noise"] = np.random.default_rng(seed).integers(50, size=len(df))
    rows = df[["product_name", "brand", *prices, "noise"]].to_dict("records")
    xs = [{k: v for k, v in row.items() if v == v} for row in rows]
    t = Taxonomy.from_paths(df.category, separator=" >> ", labels="path")
    pairs, n = list(zip(xs, df.category, strict=True)), len(df) // 5
    return Collection(t, pairs[n:], pairs[:n], None, single=True)


def joined(t: Any) -> Any:
    brand = compose.FuncTransformer(lambda x: {("brand", x.get("brand", "")): 1.0})
    return (feature_extraction.TextViews(on="product_name") + brand) | linear_model.PathSoftmax(
        t, margin=1.0
    )


def columns_table(data: Path, n_seeds: int) -> None:
    drawn = [columns(data, seed) for seed in range(n_seeds)]
    prices = ["retail_price", "discounted_price"]
    models: dict[str, Callable[[Any], Any]] = {
        "title": lambda t: ensemble.make_views(t, ["product_name"]).models[0],
        "title, brand joined": joined,
        "title, brand": lambda t: ensemble.make_views(t, ["product_name"], ["brand"]),
        "title, brand, prices": lambda t: ensemble.make_views(
            t, ["product_name"], ["brand"], prices
        ),
        "title, prices": lambda t: ensemble.make_views(t, ["product_name"], numbers=prices),
        "title, noise": lambda t: ensemble.make_views(t, ["product_name"], ["noise"]),
    }
    base: list[Measures] = []
    print(f"\n{'Columns of products':22}" + "".join(f"{title:>15}" for title in Measures._fields))
    for name, make in models.items():
        found = [measured(online(make), c) for c in drawn]
        base = base or found
        print(f"{name:22}" + "".join(f"{cell:>15}" for cell in cells(found, base)), flush=True)


def with_error(values: Sequence[float], base: Sequence[float], digits: int = 3) -> str:
    """The mean, and the standard error of the difference from the base."""
    if math.isnan(values[0]):
        return ""
    mean = f"{statistics.mean(values):.{digits}f}"
    gaps = [a - b for a, b in zip(values, base, strict=False)]
    if not any(gaps) or len(gaps) < 2:
        return mean
    return f"{mean} ({statistics.stdev(gaps) / math.sqrt(len(gaps)):.{digits}f})"


def cells(found: list[Measures], base: list[Measures]) -> Iterator[str]:
    for name, digits in zip(Measures._fields, (3, 3, 3, 1, 1, 1), strict=True):
        column, of_base = ([getattr(m, name) for m in some] for some in (found, base))
        yield with_error(column, of_base if name in ("wrong", "distance") else column, digits)


def main(data: Path, n_seeds: int, only: str) -> None:
    for name, make in COLLECTIONS.items():
        if only not in name:
            continue
        drawn = [make(data, seed) for seed in range(n_seeds)]
        base = [measured(MODELS[BASE], c) for c in drawn]
        print(f"\n{name:22}" + "".join(f"{title:>15}" for title in Measures._fields))
        for model, learn in MODELS.items():
            if "calibrated" in model and len(drawn[0].taxonomy) > 1_000:
                continue
            some = drawn[:1] if "calibrated" in model else drawn
            found = base if model == BASE else [measured(learn, c) for c in some]
            line = "".join(f"{cell:>15}" for cell in cells(found, base))
            print(f"{model:22}{line}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the collections")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--only", default="", help="a part of the name of a collection")
    arguments = parser.parse_args()
    main(arguments.data, arguments.seeds, arguments.only)
    columns_table(arguments.data, arguments.seeds)
