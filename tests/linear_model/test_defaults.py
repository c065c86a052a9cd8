"""With defaults, the recommended learners are never worse than an answer that ignores x."""

import random
import runpy
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from river import preprocessing

from river_hier import Taxonomy, datasets, decision, feature_extraction, linear_model, metrics
from river_hier.datasets import synth
from support.paths import DATA, EXAMPLES

SHORT = runpy.run_path(str(EXAMPLES / "benchmarks" / "short_texts.py"))
Example = tuple[dict[str, float], Any]


class Collection(NamedTuple):
    """Examples with a label each or, if `several`, with a set of labels."""

    taxonomy: Taxonomy
    examples: list[Example]
    several: bool


def words_of(
    taxonomy: Taxonomy, pairs: Iterable[tuple[Any, Any]], several: bool = False
) -> Collection:
    """Words weighted by their rarity, of norm 1."""
    words = feature_extraction.LogTFIDF(min_count=1) | preprocessing.Normalizer()
    examples = []
    for x, y in pairs:
        if isinstance(x, dict):
            x = " ".join(str(part) for part in x.values())
        words.learn_one(x)
        examples.append((dict(words.transform_one(x)), y))
    return Collection(taxonomy, examples, several)


def text(stream: Any) -> Collection:
    """Texts with several labels."""
    return words_of(stream.taxonomy, stream, several=True)


def numbers(x: dict[str, Any]) -> dict[str, float]:
    """Nominal attributes as indicators."""
    return {
        f"{name}={value}" if isinstance(value, str) else name: (
            1.0 if isinstance(value, str) else float(value)
        )
        for name, value in x.items()
    }


def genes(folder: Path, name: str, subsets: Any = None) -> Collection:
    """As published: neither scaled nor filled in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # attributes that are named twice
        stream = datasets.HMC(folder, name, subsets=subsets)
        examples = [(numbers(x), y) for x, y in stream]
    random.Random(0).shuffle(examples)  # some files are sorted by class
    return Collection(stream.taxonomy, examples, True)


def single(collection: Collection) -> Collection:
    """The deepest label of each example, the last of several."""
    t = collection.taxonomy
    examples = [
        (x, max((v for v, on in y.items() if on), key=t.index, default=t.root))
        for x, y in collection.examples
    ]
    return Collection(t, examples, False)


def plain(stream: Any, several: bool, n: int = 5_000) -> Collection:
    """The first examples of a stream that needs no preparation."""
    return Collection(stream.taxonomy, list(stream.take(n)), several)


def dense(several: bool, offset: float = 0.0, scale: float = 1.0) -> Collection:
    """Dense features, as drawn or far from 0 like the pixels of an image."""
    stream: Any = synth.PrototypeTree(branching=3, depth=2, noise=0.04, seed=3)
    if several:
        t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
        stream = synth.LinearLabels(t, n_features=20, seed=3)
    drawn = stream.take(2_000)
    examples = [({k: offset + scale * v for k, v in x.items()}, y) for x, y in drawn]
    return Collection(stream.taxonomy, examples, several)


def queries(folder: Path) -> Collection:
    """CLINC150."""
    return shuffled(words_of(SHORT["intents"](folder), SHORT["queries"](folder, "train")))


def products(folder: Path) -> Collection:
    """Titles of Flipkart, with their category paths."""
    df = SHORT["products"](folder).dropna(subset=["category"])
    t = Taxonomy.from_paths(df.category, separator=" >> ", labels="path")
    return shuffled(words_of(t, zip(df.product_name, df.category, strict=True)))


def shuffled(collection: Collection) -> Collection:
    """In a random order, the same each time."""
    examples = list(collection.examples)
    random.Random(0).shuffle(examples)
    return collection._replace(examples=examples)


SYNTHETIC: dict[str, Callable[[], Collection]] = {
    "several labels": lambda: dense(True),
    "several labels, like pixels": lambda: dense(True, 100.0, 30.0),
    "one label": lambda: dense(False),
    "one label, like pixels": lambda: dense(False, 100.0, 30.0),
}

REAL: dict[str, tuple[str, Callable[[Path], Collection]]] = {
    "RCV1": ("rcv1", lambda f: plain(datasets.RCV1(f), True)),
    "Reuters-21578": ("reuters21578", lambda f: text(datasets.Reuters21578(f))),
    "OHSUMED": ("ohsumed", lambda f: text(datasets.OHSUMED(f, root="C"))),
    "Enron": ("hmc", lambda f: genes(f, "Enron_corr", ("trainvalid",))),
    "ImCLEF07D": ("hmc", lambda f: genes(f, "ImCLEF07D", ("train",))),
    "cellcycle_FUN": ("hmc", lambda f: genes(f, "cellcycle_FUN", ("train", "valid"))),
    "cellcycle_GO": ("hmc", lambda f: genes(f, "cellcycle_GO", ("train", "valid"))),
    "gasch1_GO": ("hmc", lambda f: genes(f, "gasch1_GO", ("train", "valid"))),
    "CLINC150": ("clinc150", queries),
    "products": ("products", products),
    "TIMIT": ("timit", lambda f: plain(datasets.TIMITSegments(f), False)),
    "ImCLEF07D, one label": ("hmc", lambda f: single(genes(f, "ImCLEF07D", ("train",)))),
}

FIRST, LAST = 500, 1_500  # the examples that count


def several(t: Any) -> Any:
    """What docs/choosing.md recommends for several labels."""
    return decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t)))


def losses(model: Any, collection: Collection, metric: Any) -> list[float]:
    """Those of a model that learns as it goes, or of an answer that is always the same."""
    sums = [0.0]
    for i, (x, y) in enumerate(collection.examples[:LAST]):
        if i >= FIRST:
            metric.update(y, model.predict_one(x) if hasattr(model, "predict_one") else model)
            sums.append(len(sums) * metric.get())
        if hasattr(model, "learn_one"):
            model.learn_one(x, y)
    return np.diff(sums).tolist()


def compare(collection: Collection) -> None:
    """The learner is not worse, up to twice the standard error of the difference."""
    t = collection.taxonomy
    if collection.several:
        make, loss = several, metrics.HLoss
        constant: Any = []
    else:
        make, loss = linear_model.AveragedHieron, metrics.TreeInducedError
        labels = Counter(y for _, y in collection.examples[FIRST:LAST])
        constant = min(t, key=lambda v: sum(n * t.distance(v, y) for y, n in labels.items()))
    ours, theirs = (losses(model, collection, loss(t)) for model in (make(t), constant))
    excess = np.array(ours) - theirs
    assert excess.mean() <= 2.0 * excess.std() / len(excess) ** 0.5, (
        f"{np.mean(ours):.3f}, and {np.mean(theirs):.3f} for {constant!r}"
    )


@pytest.mark.parametrize("name", SYNTHETIC)
def test_on_dense_streams(name: str) -> None:
    compare(SYNTHETIC[name]())


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_on_collections(name: str) -> None:
    folder, read = REAL[name]
    if not (DATA / folder).is_dir():
        pytest.skip(f"no {folder} at {DATA}: set RIVER_HIER_DATA")
    compare(read(DATA / folder))
