"""Calibration over several passes: which examples were learned before."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import preprocessing

import oracles
from river_hier import Taxonomy, decision, feature_extraction, linear_model
from river_hier.datasets import synth
from river_hier.decision import calibration as sightings
from river_hier.decision.calibration import Sightings

TREE = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
NAMES = ["red", "blue", "shirt", "boots", "wool", "silk", "hat", "old", "new", "big", "men", "kids"]

few_names = st.dictionaries(st.sampled_from("abc"), st.sampled_from([0.0, 1.0, 2.5]), max_size=3)


def news(shown: Sightings, xs: Any) -> list[bool]:
    """Which examples are seen for the first time."""
    found = []
    for x in xs:
        values, _, new = shown.look(x)
        found.append(new)
        shown.add(values)
    return found


@given(st.lists(few_names, max_size=60), st.integers(1, 3))
def test_examples_are_recognised(xs: Any, passes: int) -> None:
    oracle = oracles.FirstTime()
    assert news(Sightings(), xs * passes) == [oracle(x) for x in xs * passes]


def test_words_are_recognised_although_their_weights_change() -> None:
    rng = random.Random(1)
    titles = [" ".join(rng.sample(NAMES, 5)) for _ in range(200)]
    words = feature_extraction.LogTFIDF(min_count=1) | preprocessing.Normalizer()
    model: Any = words | decision.Calibrated(linear_model.HAROW(TREE))
    for title in titles:
        model.learn_one(title, {"b" if "red" in title else "g"})
    last = model["Calibrated"]
    assert not last._sightings.dense
    n = len(last._sightings.seen)
    for title in titles:
        model.learn_one(title, {"b" if "red" in title else "g"})
    assert len(last._sightings.seen) <= n + 5  # words that had weight 0 at first


def test_a_pipeline_inside_shows_examples_as_they_came() -> None:
    """Standardised values change with every example; those before the scaler do not."""
    stream = list(synth.LinearLabels(TREE, n_features=5, seed=1).take(300))
    model = decision.Calibrated(preprocessing.StandardScaler() | linear_model.HAROW(TREE))
    for x, y in stream:
        model.learn_one(x, y)
    assert model._sightings.dense
    before = pickle.dumps(model._calibration)
    for x, y in stream:
        model.learn_one(x, y)
    assert pickle.dumps(model._calibration) == before


def test_a_sample_of_a_long_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded, and no example of a second pass is taken for a new one."""
    monkeypatch.setattr(sightings, "MOST", 100)
    xs = [{f"word {i}": 1.0, f"word {i + 1}": 1.0} for i in range(5000)]
    shown = Sightings()
    first = news(shown, xs)
    assert all(first[:100])
    assert 100 < sum(first) < 1000
    assert 25 <= len(shown.seen) <= 100
    assert not any(news(shown, xs))


def test_text_and_other_values() -> None:
    for xs in (
        ["a title", "another one"],
        [{"title": "red", "price": 1.0}, {"title": "blue", "price": 1.0}],
        [{"x": None, 1: 2.0}, {"x": "\ud800", 1: 2.0}],
        [{("a", 1): 1}, {("a", 2): 1}],
    ):
        assert news(Sightings(), [*xs, *xs]) == [True, True, False, False]


def test_a_few_examples_that_come_again_and_again_do_calibrate() -> None:
    """Six kinds of x with labels at random are no passes: P(b | x) is learned."""
    rng = random.Random(1)
    model = decision.Calibrated(linear_model.HAROW(TREE))
    for _ in range(3000):
        kind = rng.randrange(6)
        model.learn_one({f"kind {kind}": 1.0, "": 1.0}, {"b" if rng.random() < kind / 6 else "f"})
    for kind in range(6):
        p = model.predict_proba_one({f"kind {kind}": 1.0, "": 1.0})["b"][True]
        assert p == pytest.approx(kind / 6, abs=0.2)


def test_copies_and_pickles_remember() -> None:
    shown = Sightings()
    news(shown, [{"a": 1.0}, {"b": 1.0}])
    for same in (copy.deepcopy(shown), pickle.loads(pickle.dumps(shown))):
        assert news(same, [{"b": 1.0}, {"c": 1.0}]) == [False, True]
