"""Words or views of texts, for several labels and for many.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/more_views.py --data FOLDER

FOLDER has `goemotions`, `reuters21578` and `icd`. Words are `LogTFIDF`, views are `TextViews`,
learned in one pass. Several labels: comments and their emotions, of which a fifth of the training
part is for validation, and 5,000 news in order of time, of which the next 1,000 are. The figures
are H-losses and zero-one losses of `HLossBayes(Calibrated(HAROW))`, and those of `HSVM`, support
vector machines in batch, on the same features, as they are after the pass. Many labels: diagnoses
of 1,487 categories, of which a fifth is for validation, by `HierarchicalSoftmax`. The figures are
shares of wrong answers, log losses, and calibration errors of ten bins, with those of `Tempered` in
the second row. Means over three seeds, which determine the parts, with standard errors.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import results
import splits
from tqdm import tqdm

from river_hier import Taxonomy, batch, datasets, metrics
from river_hier.decision import Calibrated, HLossBayes, Tempered
from river_hier.feature_extraction import LogTFIDF, TextViews
from river_hier.linear_model import HAROW, HierarchicalSoftmax

FEATURES = {"words": LogTFIDF, "views": TextViews}
Pairs = list[tuple[str, Any]]
Parts = tuple[Taxonomy, Pairs, Pairs]


def folded(t: Taxonomy, pairs: Pairs, seed: int) -> Parts:
    learn, valid = splits.fold(seed, len(pairs), 0.2)
    return t, [pairs[i] for i in learn], [pairs[i] for i in valid]


def comments(data: Path, seed: int) -> Parts:
    t, pairs = splits.examples(data / "goemotions" / "goemotions.jsonl.gz")
    return folded(t, [(x, set(y.split(" > "))) for x, y in pairs], seed)


def news(data: Path, seed: int) -> Parts:
    stream = datasets.Reuters21578(data / "reuters21578")
    stories = islice(stream, 1_800 * seed, 1_800 * seed + 6_000)
    pairs = [(f"{x['title']} {x['body']}", {v for v, on in y.items() if on}) for x, y in stories]
    return stream.taxonomy, pairs[:5_000], pairs[5_000:]


def diagnoses(data: Path, seed: int) -> Parts:
    return folded(*splits.examples(data / "icd" / "icd.jsonl.gz"), seed)


# %% Figures
def losses(t: Taxonomy, model: Any, pairs: Any) -> dict[str, float]:
    measures = {"H-loss": metrics.HLoss(t), "zero-one": metrics.ZeroOneLoss(t)}
    for x, y in pairs:
        answer = model.predict_one(x)
        for measure in measures.values():
            measure.update(y, answer)
    return {name: measure.get() for name, measure in measures.items()}


def several(make: Any, t: Taxonomy, learn: Pairs, valid: Pairs) -> Iterator[tuple[str, Any]]:
    words, model = make(), HLossBayes(Calibrated(HAROW(t)))
    for text, y in learn:
        words.learn_one(text)
        model.learn_one(words.transform_one(text), y)
    rows = [[(words.transform_one(text), y) for text, y in part] for part in (learn, valid)]
    yield "one pass", losses(t, model, rows[1])
    yield "H-SVM", losses(t, batch.HSVM(t).fit(rows[0]), rows[1])


def many(make: Any, t: Taxonomy, learn: Pairs, valid: Pairs) -> Iterator[tuple[str, Any]]:
    for name, model in (
        ("one pass", HierarchicalSoftmax(t)),
        ("Tempered", Tempered(HierarchicalSoftmax(t))),
    ):
        pipeline = make() | model
        for text, y in learn:
            pipeline.learn_one(text, y)
        p = [pipeline.predict_proba_one(text) for text, _ in valid]
        sure = np.array([max(each.values()) for each in p])
        right = [pipeline.predict_one(text) == y for text, y in valid]
        place = np.minimum((10 * sure).astype(int), 9)
        gaps = np.bincount(place, right, 10) - np.bincount(place, sure, 10)
        logs = [math.log(max(each[y], 1e-7)) for each, (_, y) in zip(p, valid, strict=True)]
        error = float(np.abs(gaps).sum()) / len(p)
        yield (
            name,
            {
                "wrong": 1.0 - float(np.mean(right)),
                "log loss": -float(np.mean(logs)),
                "calibration": error,
            },
        )


COLLECTIONS: dict[str, tuple[Callable[[Path, int], Parts], Any]] = {
    "Comments": (comments, several),
    "News": (news, several),
    "Diagnoses": (diagnoses, many),
}


def main(data: Path) -> None:
    for collection, (read, figures) in COLLECTIONS.items():
        rows: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for seed in tqdm(range(3), desc=collection):
            parts = read(data, seed)
            for features, make in FEATURES.items():
                for name, found in figures(make, *parts):
                    for measure, value in found.items():
                        rows[f"{features}, {name}"][measure].append(value)
        print(
            f"{collection:24}" + "".join(f"{measure:>18}" for measure in next(iter(rows.values())))
        )
        for name, measures in rows.items():
            cells = [results.spread(values) for values in measures.values()]
            print(f"{name:24}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    main(parser.parse_args().data)
