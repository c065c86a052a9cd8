"""This library and its peers, side by side on RCV1: the same documents, the same losses.

    python tests/bench/peers.py --data FOLDER

Peers are used as their own documentation does, on one core; those not installed are skipped.
Online learners learn from the first `--train` documents, block by block, one learner after the
other, so that a machine that slows down slows all of them; then they predict the next `--test`
documents in the same way. A rate is the median over the blocks, in documents a second, and in
brackets as a multiple of the first row's. Batch learners get all documents at once. All start from
dicts; who needs another form has a second rate, for documents put into that form beforehand.
Losses are those of the answers as they are: nobody's topics are completed by their ancestors, or
cut down to the taxonomy. MB is what is installed beyond numpy and scipy.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from river import linear_model as river_linear_model
from river import multioutput
from tqdm import tqdm

from river_hier import Taxonomy, datasets, linear_model, metrics

BLOCK = 200
INSTALLED = {d.name.lower().replace("_", "-"): d for d in metadata.distributions()}
HASHED = 2**16  # columns where features are hashed; RCV1 has 47,236 terms
NOTES = """
* River: a Perceptron moves its intercept by 1 a mistake, so its losses swing with where it stops.
* scikit-learn: `SGDClassifier`, hinge loss and all else by default, hashed features.
* VW: all options are in the name but `-b 24`; the other form is its own, parsed from text.
* HiClass knows one path a document, here the deepest topic's; logistic regression at every node.
* napkinXC: a tree over the topics that it makes itself, and answers above probability one half.
"""
Xs = list[dict[str, float]]
Ys = list[dict[str, bool]]


class Peer(NamedTuple):
    """How to learn and predict; answers are dicts or sets of topics, or lists of their numbers."""

    learn: Callable[[Any], object]
    predict: Callable[[Any], Any]
    prepare: Callable[[Xs, Ys], Any] | None = None  # into another form; to predict, without Ys
    online: bool = True


def each(call: Callable[..., Any]) -> Callable[[Iterable[Any]], list[Any]]:
    return lambda prepared: [call(example) for example in prepared]


def numbers(y: dict[str, bool]) -> list[int]:
    return [i for i, yes in enumerate(y.values()) if yes]


def dicts(model: Any) -> Peer:
    """Ours and River's."""
    return Peer(each(lambda example: model.learn_one(*example)), each(model.predict_one))


def sgd(t: Taxonomy, a_call: int) -> Peer:
    """scikit-learn: one `SGDClassifier` a topic, which gets a matrix."""
    from sklearn import feature_extraction, linear_model, multioutput
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # the threads of BLAS would wait for each other at every document
    hasher = feature_extraction.FeatureHasher(HASHED)
    one = linear_model.SGDClassifier(shuffle=False, random_state=0)
    model = multioutput.MultiOutputClassifier(one)
    classes = [np.array([False, True])] * (len(t) - 1)

    def prepare(xs: Xs, ys: Ys) -> list[Any]:
        X, Y = hasher.transform(xs).tocsr(), np.array([[*y.values()] for y in ys])
        return [(X[i : i + a_call], Y[i : i + a_call]) for i in range(0, len(xs), a_call)]

    def predict(prepared: list[Any]) -> list[Any]:
        return [np.flatnonzero(row) for X, _ in prepared for row in model.predict(X)]

    return Peer(each(lambda call: model.partial_fit(*call, classes=classes)), predict, prepare)


def vw(options: str) -> Peer:
    """Vowpal Wabbit, which parses lines of text into examples."""
    from vowpalwabbit import Workspace

    model = Workspace(f"{options} -b 24 --quiet")  # room for every term of every topic

    def prepare(xs: Xs, ys: Ys) -> list[Any]:
        labels = [",".join(map(str, numbers(y))) for y in ys] or [""] * len(xs)
        texts = (" ".join(f"{name}:{value}" for name, value in x.items()) for x in xs)
        return [model.example(f"{on} |x {x}") for on, x in zip(labels, texts, strict=True)]

    return Peer(each(model.learn), each(model.predict), prepare)


def hiclass(t: Taxonomy) -> Peer:
    """HiClass, which gets a matrix and the labels of one path a document."""
    from hiclass import LocalClassifierPerNode
    from sklearn import feature_extraction, linear_model
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    hasher = feature_extraction.FeatureHasher(HASHED)
    model = LocalClassifierPerNode(linear_model.LogisticRegression(C=10.0, solver="liblinear"))

    def prepare(xs: Xs, ys: Ys) -> tuple[Any, Any]:
        paths = np.full((len(ys), t.height), "", dtype=object)
        for path, y in zip(paths, ys, strict=True):
            deepest = max((v for v, yes in y.items() if yes), key=t.depth)
            path[: t.depth(deepest)] = t.path(deepest)[1:]
        return hasher.transform(xs).tocsr(), paths

    def predict(prepared: tuple[Any, Any]) -> list[Any]:
        return [{label for label in path if label} for path in model.predict(prepared[0])]

    return Peer(lambda p: model.fit(*p), predict, prepare, online=False)


def napkinxc(optimizer: str) -> Peer:
    """napkinXC, which gets lists of pairs (feature, value) and of topics, all by their numbers."""
    from napkinxc.models import PLT

    folder = tempfile.TemporaryDirectory()  # it keeps its model in files
    model = PLT(folder.name, optimizer=optimizer, threads=1, seed=1)
    model.folder = folder  # deleted with the model

    def prepare(xs: Xs, ys: Ys) -> tuple[Any, Any]:
        X = [[(int(name), value) for name, value in x.items()] for x in xs]
        return X, [numbers(y) for y in ys]

    predict = partial(model.predict, threshold=0.5)
    return Peer(lambda p: model.fit(*p), lambda p: predict(p[0]), prepare, online=False)


