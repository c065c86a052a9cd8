"""One fold: trees built from counts, and the accuracy of all decompositions."""

from __future__ import annotations

import statistics
import time
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from agglomerated import agglomerated
from river import linear_model, multiclass, optim
from sklearn.feature_extraction import DictVectorizer
from sklearn.svm import SVC

from river_hier import Taxonomy, induction
from river_hier.induction import bayes_error_bounds, tree_recursions

FEW = 10  # classes, up to which the paper finds an advantage
RESTARTS = 10
PASSES = 2  # of the online classifiers
COSTS, GAMMAS = (1.0, 10.0), (0.5, 2.0)

SHARES = (1.0, 0.5, 0.0)  # powers of the share of a pair, see `agglomerated`
Rows = Any  # numbers of documents
Setting = tuple[float, float]  # C and gamma


Run = dict[str, float]
PAPER = "n JS, R"  # the tree of the paper, as far as it is known


class Document(NamedTuple):
    """A document, as seen by the trees, the classifiers and the folds."""

    tokens: dict[Any, int]
    vector: dict[Any, float]
    label: int
    group: Hashable  # documents of a group belong to one fold


class Trees(NamedTuple):
    """The trees to compare, their heights, and the bounds of the distributions."""

    by_name: dict[str, Taxonomy]
    figures: dict[str, float]


class SVM:
    """Support vector machines with an RBF kernel; its matrices are computed once."""

    def __init__(self, documents: Sequence[Document]) -> None:
        X = DictVectorizer(sort=False).fit_transform([one.vector for one in documents])
        inner = (X @ X.T).toarray()
        norms = inner.diagonal()
        distances = np.maximum(norms[:, None] + norms - 2.0 * inner, 0.0)
        self.kernels = {gamma: np.exp(-gamma * distances) for gamma in GAMMAS}
        self.y = np.array([one.label for one in documents])

    def accuracy(self, tree: Taxonomy | None, setting: Setting, train: Rows, test: Rows) -> float:
        """In percent, with a machine for each inner node of a tree or each pair of classes."""
        if tree is None:
            return 100.0 * float(np.mean(self._says(setting, train, self.y, test) == self.y[test]))
        right = 0
        nodes = [(tree.root, test)]  # and the test documents that reach it
        for node, rows in nodes:
            children = tree.children(node)
            if children and len(rows):
                sides = [np.isin(self.y, classes_below(tree, child)) for child in children]
                below = train[(sides[0] | sides[1])[train]]
                says = self._says(setting, below, sides[1], rows)
                nodes += [(child, rows[says == i]) for i, child in enumerate(children)]
            else:
                right += int(np.sum(self.y[rows] == node))
        return 100.0 * right / len(test)

    def best(self, tree: Taxonomy | None, rows: Rows) -> Setting:
        """C and gamma by two-fold cross-validation on these documents."""
        halves = rows[::2], rows[1::2]
        settings = [(C, gamma) for C in COSTS for gamma in GAMMAS]
        return max(
            settings,
            key=lambda one: sum(self.accuracy(tree, one, *pair) for pair in (halves, halves[::-1])),
        )

    def _says(self, setting: Setting, train: Rows, y: Any, test: Rows) -> Any:
        C, gamma = setting
        seen = np.unique(y[train])
        if len(seen) < 2:  # half of the documents may lack a class
            return np.full(len(test), seen[0] if len(seen) else 0)
        K = self.kernels[gamma]
        svm = SVC(C=C, kernel="precomputed").fit(K[np.ix_(train, train)], y[train])
        return svm.predict(K[np.ix_(test, train)])


def classes_below(tree: Taxonomy, node: Hashable) -> list[int]:
    return [
        v for v in (node, *tree.descendants(node)) if isinstance(v, int)
    ]  # inner nodes have names


