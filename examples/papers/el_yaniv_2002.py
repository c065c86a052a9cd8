"""Is a binary tree over the classes as good as all pairs of them?

Figure 2 of El-Yaniv and Etzion-Rosenberg, "Hierarchical multiclass decompositions with application
to authorship determination" (2002): accuracy against the number of classes, and the bounds that
their trees are chosen by. The paper's collection of authors is not to be had, so classes are topics
of Reuters-21578 here. Every decomposition gets the same online logistic regression; up to ten
classes there are also support vector machines with an RBF kernel, as in the paper. Run it with

    python examples/papers/el_yaniv_2002.py --data FOLDER

where FOLDER holds `reuters21578.tar.gz`. As in the paper, a class has more than 30 documents (and
here no more than 45), words are the 5,000 most frequent ones, classes come one after another in a
random order, and figures are means over three folds; here also over `--orders` such orders.
"""

# %%
from __future__ import annotations

import argparse
import math
import random
import statistics
from collections import Counter
from typing import Any

import numpy as np
from reuters_stories import Example, stories
from river import linear_model, multiclass, optim
from sklearn.feature_extraction import DictVectorizer
from sklearn.svm import SVC
from tqdm import tqdm

from river_hier import Taxonomy, induction

SIZES = (3, 4, 6, 8, 10, 16, 24)
FEW = 10  # classes, up to which the paper finds an advantage; up to here SVMs take no time
PASSES = 3
FOLDS = 3


# %% The data: topics with enough stories, their counts of frequent words
def frequent(examples: list[Example], least: int = 31, most: int = 45) -> dict[str, list[Any]]:
    by_topic: dict[str, list[Any]] = {}
    for x, y in examples:
        by_topic.setdefault(y, []).append(x)
    kept = {y: xs[:most] for y, xs in by_topic.items() if len(xs) >= least}
    total: Counter[str] = Counter()
    for xs in kept.values():
        for x in xs:
            total.update(x)
    words = {word for word, _ in total.most_common(5000)}
    return {y: [{w: n for w, n in x.items() if w in words} for x in xs] for y, xs in kept.items()}


def vector(x: dict[str, int]) -> dict[str, float]:
    """Logarithms of the counts, of unit norm: what the classifiers see."""
    logs = {word: 1.0 + math.log(n) for word, n in x.items()}
    norm = math.sqrt(sum(value * value for value in logs.values())) or 1.0
    return {word: value / norm for word, value in logs.items()}


# %% One fold: a tree from the counts, and every decomposition trained alike
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


def folds(by_topic: dict[str, list[Any]], size: int, order: int) -> list[dict[str, float]]:
    rng = random.Random(order)
    topics = rng.sample(list(by_topic), len(by_topic))[:size]  # larger sizes hold the smaller ones
    # Numbers for labels: the ties of all-pairs go by the order of a set, which strings change.
    examples = [(x, vector(x), y) for y, topic in enumerate(topics) for x in by_topic[topic]]
    rng.shuffle(examples)
    parts = [examples[i::FOLDS] for i in range(FOLDS)]
    return [
        fold([e for other in parts if other is not part for e in other], part) for part in parts
    ]


# %% The figure as a table, and the paper's claims
def difference(
    runs: list[dict[str, float]], ours: str, theirs: str = "all-pairs"
) -> tuple[float, float]:
    """The mean advantage in the same fold, and its standard error."""
    advantages = [run[ours] - run[theirs] for run in runs]
    return statistics.mean(advantages), statistics.stdev(advantages) / math.sqrt(len(advantages))


def show(found: dict[int, list[dict[str, float]]]) -> None:
    def means(k: int, *names: str) -> list[float]:
        return [statistics.mean(run[name] for run in found[k]) for name in names]

    names = ["hard", "soft", "least R", "all-pairs", "one-vs-rest"]
    print("\naccuracy %, and advantage over all-pairs in points (standard error)")
    print("hard, soft: in the tree with the largest R of ten; least R: hard, with the smallest\n")
    print(f"{'classes':8}" + "".join(f"{n:>13}" for n in [*names, "hard", "soft"]))
    for k in found:
        row = "".join(f"{mean:13.1f}" for mean in means(k, *names))
        for ours in ("hard", "soft"):
            mean, error = difference(found[k], ours)
            row += f"{f'{mean:+.1f} ({error:.1f})':>13}"
        print(f"{k:<8}{row}")
    print("\nthe same with support vector machines\n")
    print(f"{'classes':8}{'hard':>13}{'all-pairs':>13}{'hard':>13}")
    for k in (k for k in found if k <= FEW):
        ours, theirs = means(k, "SVM, hard", "SVM, all-pairs")
        mean, error = difference(found[k], "SVM, hard", "SVM, all-pairs")
        print(f"{k:<8}{ours:13.1f}{theirs:13.1f}{f'{mean:+.1f} ({error:.1f})':>13}")
    print("\nerror % of telling the class from one word, its bounds, and the trees\n")
    names = ["lower", "one word", "upper", "1 - R", "height"]
    titles = ["lower bound", "Bayes error", "upper bound", "1 - R(root)", "height", "at most"]
    print(f"{'classes':8}" + "".join(f"{title:>13}" for title in titles))
    for k in found:
        *errors, height = means(k, *names)
        row = "".join(f"{100 * error:13.1f}" for error in errors)
        print(f"{k:<8}{row}{height:13.1f}{k - 1:13}")


def judge(found: dict[int, list[dict[str, float]]]) -> None:
    """Better or worse is what two standard errors cannot explain, over all sizes of a kind."""
    few = [run for k in found if k <= FEW for run in found[k]]
    many = [run for k in found if k > FEW for run in found[k]]

    def better(runs: list[dict[str, float]], ours: str, theirs: str = "all-pairs") -> bool:
        mean, error = difference(runs, ours, theirs)
        return mean > 2 * error

    claims = {}
    for ours in ("hard", "soft"):
        mean, error = difference(many, ours)
        claims[f"{ours}: better than all-pairs up to {FEW} classes"] = better(few, ours)
        claims[f"{ours}: no different from all-pairs beyond"] = abs(mean) <= 2 * error
    svm = better(few, "SVM, hard", "SVM, all-pairs")
    claims[f"SVM, hard: better than all-pairs up to {FEW} classes"] = svm
    claims["the tree with the largest R is a good choice"] = better(
        [*few, *many], "hard", "least R"
    )
    wholly = all(run["height"] == k - 1 for k in found for run in found[k])
    claims["the best trees are wholly skewed"] = wholly
    print()
    for claim, holds in claims.items():
        print(f"{'reproduced    ' if holds else 'not reproduced'}  {claim}")


def main(data: str, orders: int, most: int) -> None:
    by_topic = frequent(stories(data))
    print(f"{len(by_topic)} topics, {sum(map(len, by_topic.values())):,} stories")
    found: dict[int, list[dict[str, float]]] = {k: [] for k in SIZES if k <= most}
    for size in tqdm(found, desc="sizes"):
        for order in range(orders):
            found[size] += folds(by_topic, size, order)
    show(found)
    if most >= SIZES[-1]:
        judge(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="folder with reuters21578.tar.gz")
    parser.add_argument("--orders", type=int, default=3, help="random orders of the classes")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest number of classes")
    arguments = parser.parse_args()
    main(arguments.data, arguments.orders, arguments.most)
