"""Softmax regression with one covariance: the oracle, batches, and scikit-learn in one pass."""

import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import oracles
from river_hier import Among, Taxonomy, feature_extraction, linear_model, probabilistic
from support.strategies import parents_of, single_label_streams

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})

weights = st.sampled_from([0.0, 0.25, 1.0, 1.0, 2.0, 7.5])


@given(single_label_streams(), st.data())
def test_step_by_step(stream: Any, data: st.DataObject) -> None:
    t, examples = stream
    model = probabilistic.NewtonSoftmax(t, prior_variance=2.0)
    oracle = oracles.NewtonSoftmax(parents_of(t), 2.0)
    for i, (x, y) in enumerate(examples * 2):
        assert model.score_one(x) == pytest.approx(oracle.scores(x), rel=1e-7, abs=1e-7)
        w = data.draw(weights)
        model.learn_one(x, y, w)
        oracle.learn(x, y, w)
        if i == 5:
            model = pickle.loads(pickle.dumps(model))


def test_late_features_and_labels() -> None:
    """They start as if they had always been there."""
    draws = np.random.default_rng(1)
    early, late = probabilistic.NewtonSoftmax(TREE), probabilistic.NewtonSoftmax(TREE)
    early.learn_one({"x": 0.0, "y": 0.0, "z": 0.0}, "b")
    late.learn_one({"x": 0.0}, "b")
    for i in range(50):
        x = {"x": draws.normal(), "y": draws.normal() * (i > 20), "z": draws.normal() * (i > 40)}
        y = "bcd"[i % 3] if i > 30 else "b"
        early.learn_one(x, y)
        late.learn_one({name: value for name, value in x.items() if value}, y)
    assert early.score_one(x) == pytest.approx(late.score_one(x))
    assert early.predict_proba_one(x)["a"] < 0.01  # a label without examples


def test_forgetting_a_branch() -> None:
    model = probabilistic.NewtonSoftmax(TREE)
    for y in "bcd" * 20:
        model.learn_one({"b": y == "b", "c": y == "c", "d": y == "d"}, y)
    before = model.score_one({"c": 1})
    model.forget("b")
    after = model.score_one({"c": 1})
    assert {v for v in TREE.nodes if before[v] != after[v]} == {"b"}
    assert model.predict_one({"b": 1}) != "b"


def test_one_pass_comes_close_to_the_best_weights() -> None:
    """On correlated features, where single variances are not enough."""
    draws = np.random.default_rng(0)
    mixed = draws.normal(size=(50, 50)) @ np.diag(np.logspace(0, -1, 50))
    X = draws.normal(size=(4000, 50)) @ mixed
    X /= np.sqrt(np.square(X).sum(axis=1).mean())
    true = draws.normal(size=(50, 4)) * 3.0
    y = np.array(["abcd"[v] for v in (X @ true + draws.gumbel(size=(4000, 4))).argmax(axis=1)])
    batch = LogisticRegression(C=10.0, max_iter=1000).fit(X[:3000], y[:3000])

    def log_loss(p: Any) -> float:
        return float(-np.log(p[np.arange(1000), np.searchsorted(list("abcd"), y[3000:])]).mean())

    found = {}
    for cls in (probabilistic.NewtonSoftmax, linear_model.PathSoftmax):
        model = cls(Taxonomy.flat("abcd"))
        model.learn_many(X[:3000], y[:3000].tolist())
        found[cls] = log_loss(model.predict_proba_many(X[3000:])[:, 1:])
    best = log_loss(batch.predict_proba(X[3000:]))
    assert found[probabilistic.NewtonSoftmax] < best + 0.02
    assert found[probabilistic.NewtonSoftmax] < found[linear_model.PathSoftmax]


def test_large_examples_are_refused() -> None:
    model = probabilistic.NewtonSoftmax(TREE)
    model.learn_one({"x": 1e5}, "b")
    for x, w in (({"x": 1.01e5}, 1.0), ({"x": 1e5}, 1.1)):
        with pytest.raises(ValueError, match="scale x"):
            model.learn_one(x, "b", w)
    with pytest.raises(ValueError, match="`prior_variance` must be"):
        probabilistic.NewtonSoftmax(TREE, prior_variance=0.0)


@given(st.lists(st.tuples(st.sampled_from([1e-9, 1.0, 1e5]), st.sampled_from("bcd")), max_size=60))
def test_scores_stay_finite(examples: list[tuple[float, str]]) -> None:
    model = probabilistic.NewtonSoftmax(TREE)
    for scale, y in examples:
        x = {"x": scale, y: scale / 2.0} if scale < 1e5 else {"x": scale}
        model.learn_one(x, y)
        assert all(np.isfinite(list(model.score_one(x).values())))
        assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)


def test_a_boundary_of_any_shape() -> None:
    """A disc inside a square, behind random Fourier features."""
    draws = np.random.default_rng(0)
    X = draws.uniform(-2.0, 2.0, size=(1500, 2))
    y = np.where(np.hypot(*X.T) < 1.3, "in", "out").tolist()
    Z = feature_extraction.RandomFourierFeatures(n_components=200).transform_many(X)
    model = probabilistic.NewtonSoftmax()
    model.learn_many(Z[:1000], y[:1000])
    assert np.mean(model.predict_many(Z[1000:]) == np.array(y[1000:])) > 0.97


def test_evidence_that_is_certain_leaves_finite_numbers() -> None:
    """Rounding may make the probabilities of all that may be true more than 1."""
    model, rng = probabilistic.NewtonSoftmax(Taxonomy.flat(["a", "b"])), random.Random(0)
    for _ in range(300):
        x = {name: rng.gauss(0.0, 1.0) for name in "pqr"}
        model.learn_one(x, rng.choice(["a", "b", Among("a", "b")]))
    assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)