def rows(t: Taxonomy, slow: bool) -> list[tuple[str, str, Callable[[], Peer]]]:
    """Of every row of the table the name, what to install, and how to make the learner."""
    models: dict[str, Any] = {
        "H-PERC": linear_model.HPerceptron(t),
        "PERC (flat)": linear_model.HPerceptron(t.flatten()),
        "SH-RLS": linear_model.SHRLS(t),
    }
    if hasattr(linear_model, "HAROW"):
        models["H-AROW"] = linear_model.HAROW(t)
    found: list[Any] = [(f"**{k}**", "river-hier", partial(dicts, m)) for k, m in models.items()]
    for name in ("Perceptron", "PAClassifier"):
        model = multioutput.PerOutputClassifier(getattr(river_linear_model, name)())
        found.append((f"River, a {name} a topic", "river", partial(dicts, model)))
    for n in (BLOCK, 1) if slow else (BLOCK,):
        found += [(f"scikit-learn, {n} a call", "scikit-learn", partial(sgd, t, n))]
    plt = "--kary_tree 16 --loss_function logistic -l 1"  # VW's own demo for a larger RCV1
    for k in (f"--multilabel_oaa {len(t) - 1}", f"--plt {len(t) - 1} {plt}"):
        found += [(f"VW {k}", "vowpalwabbit", partial(vw, k))]
    found.append(("HiClass, one path (batch)", "hiclass", partial(hiclass, t)))
    for k in ("liblinear", "adagrad"):
        found += [(f"napkinXC PLT, {k} (batch)", "napkinxc", partial(napkinxc, k))]
    return found


class Row:
    """A learner, how fast it was, and its losses."""

    def __init__(self, t: Taxonomy, peer: Peer) -> None:
        self.peer, self.labels = peer, t.nodes[1:]
        self.losses: list[Any] = [metrics.HLoss(t), metrics.ZeroOneLoss(t)]
        self.rates: dict[bool, list[list[float]]] = {True: [], False: []}

    def run(self, xs: Xs, ys: Ys, learn: bool) -> None:
        prepared: Any = list(zip(xs, ys, strict=True)) if learn else xs
        start = time.perf_counter()
        if self.peer.prepare is not None:
            prepared = self.peer.prepare(xs, ys if learn else [])
        between = time.perf_counter()
        answers: Any = (self.peer.learn if learn else self.peer.predict)(prepared)
        end = time.perf_counter()
        self.rates[learn].append([len(xs) / (end - start), len(xs) / (end - between)])
        for y, answer in zip(ys, () if learn else answers, strict=not learn):
            named = isinstance(answer, dict | set)
            for loss in self.losses:
                loss.update(y, answer if named else [self.labels[i] for i in answer])

    def cells(self, first: Row) -> list[str]:
        cells = []
        for learn in (True, False):
            base, _ = np.median(first.rates[learn], axis=0)
            both = [f"{r:,.0f} ({r / base:.2g})" for r in np.median(self.rates[learn], axis=0)]
            cells += both if self.peer.prepare else [both[0], ""]
        return cells + [f"{loss.get():.3f}" for loss in self.losses]


def megabytes(package: str) -> str:
    """What a package and all that it needs take on the disk."""
    size, names = 0, [package]
    for name in names:  # it grows
        needs = [r for r in INSTALLED[name].requires or () if "extra ==" not in r]
        needs = [re.split(r"[^\w.-]", r)[0].lower().replace("_", "-") for r in needs]
        names += sorted({*needs} & INSTALLED.keys() - {"numpy", "scipy", *names})
        files = [Path(str(file.locate())) for file in INSTALLED[name].files or ()]
        if name == "river-hier":  # it may be an editable installation
            files = list(Path(datasets.__file__).parents[1].rglob("*"))
        size += sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc")
    return f"{size / 1e6:.0f}"


def main(data: str | None, train: int, test: int, slow: bool) -> None:
    stream = datasets.RCV1(data)
    t, n = stream.taxonomy, train + test
    examples = list(tqdm(stream.take(n), total=n, desc="reading"))
    found = rows(t, slow)
    for package in {package for _, package, _ in found} - INSTALLED.keys():
        print(f"skipped: {package} is not installed (pip install {package})")
    made = [(name, p, Row(t, make())) for name, p, make in found if p in INSTALLED]
    progress = tqdm(total=len(made) * n, unit="doc")
    for learn, part in ((True, examples[:train]), (False, examples[train:])):
        for online, size in ((True, BLOCK), (False, len(part))):
            for start in range(0, len(part), size):
                xs, ys = map(list, zip(*part[start : start + size], strict=True))
                for row in (row for *_, row in made if row.peer.online == online):
                    row.run(xs, ys, learn)
                    progress.update(len(xs))
    progress.close()
    head = "learner | learn/s | other form | predict/s | other form | H-loss | zero-one | MB"
    lines = [[name, *row.cells(made[0][2]), megabytes(p)] for name, p, row in made]
    for cells in (head.split(" | "), ["---", *["---:"] * 7], *lines):
        print("| " + " | ".join(cells) + " |")
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    used = dict.fromkeys(["numpy", "scipy", *(package for _, package, _ in made)])
    print(f"{NOTES}\n{train:,} documents to learn, {test:,} to predict, {len(t) - 1} topics;")
    print(f"{cpu[1] if cpu else platform.processor()}; Python {platform.python_version()},")
    print(", ".join(f"{name} {INSTALLED[name].version}" for name in used), datetime.date.today())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--train", type=int, default=4_000)
    parser.add_argument("--test", type=int, default=2_000)
    parser.add_argument("--slow", action="store_true", help="scikit-learn with one document a call")
    main(**vars(parser.parse_args()))
