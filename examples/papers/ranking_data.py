"""Examples whose labels are leaves: the trees of RCV1, Enron, and images."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from river_hier import Taxonomy, datasets

Examples = list[tuple[dict[str, float], list[str]]]
Section = tuple[Taxonomy, Examples, Examples]  # taxonomy, to train on, to test on


def rcv1(folder: Path, n: int) -> Iterator[tuple[str, Section]]:
    """All topics and each of their four trees: n documents to train on and as many to test."""
    stream = datasets.RCV1(str(folder))
    topics = stream.taxonomy
    documents = [(x, {topics.root} | {v for v in y if y[v]}) for x, y in tqdm(stream, desc="read")]
    for name in (topics.root, *topics.children(topics.root)):
        nodes = set(topics.subtree(name))
        tree = Taxonomy([(p, v) for p, v in topics.edges if p in nodes], root=name)
        misc = tree.misc_leaves()
        mine = [(x, misc.leaves(on & nodes)) for x, on in documents if name in on][: 2 * n]
        yield name, (misc.taxonomy, mine[:n], mine[n:])


def enron(folder: Path, n: int) -> Section:
    """E-mail by topic and tone: the words that occur, as vectors of norm 1; n of each part."""
    parts: list[Examples] = []
    for part in ("trainvalid", "test"):
        stream = datasets.HMC(folder, "Enron_corr", (part,))
        misc, examples = stream.taxonomy.misc_leaves(), []
        for x, y in stream:
            words = [word for word in x if x[word]]
            if words:  # some mails have none
                examples.append((dict.fromkeys(words, len(words) ** -0.5), misc.leaves(y)))
        parts.append(random.Random(0).sample(examples, n))
    train, test = parts
    return misc.taxonomy, train, test


def imclef(folder: Path, n: int) -> Section:
    """X-ray images by body region, all of them at leaves of one depth: n of each part."""
    parts: list[Examples] = []
    for part in ("train", "test"):
        stream = datasets.HMC(folder, "ImCLEF07D", (part,))
        tree = stream.taxonomy
        images = random.Random(0).sample(list(stream), n)  # the file is not in random order
        parts.append([(unit(x), [v for v in tree.leaves if y[v]]) for x, y in images])
    train, test = parts
    return tree, train, test


def unit(x: dict[str, float]) -> dict[str, float]:
    norm = math.sqrt(sum(value * value for value in x.values())) or 1.0
    return {name: value / norm for name, value in x.items() if value}
