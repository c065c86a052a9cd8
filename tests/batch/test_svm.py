"""Batch support vector machines: their optimum, and their use in River's loops."""

from __future__ import annotations

import functools
import math
import sys
from itertools import compress
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, preprocessing

import oracles
from river_hier import Taxonomy, batch, decision, kernel
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.river_checks import rivers_checks
from support.strategies import parents_of, taxonomies

pytest.importorskip("sklearn", reason="scikit-learn is an extra")

MODELS = {
    "HSVM": batch.HSVM,
    "KernelHSVM": functools.partial(batch.KernelHSVM, kernel=kernel.RBF()),
}
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
EXAMPLES = [({"x": 1.0, "y": i / 4}, ["b"] if i % 3 else ["c"]) for i in range(-6, 7)]


def contradictory(taxonomy: Taxonomy, n: int, seed: int) -> Any:
    """Examples with random labels."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = dict(zip("abc", rng.normal(size=3), strict=True))
        yield x, list(compress(taxonomy.nodes[1:], rng.random(9) < 0.4))


@pytest.mark.slow
@given(taxonomy=taxonomies(), seed=st.integers(0, 10**6), C=st.sampled_from([0.25, 1.0]))
@n_examples(15)
def test_hsvm_is_the_optimum_at_every_node(taxonomy: Taxonomy, seed: int, C: float) -> None:
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


KERNELS = [
    (kernel.Linear(), oracles.linear_kernel),
    (kernel.RBF(1.5), oracles.rbf_kernel(1.5)),
    (kernel.Polynomial(2, 1.0), oracles.polynomial_kernel(2, 1.0)),
    (oracles.rbf_kernel(0.5), oracles.rbf_kernel(0.5)),
]


@pytest.mark.parametrize(("given_kernel", "same"), KERNELS)
@given(taxonomy=taxonomies(), seed=st.integers(0, 10**6), C=st.sampled_from([0.25, 1.0]))
@n_examples(6)
def test_kernel_hsvm_is_the_optimum_at_every_node(
    given_kernel: Any, same: Any, taxonomy: Taxonomy, seed: int, C: float
) -> None:
    from sklearn.svm import SVC

    examples = list(contradictory(taxonomy, 15, seed))
    parents = parents_of(taxonomy)
    with mock.patch("sklearn.svm.SVC", functools.partial(SVC, tol=1e-5)):
        ours = batch.KernelHSVM(taxonomy, given_kernel, C).fit(examples)
    theirs = oracles.KernelHSVM(parents, same, C)
    theirs.fit(examples)
    # The weights are unique. A bias may not be, but its loss is.
    bias, its = ours.score_one({}), theirs.scores({})
    for x in ({"a": 1.0, "new": 3.0}, *(x for x, _ in examples)):
        scores, others = ours.score_one(x), theirs.scores(x)
        assert ours.predict_one(x) == oracles.top_down(parents, scores)
        for v in scores:
            assert scores[v] - bias[v] == pytest.approx(others[v] - its[v], abs=0.02)
    losses = oracles.hinge_losses(parents, theirs.scores, examples)
    assert oracles.hinge_losses(parents, ours.score_one, examples) == pytest.approx(losses, abs=0.1)


def test_support_vectors_are_stored_once() -> None:
    stream = synth.LinearLabels(TREE, n_features=4, seed=1)
    examples = list(stream.take(200))
    model = batch.KernelHSVM(TREE, kernel.RBF(2.0)).fit(examples)
    scorers = model._trained
    assert (scorers.b != 0.0).any(axis=1).all()
    assert scorers.instances.n == len(scorers.b) < len(examples)
    # A feature that no example has increases the distance of x to all of them.
    x = examples[0][0]
    assert list(model.score_one({**x, "never": 1e3}).values()) == scorers.bias[1:].tolist()
    assert model.score_one({**x, "never": 0.0}) == model.score_one(x)


def test_a_function_of_two_dicts_reads_features_of_any_kind() -> None:
    def words_in_common(x: Any, z: Any) -> float:
        return float(len(set(x["text"].split()) & set(z["text"].split())))

    texts = [("red berries", "b"), ("red apples", "b"), ("in water", "c"), ("salt water", "c")]
    examples = [({"text": text}, label) for text, label in texts]
    model = batch.KernelHSVM(TREE, words_in_common).fit(examples)
    assert model.predict_one({"text": "red leaves"}) == {"a": True, "c": False, "b": True}
    assert model.predict_one({"text": "deep water"}) == {"a": False, "c": True, "b": False}


@pytest.mark.parametrize("cls", [batch.KernelHSVM, batch.BatchHMinOver])
def test_kernels_without_a_value(cls: Any) -> None:
    good = [({"x": 1.0}, "b"), ({"x": 2.0}, "c")]
    model = cls(TREE, kernel=lambda x, z: math.exp(-abs(x["x"] - z["x"]) / z["x"])).fit(good)
    before = model.score_one({"x": 1.0})
    with pytest.raises(ValueError, match="row 1: the kernel is inf for this x; it must be"):
        cls(TREE, kernel=lambda x, z: math.inf if x["x"] > 1 else 1.0).fit(good)
    with pytest.raises(TypeError, match="row 0: the kernel of two dicts must be a number, got 'a'"):
        cls(TREE, kernel=lambda x, z: "a").fit(good)
    with pytest.raises(ZeroDivisionError):
        model.fit([*good, ({"x": 0.0}, "b")])
    with pytest.raises(ValueError, match="the kernel is inf for this x"):
        cls(TREE, kernel=kernel.Polynomial(9)).fit(good).score_one({"x": 1e150})
    assert model.score_one({"x": 1.0}) == before


def test_a_linear_kernel_leaves_the_bias_out_of_the_norm() -> None:
    """Two points at distance 1, for which the optimum is known."""
    taxonomy, examples = Taxonomy.flat(["a"]), [({"x": 10.0}, ["a"]), ({"x": 9.0}, [])]
    # w = 2 needs a bias of -19; with the bias in the norm and C = 1, that costs too much.
    free = batch.KernelHSVM(taxonomy, kernel.Linear(), C=1e3).fit(examples)
    assert free.score_one({"x": 10.0})["a"] == pytest.approx(1.0, abs=1e-2)
    assert free.score_one({})["a"] == pytest.approx(-19.0, abs=0.1)
    assert batch.HSVM(taxonomy).fit(examples).score_one({})["a"] > -2.0


@pytest.mark.parametrize("name", MODELS)
def test_nothing_to_separate(name: str) -> None:
    taxonomy = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("c", "d")])
    model = MODELS[name](taxonomy).fit([({"x": 1.0}, ["a"]), ({"x": 2.0}, ["a"])])
    scores = model.score_one({"x": -1.0, "unheard": 2.0})
    assert scores == {"a": 1.0, "b": -1.0, "c": -1.0, "d": 1.0}  # c is on in no example
    assert model.predict_one({}) == {"a": True, "b": False, "c": False, "d": False}


# --- In River -----------------------------------------------------------------------------------


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", ["HSVM", "KernelHSVM"])
def test_rivers_checks(name: str) -> None:
    """Of a fitted model itself: a clone is not fitted."""
    examples = list(datasets.Yeast().take(60))
    genes = sorted(examples[0][1])
    model = MODELS[name](Taxonomy.from_nested({"a": genes[::2], "b": genes[1::2]}))
    unfit = {"before_any_learn", "shuffle_features_no_impact", "clone_is_independent"}
    for check in rivers_checks(model, unfit):
        check(model.fit(examples))


def test_in_a_pipeline_it_takes_what_the_pipeline_gives() -> None:
    scaler = preprocessing.StandardScaler()
    for x, _ in EXAMPLES:
        scaler.learn_one(x)
    model = batch.HSVM(TREE).fit([(scaler.transform_one(x), y) for x, y in EXAMPLES])
    x = EXAMPLES[3][0]
    assert (scaler | model).predict_one(x) == model.predict_one(scaler.transform_one(x))


# --- fit ----------------------------------------------------------------------------------------


def test_parameters() -> None:
    for name in MODELS:
        for C in (0.0, -1.0, float("nan"), "1", None):
            with pytest.raises(ValueError, match="`C` must be positive, got"):
                MODELS[name](TREE, C=C)
        with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got list"):
            MODELS[name]([("r", "a")])
    match = r"`kernel` must be a kernel, .*RBF\(sigma=1.0\), or a function of two dicts, got"
    for wrong in ("rbf", 1.0, kernel.RBF):
        with pytest.raises(TypeError, match=match):
            batch.KernelHSVM(TREE, wrong)


@pytest.mark.parametrize("name", MODELS)
def test_a_threshold_needs_probabilities(name: str) -> None:
    model = MODELS[name](TREE).fit(EXAMPLES)
    match = rf"`threshold` must be None, as {name} gives scores and no probabilities, got 0.5; cal"
    with pytest.raises(ValueError, match=match):
        model.predict_one({"x": 1.0}, threshold=0.5)
    assert model.predict_one({"x": 1.0}, max_depth=0) == dict.fromkeys(TREE.nodes[1:], False)
    calibrated = decision.Calibrated(model)
    for x, y in EXAMPLES:
        calibrated.learn_one(x, y)
    assert calibrated.predict_one({"x": 1.0}, threshold=0.0) == dict.fromkeys(TREE.nodes[1:], True)


@pytest.mark.parametrize("name", MODELS)
def test_without_scikit_learn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = MODELS[name](TREE)
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(ImportError, match=r"pip install 'river-hier\[batch\]'"):
        model.fit(EXAMPLES)


def test_scores_are_those_of_the_machines() -> None:
    from sklearn.svm import SVC, LinearSVC

    taxonomy = Taxonomy.flat(["b"])
    examples = [(x, set(y) & {"b"}) for x, y in EXAMPLES]
    X = np.array([[x["x"], x["y"]] for x, _ in EXAMPLES])
    v = [y == ["b"] for _, y in EXAMPLES]
    linear = LinearSVC(C=0.5, loss="hinge", max_iter=20_000, random_state=0)
    for model, machine in (
        (batch.HSVM(taxonomy, C=0.5), linear),
        (batch.KernelHSVM(taxonomy, kernel.RBF()), SVC(gamma=0.5)),
        (batch.KernelHSVM(taxonomy, kernel.RBF(2.0), 3.0), SVC(C=3.0, gamma=1 / 8)),
        (batch.KernelHSVM(taxonomy, kernel.Linear()), SVC(kernel="linear")),
        (batch.KernelHSVM(taxonomy, None), SVC(kernel="linear")),
        (
            batch.KernelHSVM(taxonomy, kernel.Polynomial(3, coef0=2.0)),
            SVC(kernel="poly", degree=3, gamma=1.0, coef0=2.0),
        ),
    ):
        scores = [model.fit(examples).score_one(x)["b"] for x, _ in examples]
        assert scores == pytest.approx(machine.fit(X, v).decision_function(X).tolist())


def test_a_score_of_zero_is_on() -> None:
    model = batch.HSVM(Taxonomy.flat(["a"])).fit([({"x": 1.0}, ["a"]), ({"x": -1.0}, [])])
    assert model.score_one({}) == {"a": 0.0}
    assert model.predict_one({}) == {"a": True}
