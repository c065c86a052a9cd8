"""Models that learn each example several times."""

import pickle
from collections import Counter
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import preprocessing

from river_hier import (
    Below,
    Known,
    Not,
    Taxonomy,
    decision,
    drift,
    ensemble,
    feature_extraction,
    forest,
    linear_model,
    probabilistic,
)
from river_hier._core import learned_before
from river_hier.stream import Replayed, learn_names
from support.hypothesis_settings import n_examples
from support.strategies import multilabel_streams, single_label_streams

T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f"]}, "g": ["h", "i"]}})


class Counting(linear_model.HPerceptron):
    """Counts how often it learns each example, by its feature."""

    def __init__(self, taxonomy: Any = None) -> None:
        super().__init__(taxonomy)
        self.learned: list[Any] = []

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        self.learned.append((*x, w))
        super().learn_one(x, y, w)


@given(data=st.data(), times=st.integers(1, 4), size=st.integers(3, 9))
@n_examples(30)
def test_as_a_loop(data: Any, times: int, size: int) -> None:
    single = data.draw(st.booleans())
    t, examples = data.draw(single_label_streams() if single else multilabel_streams())
    alone = linear_model.Hieron(t) if single else linear_model.HAROW(t)
    model = Replayed(alone.clone(), times, size)
    later = [k * size // (times - 1) for k in range(1, times)]
    for i, (x, y) in enumerate(examples):
        assert model.predict_one(x) == alone.predict_one(x)
        model.learn_one(x, y)
        alone.learn_one(x, y)
        for first in (i - ago for ago in later):
            if first >= 0:
                alone.learn_one(*examples[first])
        assert list(model._buffer) == [(x, y, 1.0) for x, y in examples[: i + 1][-size:]]
    assert model.model.weights == alone.weights


def test_how_often_an_example_is_learned() -> None:
    model = Replayed(Counting(T), times=3, buffer_size=50)
    for i in range(200):
        model.learn_one({i: 1.0}, {"c"}, 1.0 + i % 2)
    learned = model.model.learned
    counts = Counter(i for i, _ in learned)
    assert [counts[i] for i in range(200)] == [3] * 150 + [2] * 25 + [1] * 25
    assert all(w == 1.0 + i % 2 for i, w in learned)


def test_examples_of_weight_0_and_refused_ones_are_not_stored() -> None:
    model = Replayed(linear_model.HAROW(T))
    model.learn_one({"x": 1.0}, iter(["c"]))
    before = pickle.dumps(model)
    model.learn_one({"x": 1.0}, {"c"}, 0.0)
    for y, message in (({"unknown"}, "unknown"), ({"c": True, "b": False}, "'b'")):
        with pytest.raises(ValueError, match=message):
            model.learn_one({"x": 2.0}, y)
    assert pickle.dumps(model) == before
    assert list(model._buffer) == [({"x": 1.0}, ["c"], 1.0)]


def test_names_take_no_place_of_examples() -> None:
    """Wherever the transformer of texts stands."""
    views, softmax = feature_extraction.TextViews(), linear_model.PathSoftmax(T, margin=1.0)
    around = Replayed(views.clone() | softmax.clone(), 2, 6)
    behind = views | Replayed(softmax, 2, 6)
    for model in (around, behind):
        for i in range(9):
            model.learn_one(("fur", "road", "a bone")[i % 3], "chi"[i % 3])
        learn_names(model, T.extend([("g", "furry roads")]))
        assert model.predict_one("furry roads") == "furry roads"
    assert [y for _, y, _ in around._buffer] == [*"chichi"]
    assert [y for _, y, _ in behind["Replayed"]._buffer] == [*"chichi"]


def test_forgetting_empties_the_buffer() -> None:
    model = Replayed(decision.Calibrated(linear_model.HAROW(T)), buffer_size=3)
    for _ in range(5):
        model.learn_one({"x": 1.0}, {"c"})
    model.forget("c")
    assert not model._buffer
    for _ in range(9):
        model.learn_one({"x": 1.0}, {"h"})
    assert "h" in model.predict_labels_one({"x": 1.0})


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match="must be a model in a taxonomy"):
        Replayed(preprocessing.StandardScaler())
    with pytest.raises(ValueError, match="`times` must be at least 1, got 0"):
        Replayed(linear_model.HAROW(T), times=0)
    with pytest.raises(ValueError, match="`buffer_size` must be at least 1, got 0"):
        Replayed(linear_model.HAROW(T), buffer_size=0)
    with pytest.raises(ValueError, match="`buffer_size` must be at least 3, got 2"):
        Replayed(linear_model.HAROW(T), times=4, buffer_size=2)


class WithRule(linear_model.PathSoftmax):
    """Learns by the rule in Python, and counts its steps."""

    steps = 0

    def rule(self, *args: Any) -> Any:
        self.steps += 1
        return super().rule(*args)


