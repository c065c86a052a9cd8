"""Nearest neighbours: the oracle, batches, and what is forgotten."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

import oracles
from river_hier import Taxonomy, probabilistic
from support.strategies import features, parents_of, reals, trees

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})


@given(trees(), st.data())
def test_step_by_step(t: Taxonomy, data: st.DataObject) -> None:
    k, budget = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 12))
    model = probabilistic.DiscriminantNeighbors(t, k, budget)
    oracle = oracles.DiscriminantNeighbors(parents_of(t), k, budget)
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


@pytest.mark.parametrize("budget", [1, 7, 16, 40])
def test_the_latest_examples_vote(budget: int) -> None:
    draws = np.random.default_rng(budget)
    model = probabilistic.DiscriminantNeighbors(TREE, 3, budget)
    oracle = oracles.DiscriminantNeighbors(parents_of(TREE), 3, budget)
    for i in range(60):
        d = 3 + (i > 30)  # a feature arrives late
        x = dict(enumerate((draws.normal(size=d) * [1.0, 10.0, 0.5, 2.0][:d]).tolist()))
        y, w = str(draws.choice(["b", "c", "d"])), float(draws.choice([0.5, 1.0, 2.0]))
        assert model.score_one(x) == pytest.approx(oracle.scores(x))
        model.learn_one(x, y, w)
        oracle.learn(x, y, w)
        if i % 25 == 20:  # the oldest of those that remain are replaced first
            model.forget("b")
            oracle.forget({"b"})


def test_the_metric_ignores_what_does_not_tell_labels_apart() -> None:
    draws = np.random.default_rng(0)
    y = draws.choice(["b", "c", "d"], 1000)
    X = draws.normal(size=(1000, 40))
    X[:, 0] += np.array([{"b": 0.0, "c": 3.0, "d": 6.0}[v] for v in y.tolist()])
    model = probabilistic.DiscriminantNeighbors(TREE)
    model.learn_many(X[:800], y[:800].tolist())
    error = np.mean(np.array(model.predict_many(X[800:])) != y[800:])
    euclidean = KNeighborsClassifier(8).fit(X[:800], y[:800])
    assert error < np.mean(euclidean.predict(X[800:]) != y[800:]) - 0.05
    extreme = probabilistic.DiscriminantNeighbors(TREE)
    for i in range(40):
        extreme.learn_one({"x": 10.0 ** (7 * i - 145), "y": 1e-200 * i}, "bcd"[i % 3])
    assert all(map(np.isfinite, extreme.score_one({"x": 1e140, "y": 1.0}).values()))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="`n_neighbors` must be"):
        probabilistic.DiscriminantNeighbors(n_neighbors=0)
    with pytest.raises(ValueError, match="`budget` must be"):
        probabilistic.DiscriminantNeighbors(budget=0)
    model = probabilistic.DiscriminantNeighbors(TREE)
    with pytest.raises(ValueError, match="scale x"):
        model.learn_one({"x": 1e150}, "b")
    assert model.predict_proba_one({"x": 1.0}) == dict.fromkeys(TREE.nodes, 0.2)
