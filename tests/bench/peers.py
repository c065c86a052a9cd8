"""This library and its peers on the same raw texts: right answers, tree error and time in one row.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/bench/peers.py --data FOLDER

FOLDER has the collections of `examples/benchmarks/short_texts.py`, in the folders `products` and
`clinc150`. Each learner gets the texts and labels of the training part in one random order, and
then predicts the texts of the other part: a quarter of the products, drawn at random, and the
queries for validation. Times are processor time from strings to labels, on one core, in
microseconds a text; "right" is the share of labels that are predicted exactly, and "tree error"
the mean distance of the prediction from the label in the tree. Peers are used as their
documentation does; those that are not installed are skipped.
"""

import argparse
import random
import sys
import tempfile
import time
from functools import partial
from importlib import import_module, metadata
from pathlib import Path

import numpy as np
from river import feature_extraction as river_features
from river import linear_model as river_linear_model
from river import naive_bayes
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC
from tqdm import tqdm

from river_hier import Taxonomy, feature_extraction, linear_model, stream
from river_hier.sklearn import HierarchicalClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "benchmarks"))
import short_texts

BLOCK = 200  # texts in a call of `partial_fit`


def products(folder):
    rows = short_texts.products(folder / "products").dropna(subset="category")
    examples = list(zip(rows.product_name, rows.category, strict=True))
    random.Random(0).shuffle(examples)
    paths = (category.split(" >> ") for category in rows.category.unique())
    parts = ([" >> ".join(path[:k]) for k in range(1, len(path) + 1)] for path in paths)
    edges = {edge for part in parts for edge in zip(["shop", *part], part, strict=False)}
    n = len(examples) * 3 // 4
    return Taxonomy(sorted(edges), root="shop"), examples[:n], examples[n:]


def queries(folder):
    train = short_texts.queries(folder / "clinc150", "train")
    random.Random(0).shuffle(train)
    test = short_texts.queries(folder / "clinc150", "val")
    return short_texts.intents(folder / "clinc150"), train, test


# Learners: each learns texts and labels, and returns what predicts labels.


def vw(options):
    """Vowpal Wabbit, which parses lines of text: it returns what gives the labels of a text."""

    def learn(t, texts, labels):
        from vowpalwabbit import Workspace

        names = sorted(set(labels))
        number = {label: i for i, label in enumerate(names)}
        first = int("plt" not in options)  # of its numbers
        given = f"{options.format(len(names))} --loss_function logistic -b 24 --quiet"
        model = Workspace(given)

        def words(text):
            return "|x " + text.lower().replace(":", " ").replace("|", " ")

        for text, label in zip(texts, labels, strict=True):
            model.learn(f"{number[label] + first} {words(text)}")

        def rank(text):
            found = model.predict(words(text))
            return [names[i - first] for i in (found if isinstance(found, list) else [found])]

        return rank

    return learn


def one_against_all(t, texts, labels):
    rank = vw("--oaa {}")(t, texts, labels)
    return lambda new: [rank(text)[0] for text in new]


def one_by_one(make):
    """Ours and River's."""

    def learn(t, texts, labels):
        model = make(t)
        for text, label in zip(texts, labels, strict=True):
            model.learn_one(text, label)
        return lambda new: [model.predict_one(text) for text in new]

    return learn


def sgd(t, texts, labels):
    """scikit-learn in one pass, on hashed words."""
    bag = HashingVectorizer(n_features=2**16)
    model = SGDClassifier(loss="log_loss", random_state=0)
    for first in range(0, len(texts), BLOCK):
        some = slice(first, first + BLOCK)
        model.partial_fit(bag.transform(texts[some]), labels[some], classes=sorted(set(labels)))
    return lambda new: model.predict(bag.transform(new)).tolist()


def svc(bag):
    """scikit-learn in batch."""

    def learn(t, texts, labels):
        model = LinearSVC(random_state=0)
        model.fit(bag.fit_transform(texts), labels)
        return lambda new: model.predict(bag.transform(new)).tolist()

    return learn


def hiclass(t, texts, labels):
    """HiClass in batch: names of a path, and a child of its own for each inner label."""
    from hiclass import LocalClassifierPerParentNode

    bag, stop = TfidfVectorizer(sublinear_tf=True), "no deeper"
    paths = np.full((len(labels), t.height + 1), "", dtype=object)
    for row, label in zip(paths, labels, strict=True):
        names = [*t.path(label)[1:], *[stop] * bool(t.children(label))]
        row[: len(names)] = names
    model = LocalClassifierPerParentNode(LinearSVC(random_state=0))
    model.fit(bag.fit_transform(texts), paths)
    return lambda new: [
        [name for name in row if name not in ("", stop)][-1]
        for row in model.predict(bag.transform(new))
    ]


