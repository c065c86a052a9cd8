"""Examples labelled with leaves: the trees of RCV1, Enron, and X-ray images."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from river_hier import Taxonomy, datasets

Examples = list[tuple[dict[str, float], list[str]]]
Section = tuple[Taxonomy, Examples]


def rcv1(folder: Path, n: int) -> Iterator[tuple[str, Section]]:
    """All topics, and each of their four trees, with n documents each."""
    stream = datasets.RCV1(str(folder))
    topics = stream.taxonomy
    documents = [(x, {topics.root} | {v for v in y if y[v]}) for x, y in tqdm(stream, desc="read")]
    for name in (topics.root, *topics.children(topics.root)):
        nodes = set(topics.subtree(name))
        tree = Taxonomy([(p, v) for p, v in topics.edges if p in nodes], root=name)
        misc = tree.misc_leaves()
        mine = [(x, misc.leaves(on & nodes)) for x, on in documents if name in on][:n]
        yield name, (misc.taxonomy, mine)


def enron(folder: Path) -> Section:
    """E-mail by topic and tone: the words that occur, as vectors of norm 1."""
    stream = datasets.HMC(folder, "Enron_corr", ("trainvalid", "test"))
    misc, examples = stream.taxonomy.misc_leaves(), []
    for x, y in stream:
        if words := [word for word in x if x[word]]:  # some mails have none
            examples.append((dict.fromkeys(words, len(words) ** -0.5), misc.leaves(y)))
    return misc.taxonomy, examples


def imclef(folder: Path, n: int) -> Section:
    """n X-ray images by body region; all leaves have the same depth."""
    stream = datasets.HMC(folder, "ImCLEF07D", ("train", "test"))
    tree = stream.taxonomy
    images = random.Random(0).sample(list(stream), n)  # the files are sorted
    return tree, [(unit(x), [v for v in tree.leaves if y[v]]) for x, y in images]


def unit(x: dict[str, float]) -> dict[str, float]:
    norm = math.sqrt(sum(value * value for value in x.values())) or 1.0
    return {name: value / norm for name, value in x.items() if value}
