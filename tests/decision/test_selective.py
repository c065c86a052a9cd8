"""Answers that are as specific as a limit on mistakes allows."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import naive_bayes

import oracles
from river_hier import OpenTaxonomy, Taxonomy, decision, linear_model
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.makers import SINGLE
from support.strategies import parents_of, single_label_streams, trees

T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f"]}, "g": ["h", "i"]}})


class Told(linear_model.PathSoftmax):
    """Gives the probabilities that stand in x."""

    def _softmax(self, x: Any) -> Any:
        return np.array([x.get(v, 0.0) for v in self._taxonomy.nodes])


def right(t: Taxonomy, answer: Any, y: Any) -> bool:
    return answer in t.path(y)


@given(
    st.data(),
    trees(2, 9),
    st.sampled_from([0.1, 0.3, 0.5]),
    st.integers(10, 20),
    st.sampled_from([0.0, 0.25, 1.0]),
    st.booleans(),
)
@n_examples(200)
def test_the_wrapper_equals_its_oracle(
    data: Any, t: Taxonomy, risk: float, window: int, root: float, by_branch: bool
) -> None:
    """The probabilities are in 64ths, so that ties are exact."""
    shares = st.lists(st.sampled_from(t.nodes), min_size=64, max_size=64)
    few = st.lists(st.sampled_from(t.nodes), min_size=1, max_size=3)
    stream = data.draw(st.lists(st.tuples(shares | few, st.sampled_from(t.nodes)), max_size=40))
    ours: Any = decision.Selective(Told(t), risk, window, root, by_branch)
    theirs = oracles.Selective(parents_of(t), risk, window, root, by_branch)
    for drawn, y in stream:
        p = {v: drawn.count(v) / 64 for v in t.nodes}
        assert ours.predict_one(p) == theirs.answer(p)
        assert ours.thresholds == theirs.thresholds()
        ours.learn_one(p, y)
        theirs.learn(p, y)
        ours = copy.deepcopy(ours) if len(drawn) == 1 else ours
    assert pickle.loads(pickle.dumps(ours)).thresholds == theirs.thresholds()


@given(
    st.lists(
        st.tuples(
            st.integers(1, 200), st.sampled_from("ag"), st.floats(0, 0.5), st.sampled_from("?yn")
        ),
        max_size=8,
    ),
    st.sampled_from([0.0, 0.2, 1.0]),
    st.booleans(),
)
@n_examples(60)
def test_no_part_of_any_stream_has_more_mistakes(
    parts: list[tuple[int, str, float, str]], root: float, by_branch: bool
) -> None:
    """Also if the labels are chosen against the model: mistakes - risk * answers, from any example
    to any later one, of the whole stream and of the examples of each branch."""
    t = Taxonomy.from_nested({"r": {"a": ["b", "c"], "g": ["h", "i"]}})
    model = decision.Selective(Told(t), 0.2, 10, root, by_branch)
    rng = random.Random(0)
    excess: dict[str, float] = {}  # the largest one that ends here
    for n, branch, least, truth in parts:
        for _ in range(n):
            p = 1.0 - least * rng.random()
            likely, other = t.children(branch)
            x = {likely: p, other: 1.0 - p}
            answer = model.predict_one(x)
            lie = answer == likely or rng.random() < 0.5 if truth == "?" else truth == "n"
            y = other if lie else likely
            for group in ("whole", branch) if by_branch else ("whole",):
                more = (answer not in t.path(y)) - 0.2 * (root if answer == "r" else 1.0)
                excess[group] = max(excess.get(group, 0.0), 0.0) + more
                assert excess[group] <= 21.0
            model.learn_one(x, y)


@pytest.mark.parametrize("risk", [0.02, 0.05, 0.2])
@pytest.mark.parametrize("learner", ["PathSoftmax", "AveragedHieron"])
def test_risk_with_and_without_drift(learner: str, risk: float) -> None:
    """Calibrated or not; the labels of one branch are exchanged in the middle."""
    steady = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    for stream in (steady, synth.SubtreeDrift(steady, drift_in="2", drift_at=2000)):
        t = stream.taxonomy
        model = decision.Selective(SINGLE[learner](t), risk)
        wrong = []
        for x, y in stream.take(4000):
            wrong.append(not right(t, model.predict_one(x), y))
            model.learn_one(x, y)
        for part in (wrong[:2000], wrong[2000:]):
            assert 0.5 * risk < sum(part) / 2000 < 1.1 * risk + 0.004


def test_exchangeable_examples_need_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """P(mistake) <= risk for the example after any number of others, if the level is constant."""
    monkeypatch.setattr(decision.selective, "RATE", 0.0)
    rng, t = random.Random(0), Taxonomy.flat(["yes", "no"])
    mistakes, n = 0, 3000
    for _ in range(n):
        model = decision.Selective(Told(t), risk=0.2, window=30)
        for last in [False] * rng.randrange(10) + [True]:
            p = rng.uniform(0.5, 1.0)
            x, y = {"yes": p, "no": 1.0 - p}, "yes" if rng.random() < p else "no"
            mistakes += last and not right(t, model.predict_one(x), y)
            model.learn_one(x, y)
    assert mistakes / n < 0.2


def test_high_thresholds_are_those_of_predict_one() -> None:
    stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=1)
    model = decision.Selective(linear_model.PathSoftmax(stream.taxonomy), risk=0.02)
    compared = 0
    for x, y in stream.take(1000):
        if 0.5 < (threshold := model.thresholds.get(stream.taxonomy.root, 1.0)) < 1.0:
            above = model.predict_one(x, threshold=np.nextafter(threshold, 1.0))
            assert model.predict_one(x) == above
            compared += 1
        model.learn_one(x, y)
    assert compared > 300


@pytest.mark.parametrize("name", SINGLE)
@given(single_label_streams())
@n_examples(5)
def test_all_models(name: str, data: Any) -> None:
    t, examples = data
    model: Any = decision.Selective(SINGLE[name](t), risk=0.5, window=5)
    for x, y in examples:
        assert model.predict_one(x) in t.nodes
        model.learn_one(x, y)
    for group in model._groups.values():
        assert len(group._latest) == len(group._least) == len(group._first) == min(5, len(examples))


def test_open_taxonomies_pipelines_and_other_classifiers() -> None:
    model: Any = decision.Selective(linear_model.PathSoftmax(OpenTaxonomy("/")), 0.5, 4)
    assert model.predict_one({"x": 1.0}) is None
    for i in range(40):
        model.learn_one({"x": 1.0, i % 2: 1.0}, ("a/b", "a/c")[i % 2])
    assert model.predict_one({"x": 1.0, 0: 1.0}) == "a/b"
    model.learn_one({"x": 1.0, 5: 1.0}, "new/label")  # the answer was wrong
    (group,) = model._groups.values()
    assert max(group._least) > 0.0
    model.learn_one({"x": 1.0, 5: 1.0}, "new/label", w=0.0)
    assert len(group._latest) == 4
    wrapped = decision.Selective(decision.TreeBayes(naive_bayes.GaussianNB(), T), 0.5, 2)
    for i in range(19):
        wrapped.learn_one({"x": 1.0 + i % 3}, "c")
        wrapped.learn_one({"x": -1.0 - i % 3}, "h")
    assert wrapped.predict_one({"x": 2.0}) == "c"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: decision.Selective(linear_model.HAROW(T)), "`model` must predict single labels"),
        (lambda: decision.Selective(naive_bayes.GaussianNB()), "`model` must be a model in a tax"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), 0.0), "`risk` must be above 0"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), 1.0), "`risk` must be above 0"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), root=1.5), "`root` must be from"),
        (
            lambda: decision.Selective(linear_model.PathSoftmax(T), 0.01, 99),
            "`window` must be at least 100, got 99",
        ),
    ],
)
def test_bad_arguments(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()
