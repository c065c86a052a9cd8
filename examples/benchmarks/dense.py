"""Which learner suits dense features? One pass with hundreds of columns and up to 1,000 labels.

Three kinds of collections, a part of each for learning and the rest for validation, with several
seeds; nothing is tuned, and no test part is read:

* Gaussian classes in a tree, whose means and covariance are known, so that the best possible
  classifier is, too: 300 columns and 200 labels, and 768 columns and 1,000 labels, some of which
  are rare. The means of children scatter around those of their parents, and a few directions vary
  much more than others, as in embeddings.
* X-ray images (ImCLEF07D): 80 columns and 26 labels; the label is the deepest one of an image.
* Queries (CLINC150): 150 intents in 10 domains; the columns are 300 singular vectors of the
  weighted words and pairs of words. These classes are no Gaussian clouds.

    python examples/benchmarks/dense.py [--data FOLDER]

Without the folder, which holds `hmc` and `clinc150`, only the first kind is run. Nearest class
means, `SGDClassifier` and `AveragedHieron` get standardised features (`AveragedHieron` as vectors
of norm 1, with a constant). The columns are the share of wrong labels and the tree-induced error,
each with its standard error over the seeds.
"""

# %%
from __future__ import annotations

import argparse
import gzip
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from tqdm import tqdm

from river_hier import Taxonomy, datasets, decision, linear_model, metrics, probabilistic

warnings.filterwarnings("ignore", category=UserWarning)  # one pass, and it has not converged


# %% Collections
class Split(NamedTuple):
    """Rows and labels to learn and to validate; the scores of the truth, if it is known."""

    taxonomy: Taxonomy
    X: NDArray[Any]
    y: list[Any]
    X_valid: NDArray[Any]
    y_valid: list[Any]
    truth: NDArray[Any] | None = None


def gaussians(seed: int, columns: int, branching: tuple[int, ...], n: int) -> Split:
    """Labels by a law of Zipf, covariance by a power law, n examples to learn."""
    rng = np.random.default_rng(seed)
    spectrum = np.sqrt(np.arange(1, columns + 1.0) ** -0.5)
    edges, means, level = [], [np.zeros(columns)], [0]
    for k, children in enumerate(branching):
        below = []
        for parent in level:
            for _ in range(children):
                step = 0.8**k * spectrum * rng.standard_normal(columns)
                edges.append((parent, len(means)))
                below.append(len(means))
                means.append(means[parent] + step)
        level = below
    t = Taxonomy(edges)
    shares = rng.permutation(1.0 / np.arange(10, len(level) + 10))
    y = rng.choice(level, n + 2_000, p=shares / shares.sum())
    noise = 4.0 * spectrum
    X = np.array(means)[y] + noise * rng.standard_normal((len(y), columns))
    turn = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    mu = np.array(means)[level] / noise
    scores = X[n:] / noise @ mu.T - (mu**2).sum(axis=1) / 2 + np.log(shares)
    truth = np.array(level)[scores.argmax(axis=1)]
    X = X @ turn
    return Split(t, X[:n], y[:n].tolist(), X[n:], y[n:].tolist(), truth)


def split(seed: int, t: Taxonomy, X: NDArray[Any], y: list[Any]) -> Split:
    """A fifth of the examples, drawn at random, is for validation."""
    order = np.random.default_rng(seed).permutation(len(y)).tolist()
    learn, valid = order[len(y) // 5 :], order[: len(y) // 5]
    return Split(t, X[learn], [y[i] for i in learn], X[valid], [y[i] for i in valid])


def images(data: Path) -> Callable[[int], Split]:
    stream = datasets.HMC(data, "ImCLEF07D")
    t = stream.taxonomy
    examples = list(stream)
    X = np.array([list(x.values()) for x, _ in examples])
    y = [max((v for v, on in y.items() if on), key=t.index) for _, y in examples]
    return lambda seed: split(seed, t, X, y)


def queries(data: Path) -> Callable[[int], Split]:
    folder = data / "clinc150"
    with gzip.open(folder / "data_full.json.gz", "rt") as file:
        rows = json.load(file)
    with (folder / "domains.json").open() as file:
        domains = json.load(file)
    t = Taxonomy(
        [("all", d) for d in domains] + [(d, f"{d}/{i}") for d in domains for i in domains[d]]
    )
    path = {i: f"{d}/{i}" for d, intents in domains.items() for i in intents}
    texts, y = zip(*[(text, path[i]) for text, i in rows["train"] + rows["val"]], strict=True)
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2)).fit_transform(texts)
    X = TruncatedSVD(300, random_state=0).fit_transform(words)
    return lambda seed: split(seed, t, X, list(y))