ONE_LABEL = linear_model.PathSoftmax(T, margin=1.0)
JUDGES = {
    "Tempered": decision.Tempered(ONE_LABEL),
    "Selective": decision.Selective(ONE_LABEL, risk=0.2, window=10),
    "LogarithmicPool": ensemble.LogarithmicPool([ONE_LABEL, linear_model.HierarchicalSoftmax(T)]),
    "Calibrated": decision.Calibrated(linear_model.HAROW(T)),
    "ZeroOneBayes": decision.ZeroOneBayes(linear_model.HAROW(T)),
}


@pytest.mark.parametrize("name", ["Tempered", "Selective", "Calibrated", "ZeroOneBayes"])
@given(data=st.data())
@n_examples(10)
def test_what_judges_answers_may_be_around_or_inside(name: str, data: Any) -> None:
    judge = JUDGES[name]
    single = isinstance(judge.model, linear_model.PathSoftmax)
    t, examples = data.draw(single_label_streams() if single else multilabel_streams())
    model = judge.model.clone({"taxonomy": t})
    inside = Replayed(judge.clone({"model": model}), 3, 4)
    around = judge.clone({"model": Replayed(model.clone(), 3, 4)})
    for x, y in examples:
        inside.learn_one(x, y)
        around.learn_one(x, y)
        assert inside.predict_one(x) == around.predict_one(x)
        p, q = inside.predict_proba_one(x), around.predict_proba_one(x)
        assert all(p[label] == pytest.approx(q[label], rel=1e-9, abs=1e-12) for label in p)


@pytest.mark.parametrize("model", [ONE_LABEL, WithRule(T)], ids=["compiled", "rule"])
def test_a_temperature_learns_from_each_example_once(model: Any) -> None:
    model = model.clone()
    once = [({"x": 1.0, k: 0.5}, y) for k, y in zip("abcd", "cdhi", strict=True)]
    for x, y in once * 2:
        model.learn_one(x, y)
    before, temperature = model.predict_proba_one(once[0][0]), model._state.learned
    with learned_before:
        model.learn_one(*once[0])
        model.learn_many(pd.DataFrame([x for x, _ in once]).fillna(0.0), [y for _, y in once])
    assert model._state.learned == temperature
    assert model.predict_proba_one(once[0][0]) != before
    model.learn_one(*once[0])
    assert model._state.learned != temperature
    assert getattr(model, "steps", 14) == 14


def test_detectors_texts_and_forests_count_each_example_once() -> None:
    watched = drift.BranchReset(ONE_LABEL.clone())
    trees = forest.MultilabelExtraTrees(T, n_trees=2)
    bag = feature_extraction.LogTFIDF(min_count=2)
    for x, text, y in [({"x": 1.0}, "a word", "c"), ({"z": 1.0}, "another word", "h")] * 4:
        watched.learn_one(x, y)
        trees.learn_one(x, {y})
        bag.learn_one(text)
    bag.learn_one("rare word")
    with learned_before:
        watched.learn_one({"x": 1.0}, "h")
        trees.learn_one({"x": 1.0}, {"h"})
        bag.learn_one("rare word")
        bag.learn_many(["rare word"])
    assert watched._step == 8
    losses = trees._forest.saved()[4][5].tolist()
    assert bag.n == 9
    assert "rare" not in bag.dfs
    assert bag.dfs["word"] == 9
    with learned_before:
        for _ in range(20):  # an example in ten is judged
            trees.learn_one({"z": 1.0}, {"c"})
    assert trees._forest.saved()[4][5].tolist() == losses


def test_coefficients_of_a_pool_learn_from_each_example_once() -> None:
    for pool in (JUDGES["LogarithmicPool"].clone(), ensemble.DensePool(T, n_components=20)):
        for x, y in [({"x": 1.0}, "c"), ({"z": 1.0}, "h")] * 3:
            pool.learn_one(x, y)
        coefficients = pool.coefficients
        with learned_before:
            pool.learn_one({"x": 1.0}, "c")
            pool.learn_many(pd.DataFrame([{"x": 1.0}]), ["c"])
        assert (pool.coefficients == coefficients).all()
        pool.learn_one({"x": 1.0}, "c")
        assert (pool.coefficients != coefficients).any()


def test_evidence_is_stored_as_what_it_meant() -> None:
    """A label that one could infer remains one when there are more labels."""
    model = Replayed(probabilistic.DiscriminantNeighbors(Taxonomy.flat(["a", "b"])), 2, 2)
    model.learn_one({"x": 1.0}, Not("a"))
    model.adopt(model.taxonomy_.extend([("root", "c")]))
    for _ in range(4):
        model.learn_one({"x": 1.0}, "a")
    assert model.predict_one({"x": 1.0}) == "a"


@pytest.mark.parametrize(
    ("model", "nothing"),
    [
        (linear_model.PathSoftmax(T), [Below("r")]),
        (linear_model.HAROW(T), [Below("r"), Below(set()), Known({})]),
    ],
)
def test_evidence_that_says_nothing_repeats_nothing(model: Any, nothing: list[Any]) -> None:
    replayed = Replayed(model, 2, 2)
    for y in "cdfh":
        replayed.learn_one({y: 1.0}, y)
    before = pickle.dumps(replayed)
    for y in nothing:
        replayed.learn_one({"c": 2.0}, y)
    assert pickle.dumps(replayed) == before
