"""With defaults, the recommended learners are never worse than an answer that ignores x."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from river_hier import decision, linear_model, metrics
from support.collections_at_hand import REAL, SYNTHETIC, Collection
from support.paths import DATA

FIRST, LAST = 500, 1_500  # the examples that count


def several(t: Any) -> Any:
    """What docs/choosing.md recommends for several labels in a tree."""
    return decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t)))


def several_in_dag(t: Any) -> Any:
    """What it recommends for several labels in a DAG."""
    return decision.SymmetricDifferenceBayes(decision.Calibrated(linear_model.HAROW(t)))


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
        if not t.is_tree:
            make, loss = several_in_dag, metrics.SymmetricDifferenceLoss
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
