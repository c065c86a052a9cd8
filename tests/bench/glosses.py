"""Nouns of WordNet by their glosses: which of many thousand hypernyms has a noun?

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/bench/glosses.py --data FOLDER

FOLDER has WordNet's `data.noun`: /usr/share/wordnet with Debian's package wordnet-base. A noun's
text is its words and its gloss, its label the first hypernym, in the tree of these. A quarter of
the nouns, drawn at random, is predicted after one pass over the others. "At 5" is the share whose
label is among the five likeliest. Times are processor time from strings to labels, in microseconds
a text. "Balanced tree" is `induction.balanced_tree` of the labels alone, from the words of the
examples to learn. Peers that are not installed are skipped.
"""

import argparse
import random
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import numpy as np
from peers import label_tree
from tqdm import tqdm

from river_hier import Taxonomy, induction, inspection, linear_model
from river_hier.feature_extraction import LogTFIDF

K = 5


def nouns(file):
    """The tree of hypernyms, and pairs of a text and a label."""
    above, texts = {}, {}
    for line in file.read_text("utf-8").splitlines():
        if line.startswith(" "):  # the license
            continue
        synset, gloss = line.split(" | ")
        number, _, _, n, *fields = synset.split()
        words = fields[0 : 2 * int(n, 16) : 2]
        pointers = fields[2 * int(n, 16) + 1 :]
        found = [pointers[i + 1] for i in range(0, len(pointers), 4) if pointers[i] in ("@", "@i")]
        if found:
            above[number] = found[0]
        texts[number] = " ".join([*words, gloss]).replace("_", " ")
    labels = set(above.values())
    edges = [(parent, child) for child, parent in above.items() if child in labels]
    return Taxonomy(edges), [(texts[child], parent) for child, parent in above.items()]


# Learners: each learns texts and labels, and returns what gives the likeliest labels of a text.


def ours(learner, features=LogTFIDF):
    def learn(t, texts, labels):
        model = features() | learner(t)
        for text, label in zip(texts, labels, strict=True):
            model.learn_one(text, label)
        return lambda text: [path[-1] for path, _ in inspection.top_one(model, text, K)]

    return learn


def balanced(_, texts, labels):
    bag, means = LogTFIDF(), defaultdict(lambda: defaultdict(float))
    for text, label in zip(texts, labels, strict=True):
        bag.learn_one(text)
        for word, value in bag.transform_one(text).items():
            means[label][word] += value
    tree = induction.balanced_tree(means)
    rank = ours(linear_model.HierarchicalSoftmax)(tree, texts, labels)
    known = set(labels)
    return lambda text: [label for label in rank(text) if label in known]


def vw(options):
    """Vowpal Wabbit, which parses lines of text."""

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


def napkinxc(t, texts, labels):
    """napkinXC in batch."""
    model, bag, names = label_tree(texts, labels)
    return lambda text: [names[i] for i in model.predict(bag.transform([text]), top_k=K)[0]]


LEARNERS = {  # the module, and how it learns
    "**HierarchicalSoftmax**": ("river_hier", ours(linear_model.HierarchicalSoftmax)),
    "**the same, balanced tree**": ("river_hier", balanced),
    "**Hieron**": ("river_hier", ours(linear_model.Hieron)),
    "Vowpal Wabbit --plt": ("vowpalwabbit", vw(f"--plt {{}} --top_k {K}")),
    "Vowpal Wabbit --recall_tree": ("vowpalwabbit", vw("--recall_tree {}")),
    "napkinXC (batch)": ("napkinxc", napkinxc),
}


def row(t, train, test, learn):
    start = time.process_time()
    rank = learn(t, *map(list, zip(*train, strict=True)))
    between = time.process_time()
    found = [rank(text) for text, _ in test]
    end = time.process_time()
    truth = [label for _, label in test]
    first = [labels[0] if labels else t.root for labels in found]
    right = np.mean([a == b for a, b in zip(first, truth, strict=True)])
    at_5 = np.mean([b in some for some, b in zip(found, truth, strict=True)])
    error = np.mean([t.distance(a, b) for a, b in zip(first, truth, strict=True)])
    times = 1e6 * (between - start) / len(train), 1e6 * (end - between) / len(test)
    return [f"{right:.3f}", f"{at_5:.3f}", f"{error:.3f}", *(f"{each:,.0f}" for each in times)]


def main(file):
    t, examples = nouns(file)
    random.Random(0).shuffle(examples)
    test, train = examples[: len(examples) // 4], examples[len(examples) // 4 :]
    labels = {label for _, label in train}
    print(f"{len(train):,} nouns to learn, {len(labels):,} labels of them, {len(t):,} nodes\n")
    print("| learner | right | at 5 | tree error | learn, µs | predict, µs |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for learner, (module, learn) in tqdm(LEARNERS.items(), leave=False):
        try:
            import_module(module)  # before its time is taken
        except ImportError:
            print(f"| {learner} | not installed: pip install {module} | | | | |")
            continue
        print(f"| {learner} | " + " | ".join(row(t, train, test, learn)) + " |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    main(parser.parse_args().data / "data.noun")