# %% Learners: labels for the rows of the validation part
def standardised(s: Split) -> tuple[NDArray[Any], NDArray[Any]]:
    mean, scale = s.X.mean(axis=0), s.X.std(axis=0) + 1e-12
    return (s.X - mean) / scale, (s.X_valid - mean) / scale


def nearest_mean(s: Split) -> list[Any]:
    X, X_valid = standardised(s)
    labels = sorted(set(s.y))
    place = {label: i for i, label in enumerate(labels)}
    y = np.array([place[label] for label in s.y])
    means = np.zeros((len(labels), X.shape[1]))
    np.add.at(means, y, X)
    means /= np.bincount(y)[:, None]
    nearest = (X_valid @ means.T - (means**2).sum(axis=1) / 2).argmax(axis=1)
    return [labels[i] for i in nearest.tolist()]


def sgd(s: Split) -> list[Any]:
    X, X_valid = standardised(s)
    model = SGDClassifier(loss="log_loss", max_iter=1, tol=None, shuffle=False)
    return model.fit(X, s.y).predict(X_valid).tolist()


def averaged_hieron(s: Split) -> list[Any]:
    def rows(X: NDArray[Any]) -> NDArray[Any]:
        X = np.hstack([X, np.ones((len(X), 1))])
        return X / np.linalg.norm(X, axis=1, keepdims=True)

    X, X_valid = map(rows, standardised(s))
    model = linear_model.AveragedHieron(s.taxonomy)
    model.learn_many(X, s.y)
    return model.predict_many(X_valid).tolist()


def discriminant(s: Split) -> list[Any]:
    model = probabilistic.LinearDiscriminant(s.taxonomy)
    for first in range(0, len(s.y), 1_000):
        model.learn_many(s.X[first : first + 1_000], s.y[first : first + 1_000])
    return model.predict_many(s.X_valid).tolist()


def for_the_tree(s: Split) -> list[Any]:
    learner = probabilistic.LinearDiscriminant(s.taxonomy)
    learner.learn_many(s.X, s.y)
    model = decision.TreeBayes(learner, s.taxonomy)
    rows = (dict(enumerate(row)) for row in s.X_valid.tolist())
    return [model.predict_one(x) for x in rows]


LEARNERS: dict[str, Callable[[Split], list[Any]]] = {
    "nearest class mean": nearest_mean,
    "AveragedHieron": averaged_hieron,
    "SGDClassifier(log_loss)": sgd,
    "LinearDiscriminant": discriminant,
    "  in TreeBayes": for_the_tree,
}


# %% Results
def errors(s: Split, answers: list[Any]) -> tuple[float, float]:
    distance = metrics.TreeInducedError(s.taxonomy)
    for truth, answer in zip(s.y_valid, answers, strict=True):
        distance.update(truth, answer)
    wrong = np.mean([truth != answer for truth, answer in zip(s.y_valid, answers, strict=True)])
    return float(wrong), distance.get()


def collections(data: Path | None, quick: bool) -> Iterator[tuple[str, Callable[[int], Split]]]:
    small, large = (400, 400) if quick else (5_000, 10_000)
    yield "Gaussian classes, 300 columns", lambda seed: gaussians(seed, 300, (5, 5, 8), small)
    if not quick:
        yield (
            "Gaussian classes, 768 columns",
            lambda seed: gaussians(seed, 768, (10, 10, 10), large),
        )
    if data is not None:
        yield "ImCLEF07D", images(data)
        yield "CLINC150", queries(data)


def main(data: Path | None, n_seeds: int, quick: bool) -> None:
    for name, make in collections(data, quick):
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in tqdm(range(n_seeds), desc=name, leave=False):
            s = make(seed)
            if s.truth is not None:
                found.setdefault("the truth", []).append(errors(s, s.truth.tolist()))
            for learner, answer in LEARNERS.items():
                found.setdefault(learner, []).append(errors(s, answer(s)))
        print(
            f"\n{name}: {len(s.y):,} examples to learn, {len(set(s.y)):,} labels, {n_seeds} seeds"
        )
        print(f"{'':26}{'wrong label':>16}{'tree-induced error':>22}")
        for learner, pairs in found.items():
            means = np.mean(pairs, axis=0)
            deviations = np.std(pairs, axis=0, ddof=1) / np.sqrt(n_seeds)
            cells = [f"{m:.3f} +- {e:.3f}" for m, e in zip(means, deviations, strict=True)]
            print(f"{learner:26}{cells[0]:>16}{cells[1]:>22}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with hmc and clinc150")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="two seeds, 400 examples")
    arguments = parser.parse_args()
    main(arguments.data, 2 if arguments.quick else arguments.seeds, arguments.quick)
