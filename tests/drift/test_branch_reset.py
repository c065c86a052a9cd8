"""Resets of branches: what is forgotten, what is kept, and when it happens."""

import copy
import pickle
import random
import re
import runpy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base
from river import drift as river_drift
from river import linear_model as river_linear_model

import oracles
from river_hier import OpenTaxonomy, Taxonomy, decision, drift, linear_model
from river_hier.datasets import synth
from river_hier.evaluate import Ranked
from support.hypothesis_settings import n_examples
from support.makers import TABLE
from support.paths import ROOT
from support.public_api import learners
from support.strategies import (
    features,
    multilabel_streams,
    multilabels,
    parents_of,
    reals,
    taxonomies,
    trees,
)

SINGLE, MULTI = learners("linear_model")
SINGLE = [name for name in SINGLE if "Softmax" not in name]  # in which classes are rivals
ALONE = ["HPerceptron", "HAROW", "HRLS"]  # each node learns as if it was the only one
T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f"]}, "g": ["h", "i"]}})


class EveryFewMistakes(base.BinaryDriftDetector):
    """Detects drift after a number of mistakes."""

    def __init__(self, mistakes: int = 2) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.n = 0

    def update(self, x: Any) -> None:
        assert x in (0, 1)
        self.n += x
        self._drift_detected = self.n >= self.mistakes


def stream(data: Any, name: str, t: Taxonomy, max_size: int = 15) -> list[Any]:
    labels: Any = multilabels(t) if name in MULTI else st.sampled_from(t.nodes)
    return data.draw(st.lists(st.tuples(features(reals), labels), max_size=max_size))  # type: ignore[no-any-return]


def same(name: str, score: float) -> Any:
    """Exactly equal, or for least squares up to rounding, as the order of summation differs."""
    return pytest.approx(score, abs=1e-9) if name.endswith("RLS") else score


def learned(model: Any, examples: list[Any]) -> Any:
    for x, y in examples:
        model.learn_one(x, y)
    return model


# To forget a branch


@pytest.mark.parametrize("name", MULTI + SINGLE)
@given(data=st.data())
@n_examples(7)
def test_forget_changes_only_the_branch(name: str, data: Any) -> None:
    t = data.draw(trees() if name in SINGLE else taxonomies())
    label = data.draw(st.sampled_from(t.nodes))
    model = learned(getattr(linear_model, name)(t), stream(data, name, t))
    asked = data.draw(st.lists(features(reals), min_size=1, max_size=3))
    before = [model.score_one(x) for x in asked]
    model.forget(label)
    for x, old in zip(asked, before, strict=True):
        new = model.score_one(x)
        for other in t.nodes[1:]:
            if other not in (label, *t.descendants(label)):
                if name == "HMinOver":  # the score of a label counts those above it
                    if not {label, *t.descendants(label)} & {*t.ancestors(other), other}:
                        assert new[other] == old[other]
                else:
                    assert new[other] == same(name, old[other])
            elif name in SINGLE:
                assert new[other] == pytest.approx(new[t.parent(other)], abs=1e-12)
            elif name != "HMinOver":
                assert new[other] == 0.0
        for node in (label, *t.descendants(label)):
            if node != t.root:
                assert not any(model.weights[node].values())
    learned(model, stream(data, name, t, 5))


@pytest.mark.parametrize("name", ALONE)
@given(data=st.data())
@n_examples(8)
def test_a_forgotten_branch_learns_like_a_new_model(name: str, data: Any) -> None:
    """Also if siblings shared a system before, and if the branch is forgotten twice."""
    t = data.draw(taxonomies())
    model = learned(getattr(linear_model, name)(t), stream(data, name, t))
    since: dict[Any, Any] = {}
    for label in data.draw(st.lists(st.sampled_from(t.nodes), min_size=1, max_size=2)):
        model.forget(label)
        fresh = getattr(linear_model, name)(t)
        since.update(dict.fromkeys((label, *t.descendants(label)), fresh))
        examples = stream(data, name, t, 8)
        for one in [model, *{id(m): m for m in since.values()}.values()]:
            learned(one, examples)
    for x in data.draw(st.lists(features(reals), min_size=1, max_size=3)):
        scores = model.score_one(x)
        for label, fresh in since.items():
            if label != t.root:
                expected = pytest.approx(fresh.score_one(x)[label], abs=1e-9)
                assert scores[label] == expected


