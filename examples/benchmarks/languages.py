"""Names of emoji in several languages: the model of short texts beside LinearSVC.

    python examples/benchmarks/languages.py --data FOLDER

FOLDER has `emoji`: names and keywords of emoji in English, German, Japanese, Chinese and Korean,
of which the label is the subgroup (CLDR, by emojibase-data, in JSON lines). Every model has its
default values. `TextViews() | PathSoftmax(margin=1)` and `LogTFIDF() | PathSoftmax()` learn the
training part in three orders, once or three times; LinearSVC learns sublinear tf-idf of characters
(`char_wb`) or of words (`\\w+`). The table has the share of wrong answers on the test part, with
the standard error over its examples of the difference from LinearSVC on characters. The second one
has the calibration error of views, and that of a perfect model on so few examples, in per cent.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC
from tqdm import tqdm
from views import calibration_error

from river_hier import Taxonomy
from river_hier.feature_extraction import LogTFIDF, TextViews
from river_hier.linear_model import PathSoftmax

LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "en": "English", "de": "German"}
Pairs = list[tuple[str, str]]


def read(file: Path) -> tuple[Taxonomy, Pairs, Pairs]:
    """The taxonomy, what is learned and what is tested."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        (_, edges), *rows = map(json.loads, lines)
    train, test = ([(x, y) for of, x, y in rows if of == part] for part in ("train", "test"))
    return Taxonomy(map(tuple, edges)), train, test


def online(make: Any, n_passes: int, train: Pairs, test: Pairs) -> Any:
    """Whether each answer is wrong, as a mean over three orders."""
    wrong = []
    for seed in range(3):
        model, order = make(), list(train)
        random.Random(seed).shuffle(order)
        for text, label in order * n_passes:
            model.learn_one(text, label)
        wrong.append([model.predict_one(text) != label for text, label in test])
    return np.mean(wrong, axis=0)


def batch(train: Pairs, test: Pairs, **options: Any) -> Any:
    features = TfidfVectorizer(sublinear_tf=True, **options)
    texts, labels = zip(*train, strict=True)
    model = LinearSVC().fit(features.fit_transform(texts), labels)
    texts, labels = zip(*test, strict=True)
    return model.predict(features.transform(texts)) != np.array(labels)


def row(name: str, file: Path) -> str:
    t, train, test = read(file)
    svc = batch(train, test, analyzer="char_wb", ngram_range=(1, 3))
    found = [
        online(lambda: LogTFIDF() | PathSoftmax(t), 3, train, test),
        online(lambda: TextViews() | PathSoftmax(t, margin=1), 1, train, test),
        online(lambda: TextViews() | PathSoftmax(t, margin=1), 3, train, test),
        batch(train, test, token_pattern=r"\w+"),
        svc,
    ]
    cells = [f"{wrong.mean():.3f}" for wrong in found]
    cells[2] += f" ({np.std(found[2] - svc) / math.sqrt(len(test)):.3f})"
    return " | ".join([f"| {name}", *cells]) + " |"


def calibration(name: str, file: Path) -> str:
    """Calibration errors after one pass and after three, each with the expected one."""
    t, train, test = read(file)
    cells = []
    for n_passes in (1, 3):
        model, order = TextViews() | PathSoftmax(t, margin=1), list(train)
        random.Random(0).shuffle(order)
        for text, label in order * n_passes:
            model.learn_one(text, label)
        found = [model.predict_proba_one(text) for text, _ in test]
        top = np.array([max(p.values()) for p in found])
        right = [max(p, key=p.__getitem__) == y for p, (_, y) in zip(found, test, strict=True)]
        rng = np.random.default_rng(0)
        drawn = [calibration_error(top, rng.random(len(top)) < top) for _ in range(100)]
        cells.append(f"{calibration_error(top, np.array(right)):.1f} ({np.mean(drawn):.1f})")
    return " | ".join([f"| {name}", *cells]) + " |"


def main(folder: Path) -> None:
    files = {LANGUAGES[each]: folder / f"{each}.jsonl.gz" for each in LANGUAGES}
    lines = [row(*each) for each in tqdm(files.items())]
    print("| | words, 3 passes | views | views, 3 passes | SVM, words | SVM, characters |")
    print("|---|" + "---:|" * 5, *lines, sep="\n")
    print("\n| | one pass | three passes |\n|---|---:|---:|")
    print(*(calibration(*each) for each in files.items()), sep="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    main(parser.parse_args().data / "emoji")
