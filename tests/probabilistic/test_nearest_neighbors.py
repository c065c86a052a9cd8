"""Nearest neighbours: the oracle, batches, and what is forgotten."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, probabilistic
from support.strategies import features, parents_of, reals, trees

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})


@given(trees(), st.data())
def test_step_by_step(t: Taxonomy, data: st.DataObject) -> None:
    k, budget = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 12))
    model = probabilistic.NearestNeighbors(t, k, budget)
    oracle = oracles.NearestNeighbors(parents_of(t), k, budget)
    labels = st.sampled_from(t.nodes)
    weights = st.sampled_from([0.0, 0.5, 1.0, 1.0])
    examples = st.lists(st.tuples(features(reals), labels, weights), max_size=25)
    for i, (x, y, w) in enumerate(data.draw(examples)):
        # An example as far as the last neighbour may be taken in its place.
        known = {name: value for name, value in x.items() if name in oracle.known}
        far = {round(oracles.squared_distance(known, z), 9) for z, *_ in oracle.examples}
        if len(far) == len(oracle.examples):
            assert model.score_one(x) == pytest.approx(oracle.scores(x), rel=1e-6, abs=1e-6)
        model.learn_one(x, y, w)
        oracle.learn(x, y, w)
        if i == 5:
            model = pickle.loads(pickle.dumps(model))
        if i == 9 and y != t.root:
            model.forget(y)
            oracle.forget(set(t.descendants(y)) | {y})


@pytest.mark.parametrize("budget", [1, 7, 16])
def test_the_latest_examples_vote(budget: int) -> None:
    draws = np.random.default_rng(budget)
    model = probabilistic.NearestNeighbors(TREE, 3, budget)
    oracle = oracles.NearestNeighbors(parents_of(TREE), 3, budget)
    for i in range(60):
        x = dict(enumerate(draws.normal(size=3).tolist()))
        y = str(draws.choice(["b", "c", "d"]))
        assert model.score_one(x) == pytest.approx(oracle.scores(x))
        model.learn_one(x, y)
        oracle.learn(x, y)
        if i % 25 == 20:  # the oldest of those that remain are replaced first
            model.forget("b")
            oracle.forget({"b"})


@given(st.lists(st.integers(1, 70), max_size=4), st.integers(1, 100))
def test_batches_are_loops(sizes: list[int], budget: int) -> None:
    draws = np.random.default_rng(sum(sizes))
    many, loop = (probabilistic.NearestNeighbors(TREE, budget=budget) for _ in range(2))
    for n in sizes:
        X = draws.normal(size=(n, 3))
        y = draws.choice(["b", "c", "d"], n).tolist()
        many.learn_many(X, y)
        for x, label in zip(X, y, strict=True):
            loop.learn_one(x, label)
        assert many.score_one(X[0]) == pytest.approx(loop.score_one(X[0]))
        probabilities: Any = many.predict_proba_many(X)
        expected = [list(many.predict_proba_one(x).values()) for x in X]
        assert np.allclose(probabilities, expected)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="`n_neighbors` must be"):
        probabilistic.NearestNeighbors(n_neighbors=0)
    with pytest.raises(ValueError, match="`budget` must be"):
        probabilistic.NearestNeighbors(budget=0)
    model = probabilistic.NearestNeighbors(TREE)
    with pytest.raises(ValueError, match="scale x"):
        model.learn_one({"x": 1e150}, "b")
    assert model.predict_proba_one({"x": 1.0}) == dict.fromkeys(TREE.nodes, 0.2)