def grown(train: Sequence[Document]) -> Trees:
    """Trees by the exponent of JS and by the choice among ten."""
    found: dict[str, Taxonomy] = {}
    for name, sharpness, n_recent in (
        ("n JS, R", 1.0, 0),
        ("JS, R", 0.0, 0),
        ("JS, errors", 0.0, len(train)),
    ):
        builder = induction.JensenShannonTree(RESTARTS, sharpness, n_recent, seed=0)
        for one in train:
            builder.learn_one(one.tokens, one.label)
        found[name] = builder.taxonomy()
    counts = builder.class_counts, builder.feature_counts
    draws = []
    for seed in range(RESTARTS):  # the choice by the smallest R
        one_draw = induction.JensenShannonTree(1, 0.0, 0, seed=seed)
        one_draw.class_counts, one_draw.feature_counts = counts
        draws.append(one_draw.taxonomy())
    found["JS, least R"] = max(draws, key=lambda t: tree_recursions(t, *counts)[1])
    found |= {f"share^{a:g}": agglomerated(*counts, a) for a in SHARES}
    figures = {f"height, {name}": float(tree.height) for name, tree in found.items()}
    figures["one word"] = one_word_error(*counts)
    figures["lower"], figures["upper"] = bayes_error_bounds(*counts)
    _, figures["1 - R"] = tree_recursions(found[PAPER], *counts)
    return Trees(found, figures)


def one_word_error(class_counts: dict[Any, float], feature_counts: Any) -> float:
    """The error of the best guess of the class from a single word, by the counts."""
    n = sum(class_counts.values())
    best: dict[Any, float] = {}
    for label, counts in feature_counts.items():
        share = class_counts[label] / n / sum(counts.values())
        for word, count in counts.items():
            best[word] = max(best.get(word, 0.0), share * count)
    return 1.0 - sum(best.values())


def online(tree: Taxonomy, train: Sequence[Document], test: Sequence[Document]) -> dict[str, float]:
    """The accuracy of the decompositions with River's logistic regression."""
    binary = linear_model.LogisticRegression(optim.SGD(10.0), intercept_lr=0.1)
    found = {}
    for name, model in {
        "online, hard": induction.BinaryDecomposition(binary, tree),
        "online, soft": induction.SoftBinaryDecomposition(binary, tree),
        "online, all-pairs": multiclass.OneVsOneClassifier(binary),
    }.items():
        start = time.process_time()
        for _ in range(PASSES):
            for one in train:
                model.learn_one(one.vector, one.label)
        found[name] = 100.0 * statistics.mean(
            model.predict_one(one.vector) == one.label for one in test
        )
        found[f"seconds, {name.removeprefix('online, ')}"] = time.process_time() - start
    return found


def parts(documents: Sequence[Document], n: int) -> list[Rows]:
    """The documents in n parts of about the same size; a group is in one part."""
    number = {group: i for i, group in enumerate(dict.fromkeys(one.group for one in documents))}
    where = np.array([number[one.group] % n for one in documents])
    return [np.flatnonzero(where == i) for i in range(n)]


def folds(documents: Sequence[Document], n: int) -> list[Run]:
    """All figures of each fold. C and gamma are chosen on the first training set."""
    svm = SVM(documents)
    settings: dict[str, Setting] = {}
    found = []
    for test in parts(documents, n):
        train = np.setdiff1d(np.arange(len(documents)), test)
        trees = grown([documents[i] for i in train])
        settings = settings or {
            "tree": svm.best(trees.by_name["share^1"], train),
            "pairs": svm.best(None, train),
        }
        run = dict(trees.figures)
        run["all-pairs"] = svm.accuracy(None, settings["pairs"], train, test)
        for name, tree in trees.by_name.items():
            run[name] = svm.accuracy(tree, settings["tree"], train, test)
        if len(set(svm.y.tolist())) <= FEW:
            data = ([documents[i] for i in rows] for rows in (train, test))
            run |= online(trees.by_name[PAPER], *data)
        found.append(run)
    return found
