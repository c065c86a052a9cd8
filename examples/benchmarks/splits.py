"""The collections of the benchmark, each split into a part for training and one for validation.

The publishers' test parts are read only for the table of published results. The seed determines the
split, or the order of the examples if the split is the publisher's.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import short_texts
from numpy.typing import NDArray
from river import datasets as river_datasets
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler, normalize

from river_hier import Taxonomy, datasets

HMC = ("Enron_corr", "ImCLEF07D", "cellcycle_FUN", "cellcycle_GO", "gasch1_GO")
POOLED = (*HMC, "church_FUN")  # their measure is AU(PRC), too
KINDS = {
    "clinc150": "one label, words",
    "products": "one label, words",
    "icd": "one label, words",
    "gaussians": "one label, dense",
    "timit": "one label, dense",
    "letter": "one label, dense",
    "satimage": "one label, dense",
    "digits": "one label, dense",
    "segments": "one label, dense",
    "rcv1": "several labels, words",
    "reuters21578": "several labels, words",
    "ohsumed": "several labels, words",
    "goemotions": "several labels, words",
    "Enron_corr": "several labels, words",
    **dict.fromkeys((*HMC[1:3], "church_FUN"), "several labels, dense"),
    **dict.fromkeys(HMC[3:], "several labels, dense, in a DAG"),
}


class Split(NamedTuple):
    """Rows for training and validation, the same for all methods.

    Rows are sparse, with norm 1, or dense and standardised. A target is one label, or a row of
    booleans for all nodes but the root.
    """

    taxonomy: Taxonomy
    X: Any
    y: Any
    X_valid: Any
    y_valid: Any

    @property
    def single(self) -> bool:
        return isinstance(self.y, list)

    @property
    def dense(self) -> bool:
        return isinstance(self.X, np.ndarray)


def texts(t: Taxonomy, learn: Sequence[str], y: Any, valid: Sequence[str], y_valid: Any) -> Split:
    """Words weighted by their rarity in the training part, as sparse rows."""
    words = TfidfVectorizer(sublinear_tf=True)
    return Split(t, words.fit_transform(learn), y, words.transform(valid), y_valid)


def masks(t: Taxonomy, ys: Sequence[dict[Any, bool]]) -> NDArray[np.bool_]:
    return np.array([[y[v] for v in t.nodes[1:]] for y in ys])


def fold(seed: int, n: int, share: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of the training examples, and of a share of all for validation."""
    order = np.random.default_rng(seed).permutation(n)
    held_out = round(share * n)
    return order[held_out:], order[:held_out]


# %% One label
def clinc150(data: Path, seed: int) -> Split:
    """Queries: the publisher's `train` in random order, and `val`."""
    folder = data / "clinc150"
    pairs, others = (short_texts.queries(folder, split) for split in ("train", "val"))
    random.Random(seed).shuffle(pairs)
    columns = [[part[i] for part in some] for some in (pairs, others) for i in (0, 1)]
    return texts(short_texts.intents(folder), *columns)


def products(data: Path, seed: int) -> Split:
    """Titles: categories of fewer than ten products are cut off; a fifth is for validation."""
    df = short_texts.products(data / "products").dropna(subset=["category"])
    t = Taxonomy.from_paths(df.category, separator=" >> ", labels="path")
    titles, categories = df.product_name.to_numpy(), df.category.to_numpy()
    learn, valid = fold(seed, len(df), 0.2)
    return texts(
        t, titles[learn], categories[learn].tolist(), titles[valid], categories[valid].tolist()
    )


def timit(data: Path, seed: int) -> Split:
    """Phonemes: segments of nine speakers for training, and of three others for validation."""
    whole = datasets.TIMITSegments(data / "timit")
    speakers = sorted({utterance.speaker for utterance in whole.utterances})
    random.Random(seed).shuffle(speakers)
    parts = []
    for some in (speakers[3:], speakers[:3]):
        pairs = list(datasets.TIMITSegments(data / "timit", speakers=some))
        random.Random(seed).shuffle(pairs)
        parts += [np.array([list(x.values()) for x, _ in pairs]), [y for _, y in pairs]]
    X, y, X_valid, y_valid = parts
    scaler = StandardScaler().fit(X)
    return Split(whole.taxonomy, scaler.transform(X), y, scaler.transform(X_valid), y_valid)


