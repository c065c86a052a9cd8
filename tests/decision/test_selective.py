"""Answers that are as specific as a limit on mistakes allows."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from river import naive_bayes

import oracles
from river_hier import OpenTaxonomy, Taxonomy, decision, inspection, linear_model
from river_hier.base.answer import LabelAnswer, SetAnswer
from river_hier.base.predictor import Predictor
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.makers import SINGLE, TABLE, that
from support.strategies import (
    multilabel_streams,
    parents_of,
    single_label_streams,
    taxonomies,
    trees,
)

MULTI = [name for name in that("dag", "taxonomy", "answers", "bad x") if TABLE[name].several]
T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f"]}, "g": ["h", "i"]}})


class Told(linear_model.PathSoftmax):
    """Gives the probabilities that stand in x."""

    def _answer(self, x: Any) -> LabelAnswer:
        return LabelAnswer(self._labels, p=np.array([x.get(v, 0.0) for v in self._taxonomy.nodes]))

    _answers = Predictor._answers


class ToldLabels(linear_model.HAROW):
    """Gives the probabilities that stand in x, at most those of the parents."""

    def _answer(self, x: Any) -> SetAnswer:
        p = {self._taxonomy.root: 1.0}
        for v in self._taxonomy.nodes[1:]:
            p[v] = min(x.get(v, 0.0), *(p[u] for u in self._taxonomy.parents(v)))
        return SetAnswer(self._labels, p=np.array(list(p.values())))

    _answers = Predictor._answers


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
        theirs.learn(p, [y])
        ours = copy.deepcopy(ours) if len(drawn) == 1 else ours
    assert pickle.loads(pickle.dumps(ours)).thresholds == theirs.thresholds()


@given(
    taxonomies(2, 9),
    st.integers(0, 2**32),
    st.sampled_from([0.1, 0.3, 0.5]),
    st.sampled_from([0.0, 0.25, 1.0]),
    st.booleans(),
)
@n_examples(60)
def test_sets_of_labels_equal_their_oracle(
    t: Any, seed: int, risk: float, root: float, by_branch: bool
) -> None:
    """Step by step, of one example and of a batch, in trees and DAGs; shares are in 8ths."""
    rng = random.Random(seed)
    ours: Any = decision.Selective(ToldLabels(t), risk, 10, root, by_branch)
    theirs = oracles.SelectiveLabels(parents_of(t), risk, 10, root, by_branch)
    for _ in range(25):
        x = {v: rng.randrange(9) / 8 for v in t.nodes[1:]}
        y = {v for v in t.nodes[1:] if rng.random() < x[v]}
        told = {v: on[True] for v, on in ours.predict_proba_one(x).items()}
        assert set(ours.predict_labels_one(x)) == theirs.answer(told)
        assert {v for v, on in ours.predict_one(x).items() if on} == theirs.answer(told)
        rows = ours.predict_many(pd.DataFrame([x, x]))
        assert set(rows.columns[rows.iloc[1]]) == theirs.answer(told)
        assert ours.thresholds == theirs.thresholds()
        ours.learn_one(x, y)
        theirs.learn(told, y)
        ours = pickle.loads(pickle.dumps(ours))


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


@given(
    taxonomies(3, 9),
    st.lists(st.tuples(st.integers(1, 200), st.floats(0, 1), st.sampled_from("?yn")), max_size=6),
    st.sampled_from([0.0, 0.2, 1.0]),
    st.booleans(),
)
@n_examples(40)
def test_no_part_of_any_stream_has_more_sets_with_a_false_node(
    t: Any, parts: list[tuple[int, float, str]], root: float, by_branch: bool
) -> None:
    """As above, for several labels: a lie switches off one node that was said."""
    model: Any = decision.Selective(ToldLabels(t), 0.2, 10, root, by_branch)
    rng = random.Random(0)
    excess: dict[Any, float] = {}
    for n, least, truth in parts:
        for _ in range(n):
            x = {v: least + (1.0 - least) * rng.random() for v in t.nodes[1:]}
            said = model.predict_labels_one(x)
            y = set(rng.sample(t.nodes[1:], rng.randrange(len(t)))).union(said)
            if said and (truth == "n" or (truth == "?" and rng.random() < 0.5)):
                off = rng.choice(said)
                y -= {off, *t.descendants(off)}
            closed = y.union(*(t.ancestors(v) for v in y))
            first = max(t.children(t.root), key=lambda v: x[v] if t.depth(v) == 1 else 0.0)
            for group in ("whole", first) if by_branch else ("whole",):
                more = (not closed.issuperset(said)) - 0.2 * (1.0 if said else root)
                excess[group] = max(excess.get(group, 0.0), 0.0) + more
                assert excess[group] <= 21.0
            model.learn_one(x, y)


@given(
    trees(2, 9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 99)), min_size=15, max_size=40),
    st.sampled_from([0.1, 0.3, 0.7]),
    st.booleans(),
)
@n_examples(100)
def test_the_gate_equals_its_oracle(
    t: Taxonomy, stream: list[tuple[int, int]], foreign: float, several: bool
) -> None:
    """One example and a batch; ties are exact. Labels of the root are those of strangers."""
    told: Any = ToldLabels(t) if several else Told(t)
    ours: Any = decision.Selective(told, 0.3, 10, foreign=foreign)
    alone: Any = decision.Selective(told.clone(), 0.3, 10)
    theirs = oracles.Gate(foreign, 10)
    for familiarity, number in stream:
        x = dict.fromkeys(t.nodes[1:], 0.0) | {t.nodes[1]: familiarity / 8}
        refused = theirs.refuses(familiarity / 8)
        assert ours._gate.refuses(inspection.familiarity_one(ours, x)) == refused
        expected = alone.predict_one(x)
        if refused:
            expected = dict.fromkeys(t.nodes[1:], False) if several else t.root
        assert ours.predict_one(x) == expected
        rows = ours.predict_many(pd.DataFrame([x, x]))
        assert (dict(rows.iloc[1]) if several else rows.iloc[1]) == expected
        y = t.nodes[number % len(t)]
        for model in (ours, alone):
            model.learn_one(x, {y} if several else y)
        if y != t.root:
            theirs.learn(familiarity / 8)
        ours = pickle.loads(pickle.dumps(ours))


@given(st.lists(st.tuples(st.integers(1, 300), st.sampled_from("?+-")), max_size=6))
@example([(250, "+"), (40, "-")])
@n_examples(60)
def test_no_part_of_any_stream_has_more_refused(parts: list[tuple[int, str]]) -> None:
    """Also if each example is stranger than all before it, or seems so at random."""
    model = decision.Selective(Told(T), 0.2, 20, foreign=0.2)
    rng, low, high, excess, most = random.Random(0), 0.5, 0.5, 0.0, 0.0
    for n, kind in parts:
        for _ in range(n):
            low, high = low * 0.97, 1.0 - (1.0 - high) * 0.97
            x = {"a": {"-": low, "+": high}.get(kind) or rng.random()}
            refused = model._gate.refuses(model._answer(x).familiarity())
            excess = max(excess, 0.0) + refused - 0.2
            most = max(most, excess)
            assert excess <= 21.0
            model.learn_one(x, "a")
    if parts == [(250, "+"), (40, "-")]:
        assert most > 18.0  # the bound is nearly reached


def test_strangers_get_the_root() -> None:
    """The promise among known examples, and most of those of other streams refused."""
    known, other = (synth.PrototypeTree(branching=3, depth=3, noise=0.1, seed=s) for s in (1, 2))
    t, n = known.taxonomy, 3000
    model = decision.Selective(linear_model.PathSoftmax(t), foreign=0.05)
    refused = []
    for i, (x, y) in enumerate(known.take(n)):
        if i >= n // 2 and y != t.root:
            refused.append(model._gate.refuses(inspection.familiarity_one(model, x)))
            assert not refused[-1] or model.predict_one(x) == t.root
        model.learn_one(x, y)
    assert 0.03 < sum(refused) / len(refused) < 0.07
    strange = [model.predict_one(x) == t.root for x, _ in other.take(500)]
    assert sum(strange) / 500 > 0.3


def test_a_trained_model_answers_at_once() -> None:
    """`calibrate` is learning without that of the model, and the levels begin anew."""
    stream = synth.PrototypeTree(branching=3, depth=3, noise=0.1, seed=1)
    t, examples = stream.taxonomy, list(stream.take(2500))
    inside = linear_model.PathSoftmax(t)
    for x, y in examples[:1500]:
        inside.learn_one(x, y)
    model = decision.Selective(inside, foreign=0.1)
    assert model.predict_one(examples[0][0]) == t.root
    before = pickle.dumps(inside)
    twin = pickle.loads(pickle.dumps(model))
    model.calibrate(iter(examples[1500:2000]))
    twin.calibrate(*zip(*examples[1500:2000], strict=True))
    assert pickle.dumps(twin) == pickle.dumps(pickle.loads(pickle.dumps(model)))
    assert pickle.dumps(model.model) == before
    assert [group.level for group in model._groups.values()] == [0.05]
    assert model._gate.level == 0.1
    answers = [model.predict_one(x) for x, _ in examples[2000:]]
    wrong = [not right(t, a, y) for a, (_, y) in zip(answers, examples[2000:], strict=True)]
    assert sum(wrong) / 500 < 0.08
    assert sum(a == t.root for a in answers) / 500 < 0.4


@pytest.mark.slow(but=1)
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


@pytest.mark.slow(but=8)
@pytest.mark.parametrize("name", [*SINGLE, *MULTI])
@given(st.data())
@n_examples(5)
def test_all_models(name: str, data: Any) -> None:
    t, examples = data.draw(single_label_streams() if name in SINGLE else multilabel_streams())
    model: Any = decision.Selective(TABLE[name](t), risk=0.5, window=5)
    for x, y in examples:
        answer = model.predict_one(x)
        assert answer in t.nodes if name in SINGLE else list(answer) == list(t.nodes[1:])
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
        (lambda: decision.Selective(naive_bayes.GaussianNB()), "`model` must be a model in a tax"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), 0.0), "`risk` must be above 0"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), 1.0), "`risk` must be above 0"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), root=1.5), "`root` must be from"),
        (lambda: decision.Selective(linear_model.PathSoftmax(T), foreign=0.0), "`foreign` must be"),
        (
            lambda: decision.Selective(linear_model.PathSoftmax(T), 0.01, 99),
            "`window` must be at least 100, got 99",
        ),
    ],
)
def test_bad_arguments(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()