LABELLED = [n for n, r in TABLE.items() if not r.several and "forget" not in r.refuses]


@pytest.mark.parametrize("name", LABELLED)
def test_the_root_is_forgotten_with_the_root_only(name: str) -> None:
    """It is a label itself, also where it has one child and all other nodes are below that."""
    row, t = TABLE[name], Taxonomy.from_nested({"r": {"a": ["b", "c"]}})
    examples = [({v: 1.0, "i": 0.1 * i}, v) for i in range(20) for v in "rbc"]
    model, other = learned(row(t), examples), learned(row(t), examples)
    model.forget("r")
    asked = {"r": 1.0, "i": 1.0}
    new = row(t).predict_proba_one(asked)
    assert model.predict_proba_one(asked) == pytest.approx(new, abs=1e-6)
    if name == "PathSoftmax":  # in which nothing else is learned
        later = learned(model, examples[:9]), learned(row(t), examples[:9])
        assert later[0].predict_proba_one(asked) == later[1].predict_proba_one(asked)
        other.forget("a")
        assert other.own_weights["r"]


def test_new_labels_after_everything_was_forgotten() -> None:
    for name in [*ALONE, "SHRLS"]:
        model = getattr(linear_model, name)()
        model.forget("root")
        learned(model, [({"x": 1.0}, {"a"}), ({"x": -1.0}, {"b"})] * 4)
        model.forget("a")
        assert model.score_one({"x": 1.0})["a"] == 0.0
        learned(model, [({"x": 1.0}, {"a", "c"}), ({"x": -1.0}, {"b"})] * 8)
        assert model.predict_one({"x": 1.0}) == {"a": True, "b": False, "c": True}
        twin = pickle.loads(pickle.dumps(model))
        assert twin.score_one({"x": 1.0}) == pytest.approx(model.score_one({"x": 1.0}))


def test_a_new_label_was_off_in_the_remaining_examples() -> None:
    """It shares the system of the siblings that were not reset."""
    model = linear_model.HRLS()
    learned(model, [({"x": 1.0}, {"a"}), ({"x": -1.0}, {"b"})] * 4)
    twin = copy.deepcopy(model)
    model.forget("a")
    for one in (model, twin):
        one.learn_one({"x": 1.0, "y": 1.0}, {"c"})
    x = {"x": 1.0, "y": -0.5}
    assert model.score_one(x)["c"] == pytest.approx(twin.score_one(x)["c"], abs=1e-9)
    assert model.score_one(x)["a"] != pytest.approx(twin.score_one(x)["a"], abs=1e-3)


@pytest.mark.parametrize("name", ALONE)
def test_a_taxonomy_may_grow_below_a_forgotten_node(name: str) -> None:
    model = getattr(linear_model, name)(OpenTaxonomy("/"))
    learned(model, [({"x": 1.0}, {"a/b"}), ({"x": -1.0}, {"c"})] * 4)
    model.forget("a")
    learned(model, [({"x": 1.0}, {"a/d"}), ({"x": -1.0}, {"c/e"})] * 8)
    assert model.predict_one({"x": 1.0})["a/d"]
    assert not model.predict_one({"x": 1.0})["a/b"]
    assert model.predict_one({"x": -1.0})["c/e"]