def label_tree(texts, labels):
    """A probabilistic label tree of napkinXC, which makes it itself, its bag and its labels."""
    from napkinxc.models import PLT

    names = sorted(set(labels))
    number = {label: i for i, label in enumerate(names)}
    bag, folder = TfidfVectorizer(sublinear_tf=True), tempfile.TemporaryDirectory()
    model = PLT(folder.name, threads=1, seed=1)
    model.folder = folder  # deleted with the model
    model.fit(bag.fit_transform(texts), [[number[label]] for label in labels])
    return model, bag, names


def napkinxc(t, texts, labels):
    """napkinXC in batch."""
    model, bag, names = label_tree(texts, labels)
    return lambda new: [
        names[found[0]] if found else None for found in model.predict(bag.transform(new), top_k=1)
    ]


def ours(learner, features=feature_extraction.LogTFIDF, **options):
    return one_by_one(lambda t: features() | learner(t, **options))


def thrice(t):
    """Each text twice more, among later ones."""
    model = linear_model.PathSoftmax(t, margin=1.0)
    return feature_extraction.TextViews() | stream.Replayed(model, 3, buffer_size=2_000)


def passes(t, texts, labels):
    """The same model in scikit-learn, where `fit` makes three passes."""
    return HierarchicalClassifier(taxonomy=t).fit(texts, labels).predict


WORDS = TfidfVectorizer(sublinear_tf=True)
VIEWS = make_union(
    TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)),
    TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(4, 4)),
)
LEARNERS = {  # the package, and how it learns
    "**TextViews \\| PathSoftmax(margin=1)**": (
        "river-hier",
        ours(linear_model.PathSoftmax, feature_extraction.TextViews, margin=1.0),
    ),
    "**the same, learned 3 times**": ("river-hier", one_by_one(thrice)),
    "**HierarchicalClassifier, 3 passes**": ("river-hier", passes),
    "**LogTFIDF \\| PathSoftmax**": ("river-hier", ours(linear_model.PathSoftmax)),
    "**LogTFIDF \\| Hieron**": ("river-hier", ours(linear_model.Hieron)),
    "River: naive Bayes": (
        "river",
        one_by_one(lambda _: river_features.BagOfWords() | naive_bayes.MultinomialNB()),
    ),
    "River: TFIDF, softmax": (
        "river",
        one_by_one(lambda _: river_features.TFIDF() | river_linear_model.SoftmaxRegression()),
    ),
    "Vowpal Wabbit --oaa": ("vowpalwabbit", one_against_all),
    "scikit-learn: SGD, one pass": ("scikit-learn", sgd),
    "scikit-learn: LinearSVC (batch)": ("scikit-learn", svc(WORDS)),
    "scikit-learn: LinearSVC (batch), views": ("scikit-learn", svc(VIEWS)),
    "HiClass per parent (batch)": ("hiclass", hiclass),
    "napkinXC (batch)": ("napkinxc", napkinxc),
}
MODULES = {"scikit-learn": "sklearn", "river-hier": "river_hier"}


def timed(learn, predict, t, train, test):
    """Answers, and times to learn and to predict a text."""
    texts, labels = map(list, zip(*train, strict=True))
    new = [text for text, _ in test]
    start = time.process_time()
    model = learn(t, texts, labels)
    between = time.process_time()
    answers = predict(model, new)
    end = time.process_time()
    times = 1e6 * (between - start) / len(texts), 1e6 * (end - between) / len(new)
    return answers, [f"{each:,.0f}" for each in times]


def right_and_wrong(t, test, known):
    pairs = [(a, b) for a, (_, b) in zip(known, test, strict=True)]
    return np.mean([a == b for a, b in pairs]), np.mean([t.distance(a, b) for a, b in pairs])


def row(t, train, test, learn):
    answers, times = timed(learn, lambda predict, new: predict(new), t, train, test)
    known = [t.root if answer is None else answer for answer in answers]
    return [*(f"{share:.3f}" for share in right_and_wrong(t, test, known)), *times]


def table(columns, learners, row_of):
    print("| learner | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for learner, (package, learn) in tqdm(learners.items(), leave=False):
        try:
            import_module(MODULES.get(package, package))  # before its time is taken
        except ImportError:
            print(f"| {learner} | not installed: pip install {package}" + " |" * len(columns))
            continue
        print(f"| {learner} | " + " | ".join(row_of(learn)) + " |", flush=True)


def main(folder):
    collections = {"products": products, "queries": queries}
    for name, read in collections.items():
        t, train, test = read(folder)
        n_words = np.mean([len(text.split()) for text, _ in train])
        print(
            f"\n{name}: {len(train):,} texts to learn, {len(test):,} to predict, "
            f"{n_words:.1f} words, {len(t)} nodes\n"
        )
        columns = ["right", "tree error", "learn, µs", "predict, µs"]
        table(columns, LEARNERS, partial(row, t, train, test))
    packages = dict.fromkeys(package for package, _ in LEARNERS.values())
    found = {one.name.lower(): one.version for one in metadata.distributions()}
    print("\n" + ", ".join(f"{one} {found[one]}" for one in packages if one in found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the collections")
    main(parser.parse_args().data)