def gaussians(data: Path, seed: int) -> Split:
    """Classes whose means scatter around those of their parents, with a shared covariance."""
    rng = np.random.default_rng(seed)
    n, columns = 5_000, 300
    spectrum = np.arange(1, columns + 1.0) ** -0.25  # as in embeddings
    edges, means, level = [], [np.zeros(columns)], [0]
    for depth, children in enumerate((5, 5, 8)):
        parents, level = level, []
        for parent in np.repeat(parents, children).tolist():
            edges.append((parent, len(means)))
            level.append(len(means))
            means.append(means[parent] + 0.8**depth * spectrum * rng.standard_normal(columns))
    shares = rng.permutation(1.0 / np.arange(10, len(level) + 10))
    y = rng.choice(level, n + 2_000, p=shares / shares.sum())
    X = np.array(means)[y] + 4.0 * spectrum * rng.standard_normal((len(y), columns))
    X = X @ np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    X = StandardScaler().fit(X[:n]).transform(X)
    return Split(Taxonomy(edges), X[:n], y[:n].tolist(), X[n:], y[n:].tolist())


def examples(file: Path) -> tuple[Taxonomy, list[tuple[Any, Any]]]:
    """The taxonomy and the training examples of a file of JSON lines; lists are joined."""

    def label(y: Any) -> Any:
        return " > ".join(y) if isinstance(y, list) else y

    with gzip.open(file, "rt", encoding="utf-8") as lines:
        (_, edges), *rows = map(json.loads, lines)
    t = Taxonomy([(label(parent), label(child)) for parent, child in edges])
    return t, [(x, label(y)) for part, x, y in rows if part == "train"]


def icd(data: Path, seed: int) -> Split:
    """Descriptions of diagnoses: their category; a fifth of the training part is for validation."""
    t, pairs = examples(data / "icd" / "icd.jsonl.gz")
    parts = [[pairs[i] for i in some] for some in fold(seed, len(pairs), 0.2)]
    return texts(t, *(column for part in parts for column in map(list, zip(*part, strict=True))))


def columns(name: str) -> Callable[[Path, int], Split]:
    """Letters of the alphabet, or kinds of soil: a fifth of the training part is for validation."""

    def make(data: Path, seed: int) -> Split:
        t, pairs = examples(data / name / f"{name}.jsonl.gz")
        names = list(dict.fromkeys(name for x, _ in pairs for name in x))
        X = np.array([[x.get(name, 0.0) for name in names] for x, _ in pairs])
        return dense(t, X, [y for _, y in pairs], seed)

    return make


def dense(t: Taxonomy | None, X: Any, y: list[Any], seed: int) -> Split:
    """Standardised columns; without a taxonomy, a tree of the means of the labels by Ward."""
    learn, valid = fold(seed, len(X), 0.2)
    X = StandardScaler().fit(X[learn]).transform(X)
    if t is None:
        nodes: list[Any] = sorted(set(y))
        means = [X[learn][[y[i] == v for i in learn]].mean(axis=0) for v in nodes]
        edges = []
        for i, (a, b, *_) in enumerate(linkage(means, "ward"), start=1):
            nodes.append("root" if i == len(means) - 1 else f"group {i}")
            edges += [(nodes[-1], nodes[int(a)]), (nodes[-1], nodes[int(b)])]
        t = Taxonomy(edges)
    return Split(t, X[learn], [y[i] for i in learn], X[valid], [y[i] for i in valid])


def digits(data: Path, seed: int) -> Split:
    """Digits written by hand, from scikit-learn: a fifth is for validation."""
    found = load_digits()
    return dense(None, found.data, [f"digit {v}" for v in found.target], seed)


def segments(data: Path, seed: int) -> Split:
    """Parts of outdoor images, from River: a fifth is for validation."""
    pairs = list(river_datasets.ImageSegments())
    X = np.array([list(x.values()) for x, _ in pairs], dtype=float)
    return dense(None, X, [y for _, y in pairs], seed)


# %% Several labels
def rcv1(data: Path, seed: int) -> Split:
    """News: the publisher's weights; a quarter is for validation."""
    stream = datasets.RCV1(data / "rcv1")
    pairs = list(stream)
    names: dict[Any, int] = {}
    columns = [[names.setdefault(name, len(names)) for name in x] for x, _ in pairs]
    starts = np.cumsum([0, *map(len, columns)])
    values = np.concatenate([list(x.values()) for x, _ in pairs])
    shape = len(pairs), len(names)
    X = sparse.csr_matrix((values, np.concatenate(columns), starts), shape)
    Y = masks(stream.taxonomy, [y for _, y in pairs])
    learn, valid = fold(seed, len(pairs), 0.25)
    return Split(stream.taxonomy, X[learn], Y[learn], X[valid], Y[valid])


