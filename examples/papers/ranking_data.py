"""Examples whose labels are leaves: the trees of RCV1, and Enron."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from river_hier import Taxonomy, datasets

Examples = list[tuple[dict[str, float], list[str]]]
Section = tuple[Taxonomy, Examples, Examples]  # taxonomy, to train on, to test on


def with_other_leaves(taxonomy: Taxonomy) -> Taxonomy:
    """One more leaf under each inner node, for what ends there."""
    return Taxonomy([*taxonomy.edges, *((v, f"{v}, other") for v in taxonomy.inner)])


def leaves_of(taxonomy: Taxonomy, on: set[str]) -> list[str]:
    """Where a multilabel ends, as leaves."""
    ends = [v for v in taxonomy.nodes if v in on and on.isdisjoint(taxonomy.children(v))]
    return [v if not taxonomy.children(v) else f"{v}, other" for v in ends]


def rcv1(folder: Path, n: int) -> Iterator[tuple[str, Section]]:
    """All topics and each of their four trees: n documents to train on and as many to test."""
    stream = datasets.RCV1(str(folder))
    topics = stream.taxonomy
    documents = [(x, {topics.root} | {v for v in y if y[v]}) for x, y in tqdm(stream, desc="read")]
    for name in (topics.root, *topics.children(topics.root)):
        nodes = set(topics.subtree(name))
        tree = Taxonomy([(p, v) for p, v in topics.edges if p in nodes], root=name)
        mine = [(x, leaves_of(tree, on & nodes)) for x, on in documents if name in on][: 2 * n]
        yield name, (with_other_leaves(tree), mine[:n], mine[n:])


def enron(folder: Path) -> Section:
    """E-mail by topic and tone, as Clus's hierarchical ARFF: paths joined by @, words as 0 or 1."""
    parts: list[Examples] = []
    for part in ("trainvalid", "test"):
        examples, paths = [], []
        with gzip.open(folder / f"Enron_corr_{part}.arff.gz", "rt", encoding="utf-8") as lines:
            for line in map(str.strip, lines):
                if line.startswith("@ATTRIBUTE class"):
                    paths = line.split()[-1].split(",")
                elif line and not line.startswith("@"):
                    *values, labels = line.split(",")
                    words = [str(i) for i, value in enumerate(values) if float(value)]
                    if words:  # some mails have none
                        x = dict.fromkeys(words, len(words) ** -0.5)  # norm 1
                        examples.append((x, labels.split("@")))
        parts.append(examples)
    tree = Taxonomy.from_parents({p: p.rpartition("/")[0] or "mail" for p in paths}, root="mail")
    closed = [[(x, set(tree.closure(y))) for x, y in part] for part in parts]
    train, test = ([(x, leaves_of(tree, on)) for x, on in part] for part in closed)
    return with_other_leaves(tree), train, test
