"""One fold: a tree from the counts, and every decomposition trained alike and tested."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
from river import linear_model, multiclass, optim
from sklearn.feature_extraction import DictVectorizer
from sklearn.svm import SVC

from river_hier import Taxonomy, induction

FEW = 10  # classes, up to which the paper finds an advantage; up to here SVMs take no time
PASSES = 3


def decompositions(best: Taxonomy, worst: Taxonomy) -> dict[str, Any]:
    binary = linear_model.LogisticRegression(optim.SGD(10.0), intercept_lr=0.1)
    return {
        "hard": induction.BinaryDecomposition(binary, best),
        "soft": induction.SoftBinaryDecomposition(binary, best),
        "least R": induction.BinaryDecomposition(binary, worst),
        "all-pairs": multiclass.OneVsOneClassifier(binary),
        "one-vs-rest": multiclass.OneVsRestClassifier(binary),
    }


def one_word_error(builder: induction.JensenShannonTree) -> float:
    """How often the best guess of the class from a single word is wrong, by the counts."""
    n = sum(builder.class_counts.values())
    best: dict[str, float] = {}
    for label, counts in builder.feature_counts.items():
        share = builder.class_counts[label] / n / sum(counts.values())
        for word, count in counts.items():
            best[word] = max(best.get(word, 0.0), share * count)
    return 1.0 - sum(best.values())


class SVM:
    """A support vector machine at each inner node, asked from the root down; or for each pair."""

    def __init__(self, train: list[Any], test: list[Any]) -> None:
        vectorizer = DictVectorizer(sparse=False)
        self.X = vectorizer.fit_transform([x for _, x, _ in train])
        self.y = [y for _, _, y in train]
        self.X_test = vectorizer.transform([x for _, x, _ in test])
        self.y_test = [y for _, _, y in test]

    def pairs(self) -> float:
        return 100.0 * float(SVC(C=10.0).fit(self.X, self.y).score(self.X_test, self.y_test))

    def hard(self, tree: Taxonomy) -> float:
        right = 0
        nodes = [(tree.root, np.arange(len(self.X_test)))]  # and the test documents that reach it
        for node, rows in nodes:
            if len(rows) and tree.children(node):
                sides = [set(tree.subtree(child)) for child in tree.children(node)]
                side = np.array(
                    [1 if y in sides[1] else 0 if y in sides[0] else -1 for y in self.y]
                )
                svm = SVC(C=10.0).fit(self.X[side >= 0], side[side >= 0])
                says = svm.predict(self.X_test[rows])
                nodes += [(c, rows[says == i]) for i, c in enumerate(tree.children(node))]
            else:
                right += sum(self.y_test[i] == node for i in rows)
        return 100.0 * right / len(self.y_test)


def fold(train: list[Any], test: list[Any]) -> dict[str, float]:
    builders = [induction.JensenShannonTree(n_restarts=1, seed=seed) for seed in range(10)]
    for builder in builders:
        for counts, _, y in train:
            builder.learn_one(counts, y)
    distributions = builder.class_counts, builder.feature_counts
    # Ten draws, as with `n_restarts=10`, which would keep the best and forget the others.
    draws = [builder.taxonomy() for builder in builders]
    draws.sort(key=lambda tree: induction.tree_recursions(tree, *distributions)[1])
    best, worst = draws[0], draws[-1]
    found = {"height": float(best.height), "one word": one_word_error(builder)}
    found["lower"], found["upper"] = induction.bayes_error_bounds(*distributions)
    _, found["1 - R"] = induction.tree_recursions(best, *distributions)
    for name, model in decompositions(best, worst).items():
        for _ in range(PASSES):
            for _, x, y in train:
                model.learn_one(x, y)
        found[name] = 100.0 * statistics.mean(model.predict_one(x) == y for _, x, y in test)
    if len(builder.class_counts) <= FEW:
        svm = SVM(train, test)
        found["SVM, hard"], found["SVM, all-pairs"] = svm.hard(best), svm.pairs()
    return found
