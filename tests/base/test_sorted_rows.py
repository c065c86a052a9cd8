"""A table that is sorted by category is learned with a warning, in any order of others without."""

import itertools
import random
import warnings
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy
from support.hypothesis_settings import n_examples
from support.makers import SINGLE

T = Taxonomy.from_nested({"r": {"a": ["b", "c", "d"], "e": ["f", "g"]}})
LABELS = ["b", "c", "d", "f", "g"]


def learn(name: str, labels: list[Any], batch: int) -> list[str]:
    """What is warned of."""
    model: Any = SINGLE[name](T)
    rows = [{v: float(v == y) for v in LABELS} for y in labels]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        if batch:
            for i in range(0, len(rows), batch):
                model.learn_many(pd.DataFrame(rows[i : i + batch]), labels[i : i + batch])
        else:
            for x, y in zip(rows, labels, strict=True):
                model.learn_one(x, y)
    return [str(each.message) for each in found if "sorted by category" in str(each.message)]


@pytest.mark.parametrize(
    ("name", "n", "batch"),
    [
        *itertools.product(["Hieron", "LinearDiscriminant"], [60], [60]),
        *itertools.product(["PathSoftmax", "LinearDiscriminant"], [1000], [0, 100]),
        ("Tempered", 1000, 0),
    ],
)
def test_runs_of_equal_labels(name: str, n: int, batch: int) -> None:
    ordered = [y for y in LABELS for _ in range(n // len(LABELS))]
    assert learn(name, ordered, batch)
    random.Random(1).shuffle(ordered)
    assert not learn(name, ordered, batch)


@given(st.lists(st.integers(1, 40), min_size=3, max_size=5), st.randoms())
@n_examples(30)
def test_rows_in_random_order_are_no_runs(counts: list[int], rng: random.Random) -> None:
    labels = [y for y, n in zip(LABELS, counts, strict=False) for _ in range(n)]
    rng.shuffle(labels)
    runs = 1 + sum(a != b for a, b in itertools.pairwise(labels))
    if runs > 2 * len(counts) - 2:
        assert not learn("Hieron", labels, len(labels))