def reuters21578(data: Path, seed: int) -> Split:
    """News in chronological order: training on the first 70, 75, ... %, validation on 10 % more."""
    stream = datasets.Reuters21578(data / "reuters21578")
    pairs = list(stream)
    first = round(len(pairs) * (0.70 + 0.05 * (seed % 5)))
    last = first + len(pairs) // 10
    stories = [f"{x['title']} {x['body']}" for x, _ in pairs]
    Y = masks(stream.taxonomy, [y for _, y in pairs])
    return texts(stream.taxonomy, stories[:first], Y[:first], stories[first:last], Y[first:last])


def goemotions(data: Path, seed: int) -> Split:
    """Comments and their emotions: a fifth of the training part is for validation."""
    t, pairs = examples(data / "goemotions" / "goemotions.jsonl.gz")
    Y = np.array([[v in on for v in t.nodes[1:]] for on in (y.split(" > ") for _, y in pairs)])
    learn, valid = fold(seed, len(pairs), 0.2)
    comments = [x for x, _ in pairs]
    parts = ([comments[i] for i in some] for some in (learn, valid))
    return texts(t, next(parts), Y[learn], next(parts), Y[valid])


def ohsumed(data: Path, seed: int) -> Split:
    """Abstracts with their diseases: a quarter is for validation."""
    stream = datasets.OHSUMED(data / "ohsumed", root="C")
    pairs = list(stream)
    abstracts = [f"{x['title']} {x['body']}" for x, _ in pairs]
    Y = masks(stream.taxonomy, [y for _, y in pairs])
    learn, valid = fold(seed, len(pairs), 0.25)
    return texts(
        stream.taxonomy,
        [abstracts[i] for i in learn],
        Y[learn],
        [abstracts[i] for i in valid],
        Y[valid],
    )


def hmc(name: str, test: bool = False) -> Callable[[Path, int], Split]:
    """A collection of Clus: its `valid`, or a quarter of `trainvalid`, is for validation.

    With `test`, all of `trainvalid` is for training, and the publisher's test part is read.
    """

    def make(data: Path, seed: int) -> Split:
        def read(subset: str) -> tuple[list[dict[Any, Any]], NDArray[np.bool_], Taxonomy]:
            stream = datasets.HMC(data / "hmc", name, subsets=(subset,))
            pairs = list(stream)
            t = stream.taxonomy
            # Categories are columns of 0 and 1.
            xs = [
                {(f"{k}={v}" if isinstance(v, str) else k): v for k, v in x.items()}
                for x, _ in pairs
            ]
            for x in xs:
                x.update(dict.fromkeys((k for k, v in x.items() if isinstance(v, str)), 1.0))
            return xs, masks(t, [y for _, y in pairs]), t

        drawn = name in ("Enron_corr", "ImCLEF07D")  # split by the seed
        xs, Y, t = read("trainvalid" if test or drawn else "train")
        if test or not drawn:
            others, Y_valid, _ = read("test" if test else "valid")
            order = np.random.default_rng(seed).permutation(len(xs))
            xs, Y = [xs[i] for i in order], Y[order]
        else:
            learn, valid = fold(seed, len(xs), 0.25)
            others, Y_valid = [xs[i] for i in valid], Y[valid]
            xs, Y = [xs[i] for i in learn], Y[learn]
        names = list(dict.fromkeys(name for x in xs for name in x))
        X, X_valid = (
            np.array([[x.get(n, 0.0 if "=" in n else np.nan) for n in names] for x in some])
            for some in (xs, others)
        )
        if name.startswith("Enron"):  # words
            X, X_valid = (
                sparse.csr_matrix(normalize(np.nan_to_num(rows))) for rows in (X, X_valid)
            )
        else:  # missing values are replaced by the mean
            scaler = StandardScaler().fit(X)
            X, X_valid = (np.nan_to_num(scaler.transform(rows)) for rows in (X, X_valid))
        return Split(t, X, Y, X_valid, Y_valid)

    return make


COLLECTIONS: dict[str, Callable[[Path, int], Split]] = {
    "clinc150": clinc150,
    "products": products,
    "icd": icd,
    "gaussians": gaussians,
    "timit": timit,
    "letter": columns("letter"),
    "satimage": columns("satimage"),
    "digits": digits,
    "segments": segments,
    "rcv1": rcv1,
    "reuters21578": reuters21578,
    "ohsumed": ohsumed,
    "goemotions": goemotions,
    **{name: hmc(name) for name in POOLED},
    **{f"{name}, test": hmc(name, test=True) for name in HMC},
}
