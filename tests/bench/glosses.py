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
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np
from peers import label_tree, right_and_wrong, table, timed, vw

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


def napkinxc(t, texts, labels):
    """napkinXC in batch."""
    model, bag, names = label_tree(texts, labels)
    return lambda text: [names[i] for i in model.predict(bag.transform([text]), top_k=K)[0]]


LEARNERS = {  # the module, and how it learns
    "**HierarchicalSoftmax**": ("river-hier", ours(linear_model.HierarchicalSoftmax)),
    "**the same, balanced tree**": ("river-hier", balanced),
    "**Hieron**": ("river-hier", ours(linear_model.Hieron)),
    "Vowpal Wabbit --plt": ("vowpalwabbit", vw(f"--plt {{}} --top_k {K}")),
    "Vowpal Wabbit --recall_tree": ("vowpalwabbit", vw("--recall_tree {}")),
    "napkinXC (batch)": ("napkinxc", napkinxc),
}


def row(t, train, test, learn):
    found, times = timed(learn, lambda rank, new: [*map(rank, new)], t, train, test)
    first = [labels[0] if labels else t.root for labels in found]
    right, error = right_and_wrong(t, test, first)
    at_5 = np.mean([b in some for some, (_, b) in zip(found, test, strict=True)])
    return [*(f"{share:.3f}" for share in (right, at_5, error)), *times]


def main(file):
    t, examples = nouns(file)
    random.Random(0).shuffle(examples)
    test, train = examples[: len(examples) // 4], examples[len(examples) // 4 :]
    labels = {label for _, label in train}
    print(f"{len(train):,} nouns to learn, {len(labels):,} labels of them, {len(t):,} nodes\n")
    columns = ["right", "at 5", "tree error", "learn, µs", "predict, µs"]
    table(columns, LEARNERS, partial(row, t, train, test))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    main(parser.parse_args().data / "data.noun")
