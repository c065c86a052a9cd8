"""Examples whose labels are leaves: the trees of RCV1, and Enron."""

from __future__ import annotations

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
    """E-mail by topic and tone: the words that occur, as vectors of norm 1."""
    parts: list[Examples] = []
    for part in ("trainvalid", "test"):
        stream = datasets.HMC(folder, "Enron_corr", (part,))
        tree, examples = stream.taxonomy, []
        for x, y in stream:
            words = [word for word in x if x[word]]
            if words:  # some mails have none
                on = {tree.root} | {v for v in y if y[v]}
                examples.append((dict.fromkeys(words, len(words) ** -0.5), leaves_of(tree, on)))
        parts.append(examples)
    train, test = parts
    return with_other_leaves(tree), train, test