def test_the_calibration_of_the_branch_is_reset() -> None:
    examples = [({"x": 1.0, i % 3: 1.0}, {t}) for i, t in enumerate(T.nodes[1:] * 3)]
    model = learned(decision.Calibrated(linear_model.HAROW(T)), examples)
    x = {"x": 1.0, 2: 0.5}
    old = model.predict_proba_one(x)
    decision.HLossBayes(model).forget("b")
    new = model.predict_proba_one(x)
    assert new["h"] == old["h"]
    assert new["c"] != old["c"]


# The wrapper


@pytest.mark.parametrize("name", ["HPerceptron", "HAROW"])
@given(
    data=multilabel_streams(),
    mistakes=st.integers(1, 3),
    pickle_at=st.integers(0, 25),
    min_age=st.integers(0, 2),
)
@n_examples(30)
def test_the_wrapper_equals_its_oracle(
    name: str, data: Any, mistakes: int, pickle_at: int, min_age: int
) -> None:
    taxonomy, examples = data
    learner = getattr(linear_model, name)(taxonomy, intercept=0.0)
    ours: Any = drift.BranchReset(learner, EveryFewMistakes(mistakes), min_age)
    theirs = oracles.BranchReset(
        getattr(oracles, name)(parents_of(taxonomy)), lambda: EveryFewMistakes(mistakes), min_age
    )
    for step, (x, y) in enumerate(examples):
        scores = theirs.learner.scores(x)
        assert ours.score_one(x) == pytest.approx(scores, abs=1e-9)
        if name == "HAROW":
            if any(min(abs(s), abs(abs(s) - 1.0)) < 1e-9 for s in scores.values() if s):
                return  # rounding decides
            for i in theirs.learner.variances:  # they start anew with the weights
                if not theirs.learner.w[i]:
                    theirs.learner.variances[i] = {}
        assert ours.predict_one(x) == theirs.predict(x)
        ours.learn_one(x, y)
        theirs.learn(x, y)
        assert ours.drifts_detected == theirs.drifts
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


def test_a_reset_does_not_change_other_branches() -> None:
    """Over the whole stream, although the branch is reset."""
    for name in ALONE:
        stream = changing(7, n=1200, change=600)
        alone: Any = getattr(linear_model, name)(stream.taxonomy)
        wrapped = drift.BranchReset(alone.clone())
        branch = ("1", *stream.taxonomy.descendants("1"))
        for x, y in stream.take(1200):
            a, b = alone.score_one(x), wrapped.score_one(x)
            assert all(b[label] == same(name, a[label]) for label in a if label not in branch)
            alone.learn_one(x, y)
            wrapped.learn_one(x, y)
        assert wrapped.drifts_detected
        assert all(step >= 600 and label in branch for step, label in wrapped.drifts_detected)


def test_mistakes_above_a_node_do_not_count() -> None:
    model = drift.BranchReset(linear_model.Hieron(T), EveryFewMistakes(3), min_age=0)
    for _ in range(2):
        model.learn_one({"x": 1.0}, "c")
    model.learn_one({"x": -1.0, "z": 1.0}, "h")
    assert set(model._detectors) == {"r", "a", "b"}  # not "g", which was not predicted
    assert model._detectors["r"].n >= 1
    assert model._detectors["b"].n <= 1


def test_only_the_topmost_drift_on_a_path_resets() -> None:
    class Third(EveryFewMistakes):
        def update(self, x: Any) -> None:
            super().update(1)

    learned = linear_model.HAROW(T)
    learned.learn_one({"x": 1.0}, T.nodes[1:])  # before, nothing is predicted
    model = drift.BranchReset(learned, Third(3), min_age=0)
    for _ in range(2):
        model.learn_one({"x": 1.0}, T.nodes[1:])  # all are on
    assert set(model._detectors) == {"r", "a", "b", "e", "g"}
    del model._detectors["r"]
    model.learn_one({"x": 1.0}, T.nodes[1:])
    assert model.drifts_detected == [(2, "a"), (2, "g")]
    assert set(model._detectors) == {"r"}
    assert {v for v, w in learned.weights.items() if w} == {"a", "g"}  # not what is below them
    model.forget("r")
    assert model._detectors == {}


