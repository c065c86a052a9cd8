"""Examples labelled with leaves: products, news, e-mails and X-ray images."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
from corpus_weights import unit, weighted

from river_hier import Taxonomy, datasets
from river_hier.taxonomy import MiscLeaves

Examples = list[tuple[dict[str, float], list[str]]]
Section = tuple[Taxonomy, Examples]


def products(folder: Path, n: int) -> Section:
    """At most n titles of products, in the categories of depth 3 with at least 7 titles."""
    rows = pd.read_csv(next(folder.glob("products.csv*"))).drop_duplicates("product_name")
    paths = rows.product_category_tree.str.strip('["]').str.split(" >> ")
    rows["category"] = [" >> ".join(path[:3]) if len(path) >= 3 else None for path in paths]
    sizes = rows.category.value_counts()
    rows = rows[rows.category.isin(sizes.index[sizes >= 7])]
    tree = Taxonomy.from_paths(rows.category, separator=" >> ", labels="path")
    titles = zip(weighted(rows.product_name), rows.category, strict=True)
    examples = [(x, [y]) for x, y in titles]
    return tree, random.Random(0).sample(examples, min(n, len(examples)))


def rcv1(folder: Path, n: int) -> Section:
    """The first n documents of news, with all topics."""
    stream = datasets.RCV1(str(folder))
    misc = MiscLeaves(stream.taxonomy)
    examples = [(x, misc.leaves({v for v in y if y[v]})) for x, y in stream.take(n)]
    return misc.taxonomy, examples


def enron(folder: Path) -> Section:
    """E-mail by topic and tone: the words that occur, as vectors of norm 1."""
    stream = datasets.HMC(folder, "Enron_corr", ("trainvalid", "test"))
    misc, examples = MiscLeaves(stream.taxonomy), []
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
