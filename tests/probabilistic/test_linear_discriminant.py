"""Gaussian labels with one covariance: the oracle, the laws, River."""

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import oracles
from river_hier import Taxonomy, decision, probabilistic
from river_hier.base.dataframes import read_batch
from river_hier.datasets import synth
from support.strategies import parents_of, single_label_streams

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})


weights = st.sampled_from([0.0, 0.25, 1.0, 1.0, 2.0, 7.5])


@given(single_label_streams(), st.data())
def test_step_by_step(stream: Any, data: st.DataObject) -> None:
    """Predictions come after every example, or after several."""
    t, examples = stream
    model = probabilistic.LinearDiscriminant(t, shrinkage=2.0, l2=0.5)
    oracle = oracles.LinearDiscriminant(parents_of(t), 2.0, 0.5)
    often = data.draw(st.booleans())
    for i, (x, y) in enumerate(examples):
        if often or i % 3 == 0:
            assert model.score_one(x) == pytest.approx(oracle.scores(x), rel=1e-7, abs=1e-7)
            likely = model.predict_proba_one(x)
            assert sum(likely.values()) == pytest.approx(1.0)
            assert likely[model.predict_one(x)] == pytest.approx(max(likely.values()))
        w = data.draw(weights)
        model.learn_one(x, y, w)
        oracle.learn(x, y, w)
        if i == 5:
            model = pickle.loads(pickle.dumps(model))


def test_forgetting_a_branch_changes_nothing_elsewhere() -> None:
    rng = np.random.default_rng(4)
    t = Taxonomy(
        [("r", "a"), ("r", "b"), *[(p, p + c) for p in "ab" for c in "xyz"], ("ax", "axx")]
    )
    model = probabilistic.LinearDiscriminant(t)
    X = rng.standard_normal((60, 4))
    labels = [t.nodes[i % len(t)] for i in range(60)]
    model.learn_many(X, labels)
    gone = {"ax", *t.descendants("ax")}
    other = [v for v in t.nodes if v not in gone]
    before = model.score_one({0: 1.0, 2: -1.0})
    for _ in range(2):  # forgetting what is forgotten changes nothing
        model.forget("ax")
        after = model.score_one({0: 1.0, 2: -1.0})
        assert [after[v] for v in other] == pytest.approx([before[v] for v in other])
    # It has the mean of its parent, and the probability of a label without examples.
    rates = model._rates.logs()
    never = before["a"] - rates[t.index("a")] + math.log(0.01 / (60 + len(t) + 1))
    assert [after[v] for v in gone] == pytest.approx([never] * len(gone))
    model.forget("a")  # with what has been kept of the branch below
    again = model.score_one({0: 1.0, 2: -1.0})
    left = [v for v in other if not v.startswith("a")]
    assert [again[v] for v in left] == pytest.approx([before[v] for v in left])
    model.learn_one({0: 1.0, "new": 2.0}, "axx")
    assert model.predict_one({0: 1.0, "new": 2.0}) == "axx"


def test_float32() -> None:
    """Arrays of float32 are predicted in float32, and learned in float64."""
    rng = np.random.default_rng(1)
    y = rng.integers(1, 5, 200)
    X = (rng.standard_normal((200, 12)) + rng.standard_normal((5, 12))[y]).astype(np.float32)
    labels = [TREE.nodes[v] for v in y.tolist()]
    models = [probabilistic.LinearDiscriminant(TREE) for _ in range(2)]
    models[0].learn_many(X, labels)
    models[1].learn_many(X.astype(np.float64), labels)
    assert pickle.dumps(models[0]) == pickle.dumps(models[1])
    likely = models[0].predict_proba_many(X)
    assert likely.dtype == np.float32
    assert likely == pytest.approx(models[1].predict_proba_many(X.astype(np.float64)), abs=1e-5)
    assert (models[0].predict_many(X) == models[1].predict_many(pd.DataFrame(X))).all()
    nodes = [model.predict_many(X, threshold=0.5).tolist() for model in models]
    assert nodes[0] == nodes[1]
    assert list(decision.TreeBayes(models[0], TREE).predict_many(X)) == nodes[1]


