"""Batch support vector machines: their optimum, and their use in River's loops."""

import sys
from itertools import compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets

import oracles
from river_hier import Taxonomy, batch, decision
from support.hypothesis_settings import n_examples
from support.river_checks import rivers_checks
from support.strategies import parents_of, taxonomies

pytest.importorskip("sklearn", reason="scikit-learn is an extra")

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
EXAMPLES = [({"x": 1.0, "y": i / 4}, ["b"] if i % 3 else ["c"]) for i in range(-6, 7)]


def contradictory(taxonomy, n, seed):
    """Examples with random labels."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = dict(zip("abc", rng.normal(size=3), strict=True))
        yield x, list(compress(taxonomy.nodes[1:], rng.random(9) < 0.4))


@pytest.mark.slow
@given(taxonomy=taxonomies(), seed=st.integers(0, 10**6), C=st.sampled_from([0.25, 1.0]))
@n_examples(15)
def test_hsvm_is_the_optimum_at_every_node(taxonomy, seed, C):
    # On a few examples that contradict each other, LIBLINEAR may stop before the optimum. Here are
    # enough examples, and no two have the same x.
    examples = list(contradictory(taxonomy, 30, seed))
    ours, theirs = batch.HSVM(taxonomy, C).fit(examples), oracles.HSVM(parents_of(taxonomy), C)
    theirs.fit(examples)
    for x in ({}, {"a": 1.0, "new": 3.0}, *(x for x, _ in examples)):
        scores = theirs.scores(x)
        assert ours.score_one(x) == pytest.approx(scores, abs=0.02)
        if all(abs(score) > 0.02 for score in scores.values()):
            assert ours.predict_one(x) == theirs.predict(x)


def test_nothing_to_separate():
    taxonomy = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("c", "d")])
    model = batch.HSVM(taxonomy).fit([({"x": 1.0}, ["a"]), ({"x": 2.0}, ["a"])])
    scores = model.score_one({"x": -1.0, "unheard": 2.0})
    assert scores == {"a": 1.0, "b": -1.0, "c": -1.0, "d": 1.0}  # c is on in no example
    assert model.predict_one({}) == {"a": True, "b": False, "c": False, "d": False}


def test_scores_are_those_of_the_weights_beside_a_bias():
    model = batch.HSVM(TREE).fit(EXAMPLES)
    weights, bias = model.weights, model.score_one({})
    assert list(weights) == ["a", "c", "b"]
    x = {"x": 0.5, "y": -2.0, "new": 3.0}
    scores = {v: oracles.dot(w, x) + bias[v] for v, w in weights.items()}
    assert model.score_one(x) == pytest.approx(scores)
    with pytest.raises(RuntimeError, match=r"HSVM is trained on a list of examples"):
        _ = batch.HSVM(TREE).weights


@pytest.mark.slow
def test_rivers_checks():
    """Of a fitted model itself: a clone is not fitted."""
    examples = list(datasets.Yeast().take(60))
    genes = sorted(examples[0][1])
    model = batch.HSVM(Taxonomy.from_nested({"a": genes[::2], "b": genes[1::2]}))
    unfit = {"before_any_learn", "shuffle_features_no_impact", "clone_is_independent"}
    for check in rivers_checks(model, unfit):
        check(model.fit(examples))


# --- fit ----------------------------------------------------------------------------------------


def test_parameters():
    for C in (0.0, -1.0, float("nan"), "1", None):
        with pytest.raises(ValueError, match="`C` must be positive, got"):
            batch.HSVM(TREE, C=C)
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got list"):
        batch.HSVM([("r", "a")])


def test_a_threshold_needs_probabilities():
    model = batch.HSVM(TREE).fit(EXAMPLES)
    match = "`threshold` must be None, as HSVM gives scores and no probabilities, got 0.5; cal"
    with pytest.raises(ValueError, match=match):
        model.predict_one({"x": 1.0}, threshold=0.5)
    assert model.predict_one({"x": 1.0}, max_depth=0) == dict.fromkeys(TREE.nodes[1:], False)
    calibrated = decision.Calibrated(model)
    for x, y in EXAMPLES:
        calibrated.learn_one(x, y)
    assert calibrated.predict_one({"x": 1.0}, threshold=0.0) == dict.fromkeys(TREE.nodes[1:], True)


def test_without_scikit_learn(monkeypatch):
    model = batch.HSVM(TREE)
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(ImportError, match=r"pip install 'river-hier\[batch\]'"):
        model.fit(EXAMPLES)


def test_scores_are_those_of_the_machines():
    from sklearn.svm import LinearSVC

    X = np.array([[x["x"], x["y"]] for x, _ in EXAMPLES])
    v = [y == ["b"] for _, y in EXAMPLES]
    machine = LinearSVC(C=0.5, loss="hinge", max_iter=20_000, random_state=0)
    examples = [(x, set(y) & {"b"}) for x, y in EXAMPLES]
    model = batch.HSVM(Taxonomy.flat(["b"]), C=0.5).fit(examples)
    scores = [model.score_one(x)["b"] for x, _ in examples]
    assert scores == pytest.approx(machine.fit(X, v).decision_function(X).tolist())


def test_a_score_of_zero_is_on():
    model = batch.HSVM(Taxonomy.flat(["a"])).fit([({"x": 1.0}, ["a"]), ({"x": -1.0}, [])])
    assert model.score_one({}) == {"a": 0.0}
    assert model.predict_one({}) == {"a": True}