def test_new_labels_do_not_update_their_detectors() -> None:
    model = drift.BranchReset(linear_model.HPerceptron(), EveryFewMistakes(1), min_age=1)
    model.learn_one({"x": 1.0}, iter(["a"]))
    assert model._detectors == {}
    model.learn_one({"x": 1.0}, {"b"})  # b could not be predicted
    assert model._detectors == {}
    model.learn_one({"x": 1.0}, {"a"})
    assert model.drifts_detected == [(2, "root")]
    assert model.taxonomy is None
    model = drift.BranchReset(linear_model.HPerceptron(), EveryFewMistakes(1), min_age=3)
    for y in "aabb":
        model.learn_one({"x": 1.0}, {y})
    assert model._detectors == {}
    model.learn_one({"x": 1.0}, {"a", "b"})  # the third of b
    assert model._detectors == {}


def test_adoption_keeps_the_detectors() -> None:
    model = drift.BranchReset(linear_model.HPerceptron(T), EveryFewMistakes(10), min_age=0)
    learned(model, [({"x": 1.0}, {"c"}), ({"x": -1.0}, {"h"})] * 3)
    counts = {label: d.n for label, d in model._detectors.items()}
    model.adopt(T.extend([("b", "new")]))
    assert model.taxonomy is model.model.taxonomy
    assert {label: d.n for label, d in model._detectors.items()} == counts
    model.forget("a")
    assert set(model._detectors).isdisjoint(["a", "b", "e"])
    assert "g" in model._detectors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((linear_model.HAROW,), "`model` must be .* with `forget`"),
        ((river_linear_model.Perceptron(),), "`model` must .* got Perceptron"),
        ((None,), "`model` must be .* got None"),
        ((Ranked(linear_model.HAROW(T)),), "got Ranked"),
        ((linear_model.HAROW(T), "ADWIN"), "`detector` must be .*'ADWIN'"),
        ((linear_model.HAROW(T), river_drift.ADWIN), "`detector` must be .* got <class"),
    ],
)
def test_bad_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        drift.BranchReset(*arguments)


# What it is good for


def changing(seed: int, n: int, change: int) -> Any:
    """Articles on several topics; those below "1" are swapped."""
    t = Taxonomy.from_nested({"r": {"1": {"2": ["3", "4"], "5": ["6", "7"]}, "8": ["9", "10"]}})
    articles = synth.PrototypePaths(t, noise=0.04, seed=seed)
    return synth.SubtreeDrift(articles, drift_in="1", drift_at=change)


@pytest.mark.slow
def test_the_claims_of_the_benchmark_hold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the first of its streams."""
    path = ROOT / "examples" / "benchmarks" / "drift.py"
    monkeypatch.setattr("sys.argv", [str(path), "--seeds", "1"])
    runpy.run_path(str(path), run_name="__main__")
    found = re.findall(r"^(?:not )?reproduced", capsys.readouterr().out, re.MULTILINE)
    assert found == ["reproduced"] * 5


def test_what_is_retired_leaves_the_detectors_of_others() -> None:
    t = Taxonomy.from_nested({"shop": {"men": ["caps", "hats"], "women": ["skirts", "new"]}})
    model, rng = drift.BranchReset(linear_model.PathSoftmax(t)), random.Random(0)
    for _ in range(400):
        y = rng.choice(["caps", "hats", "skirts"])
        model.learn_one({y: 1.0}, y)
    model.learn_one({"z": 1.0}, "new")
    detector = model._detectors["shop"]
    model.adopt(t.edit([{"retire": "new"}, {"retire": "men"}]))
    assert model._ages["women"] == model.min_age
    assert model._detectors["shop"] is detector
