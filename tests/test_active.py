"""Samplers: the budget, and the bounds of the papers."""

import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import linear_model as river_linear_model
from river import preprocessing

from river_hier import Below, Taxonomy, active, linear_model
from support.hypothesis_settings import n_examples
from support.river_checks import rivers_checks
from support.strategies import single_label_streams

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})


def points(n: int, seed: int, labels: Any = TREE.nodes) -> list[tuple[dict[str, float], Any]]:
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        y = rng.choice(labels)
        means = [labels.index(y) == j for j in range(len(labels))]
        rows.append(({str(j): rng.gauss(float(m), 0.4) for j, m in enumerate(means)}, y))
    return rows


@given(
    data=st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(0.0, 1.0)), max_size=60),
    budget=st.sampled_from([0.02, 0.3, 1.0]),
)
@n_examples(50)
def test_the_budget_is_kept_on_any_stream(data: Any, budget: float) -> None:
    class Given:
        def predict_proba_one(self, x: Any) -> Any:
            return x

        predict_one = predict_proba_one

    sampler, asked = active.MarginSampler(Given(), budget), 0
    for n, p in enumerate(data * 20, 1):
        first, second = sorted([*p.values(), 0.0, 0.0])[:-3:-1]
        threshold = 1.0 + 0.01 * (budget * (n - 1) - asked)  # the steps add up
        _, ask = sampler.predict_one(p)
        if abs(first - second - threshold) > 1e-9:
            assert ask == (first - second <= threshold)
        asked += ask
        assert abs(asked - budget * n) <= 101.0 + 1e-9


@pytest.mark.parametrize("front", [False, True])
def test_questions_have_the_fewest_expected_clicks(front: bool) -> None:
    model: Any = linear_model.PathSoftmax(TREE)
    sampler = active.MarginSampler(preprocessing.Normalizer() | model if front else model, 0.2)
    found = set()
    for i, (x, y) in enumerate(points(1000, 1)):
        p = sampler.classifier.predict_proba_one(x)
        expected = dict.fromkeys((v for v in TREE.nodes if TREE.children(v)), 0.0)
        for v in expected:
            for label, share in p.items():
                path = TREE.path(label)
                whole = len(path) - 1
                expected[v] += share * (whole - TREE.depth(v) if v in path else whole + 1)
        node = sampler.question_one(x)
        assert expected[node] == pytest.approx(min(expected.values()))
        found.add(node)
        label, ask = sampler.predict_one(x)
        assert label == sampler.classifier.predict_one(x)
        if ask:
            path = TREE.path(y)
            sampler.learn_one(x, Below(path[1]) if len(path) > 2 and i % 2 else y)
    assert found == {TREE.root, "up", "down", "ground"}


def test_the_sampler_of_shrls_learns_what_shrls_would() -> None:
    """In one level; a node asks as long as N r^2 <= c log t, so N grows with it."""
    t = Taxonomy.flat(["a", "b", "c"])
    every = linear_model.SHRLS(t, threshold=0.5)
    sampler, asked = active.ThresholdSampler(linear_model.SHRLS(t, threshold=0.5)), 0
    for i, (x, y) in enumerate(points(400, 3, ["a", "b", "c"])):
        y_pred, ask = sampler.predict_one(x)
        assert y_pred == every.predict_one(x)
        every.learn_one(x, {y})
        if ask:
            sampler.learn_one(x, {y})
        asked += ask
        assert max(every.n_stored.values(), default=0.0) <= asked <= sum(every.n_stored.values())
        assert sampler.classifier.n_stored == every.n_stored
        if i == 100:
            sampler = pickle.loads(pickle.dumps(sampler))
    assert asked < 300


@given(data=single_label_streams())
@n_examples(20)
def test_weights_and_pickles(data: Any) -> None:
    taxonomy, stream = data
    sampler = active.MarginSampler(linear_model.PathSoftmax(taxonomy))
    alone = linear_model.PathSoftmax(taxonomy)
    for x, y in stream:
        sampler.learn_one(x, y, w=2.0)
        alone.learn_one(x, y, w=2.0)
        sampler = pickle.loads(pickle.dumps(sampler))
        assert sampler.predict_one(x)[0] == alone.predict_one(x)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sampler",
    [
        active.MarginSampler(linear_model.PathSoftmax()),
        active.MarginSampler(river_linear_model.SoftmaxRegression()),
        active.ThresholdSampler(linear_model.SHRLS()),
    ],
)
def test_rivers_checks(sampler: Any) -> None:
    """River's samplers have one label: the probabilities of several have another form."""
    several = isinstance(sampler, active.ThresholdSampler)
    for check in rivers_checks(sampler, ["check_predict_proba_one"] * several):
        check(sampler.clone())


def test_a_question_leaves_the_model_as_it_is() -> None:
    """Also its clock, which moves on when it learns a label."""
    for model, y in ((linear_model.PathSoftmax(TREE), "sky"), (linear_model.SHRLS(TREE), {"sky"})):
        several = isinstance(y, set)
        sampler: Any = (active.ThresholdSampler if several else active.MarginSampler)(model)
        for x, _ in points(30, 1):
            sampler.learn_one(x, y)
        before = pickle.dumps(model)
        for x, _ in points(30, 2):
            sampler.predict_one(x)
            sampler.predict_proba_one(x)
        assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: active.MarginSampler(linear_model.HAROW(TREE)), "of one label"),
        (lambda: active.MarginSampler(linear_model.PathSoftmax), "of one label"),
        (lambda: active.ThresholdSampler(linear_model.HAROW(TREE)), "an `SHRLS`"),
    ],
)
def test_other_kinds_of_models_are_refused(make: Any, wanted: str) -> None:
    with pytest.raises(TypeError, match=f"`classifier` must be .*{wanted}"):
        make()