def test_many_labels_one_by_one_and_at_once() -> None:
    """With more nodes and features than the inverse is updated for; then few rows of many nodes."""
    rng = np.random.default_rng(2)
    t = Taxonomy([(v // 5, v) for v in range(1, 120)])
    means = rng.standard_normal((120, 70))
    y = rng.integers(120, size=600)
    X = means[y] + rng.standard_normal((600, 70))
    one, many = probabilistic.LinearDiscriminant(t), probabilistic.LinearDiscriminant(t)
    for row, label in zip(X[:300].tolist(), y[:300].tolist(), strict=True):
        one.learn_one(dict(enumerate(row)), label)
    for row, label in zip(X[300:].tolist(), y[300:].tolist(), strict=True):
        one.predict_one(dict(enumerate(row)))
        one.learn_one(dict(enumerate(row)), label)
    many.learn_many(X, y)
    scores = np.array(
        [list(one.score_one(dict(enumerate(row))).values()) for row in X[:20].tolist()]
    )
    assert pytest.approx(scores, rel=1e-8) == many._scores_many(read_batch(X[:20], None)).T
    assert pytest.approx(scores[:3], rel=1e-8) == many._scores_many(read_batch(X[:3], None)).T
    assert (many.predict_many(X) == y).mean() > 0.95


def test_what_scikit_learn_says() -> None:
    """Without shrinkage, and with even priors, it is linear discriminant analysis."""
    rng = np.random.default_rng(1)
    y = np.tile(np.arange(4), 30)
    X = rng.standard_normal((120, 6)) @ rng.standard_normal((6, 6)) + rng.standard_normal((4, 6))[y]
    model = probabilistic.LinearDiscriminant(Taxonomy.flat(range(4)), shrinkage=1e-9, l2=1e-9)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)
    theirs = LinearDiscriminantAnalysis("lsqr", priors=[0.25] * 4).fit(X, y)
    centred = X - theirs.means_[y]
    # They divide the scatter by the examples, we by the degrees of freedom and one.
    ours = np.array([[*model.score_one(dict(enumerate(row))).values()][1:] for row in X.tolist()])
    precision = np.linalg.inv(centred.T @ centred / 117)
    means = theirs.means_
    expected = X @ precision @ means.T - np.einsum("ij,ij->i", means @ precision, means) / 2
    ours -= ours.mean(axis=1, keepdims=True)
    expected -= expected.mean(axis=1, keepdims=True)
    assert ours == pytest.approx(expected, rel=1e-4, abs=3e-2)
    assert np.mean(ours.argmax(axis=1) == theirs.predict(X)) > 0.98


def test_rare_labels_lie_near_their_parents() -> None:
    model = probabilistic.LinearDiscriminant(TREE, shrinkage=3.0)
    for _ in range(30):
        model.learn_one({"x": 4.0}, "a")
        model.learn_one({"y": 4.0}, "d")
    model.learn_one({"x": 4.0, "z": 1.0}, "b")
    scores = model.score_one({"x": 4.0, "z": 1.0})
    assert scores["b"] > scores["c"] > scores["d"]  # c was never seen: it lies on a


def test_it_does_not_matter_where_the_zeros_of_features_are() -> None:
    stream = synth.PrototypeTree(branching=2, depth=2, noise=0.16, seed=1)
    models = {at: probabilistic.LinearDiscriminant(stream.taxonomy) for at in (0.0, 1000.0)}
    for x, y in stream.take(200):
        answers = []
        for at, model in models.items():
            moved = {name: at + value for name, value in x.items()}
            answers.append(list(model.predict_proba_one(moved).values()))
            model.learn_one(moved, y)
        assert answers[0] == pytest.approx(answers[1], abs=1e-6)


def test_numbers_stay_sound_where_nothing_varies() -> None:
    model = probabilistic.LinearDiscriminant(TREE, l2=1e-3)
    for _ in range(500):
        for scale, label in ((1e3, "b"), (-1e3, "d")):
            model.learn_one({"x": scale, "y": 2 * scale}, label)
    assert model.predict_one({"x": 900.0, "y": 1800.0}) == "b"
    assert all(map(math.isfinite, model.score_one({"x": 1.0}).values()))


def test_l2_is_not_lost_in_rounding() -> None:
    """Beyond this the inverse was no longer positive definite, and the answers were chance."""
    rng = np.random.default_rng(1)
    mean = dict(zip(TREE.nodes[1:], [-6.0, -2.0, 2.0, 6.0], strict=True))
    model = probabilistic.LinearDiscriminant(TREE)

    def example(i: int, scale: float) -> tuple[dict[str, float], Any]:
        a, b, c = rng.standard_normal(3).tolist()
        label = TREE.nodes[1 + i % 4]
        return {"u": scale * a, "v": scale * (a / 2 + b), "w": mean[label] + c}, label

    for i in range(800):
        model.learn_one(*example(i, 1e5))
    held_out = [example(i, 1e5) for i in range(200)]
    assert sum(model.predict_one(x) == y for x, y in held_out) > 180
    # An outlier costs nothing but what it is worth: all features are on scales of their own.
    model.learn_one({"u": 1e8, "new": 1e8}, "a")
    assert sum(model.predict_one(x) == y for x, y in held_out) > 150
    before = pickle.dumps(model)
    for x, w in (({"u": 1e150}, 1.0), ({"u": 1e144}, 1e12)):
        with pytest.raises(
            ValueError, match=r"the squared norm of x times its weight is 1e.*; scale x"
        ):
            model.learn_one(x, "a", w)
        assert pickle.dumps(model) == before
    # It is the distance that counts: times in seconds are far from 0, not from each other.
    times = probabilistic.LinearDiscriminant(TREE)
    for i in range(100):
        times.learn_one({"time": 1.7e9 + 60 * i, "w": float(i % 2)}, "ad"[i % 2])
    assert all(map(math.isfinite, times.score_one({"time": 1.7e9, "w": 1.0}).values()))


def test_more_features_than_there_is_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    model = probabilistic.LinearDiscriminant(TREE)
    model.learn_one({"x": 1.0}, "a")
    before = pickle.dumps(model)

    def refuse(*args: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(np, "pad", refuse)
    with pytest.raises(MemoryError):
        model.learn_one({"x": 1.0, "y": 2.0}, "a")
    with pytest.raises(MemoryError):
        model.learn_many(pd.DataFrame({"x": [1.0], "y": [2.0]}), ["a"])
    assert pickle.dumps(model) == before


def test_debug_one() -> None:
    model = probabilistic.LinearDiscriminant(TREE)
    for x, y in [({"x": 1.0}, "b"), ({"x": 1.5}, "b"), ({"y": 1.0}, "d")]:
        model.learn_one(x, y)
    assert model.debug_one({"x": 1.0}).splitlines()[0] == "Prediction: 'b'; the likeliest label"
    assert model.debug_one({"x": 1.0}).splitlines()[-1] == "    'b': -2.051  (x -0.515)"


def test_bad_parameters() -> None:
    with pytest.raises(ValueError, match="`shrinkage` must be positive, got 0"):
        probabilistic.LinearDiscriminant(shrinkage=0)
    with pytest.raises(ValueError, match="`l2` must be positive, got nan"):
        probabilistic.LinearDiscriminant(l2=math.nan)
