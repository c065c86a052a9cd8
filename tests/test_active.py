"""Samplers: the budget, and the bounds of the papers."""

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from river import preprocessing

from river_hier import Below, Taxonomy, active, linear_model
from support.hypothesis_settings import n_examples
from support.strategies import single_label_streams

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
NODES = ["one", "two"]


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


vectors = st.lists(st.integers(-3, 3), min_size=2, max_size=2)


@given(
    stream=st.lists(st.tuples(vectors, st.booleans()), max_size=7),
    u=vectors,
    b=st.sampled_from([0.1, 0.5, 10.0]),
)
@example(stream=[([1, 0], False), ([0, 1], False)], u=[-1, -1], b=0.5)  # equal to the bound
@n_examples(60)
def test_expected_mistakes_of_the_selective_sampling_perceptron(
    stream: Any, u: Any, b: float
) -> None:
    """The expectation over all ways in which its coins can fall, and any u and stream."""

    def expected(weights: Any, t: int) -> float:
        if t == len(stream):
            return 0.0
        x, on = stream[t]
        p = float(np.dot(weights, x))
        mistake = (p >= 0.0) != on
        learned = weights + np.array(x) * (on - (p >= 0.0))
        asks = b / (b + abs(p))
        found = (1.0 - asks) * expected(weights, t + 1) + asks * expected(learned, t + 1)
        return mistake + found

    norm = max((float(np.dot(x, x)) for x, _ in stream), default=0.0)
    hinge = sum(max(0.0, 1.0 - (1 if on else -1) * float(np.dot(u, x))) for x, on in stream)
    bound = (2.0 * b + norm) ** 2 * float(np.dot(u, u)) / (8.0 * b)
    assert expected(np.zeros(2), 0) <= (1.0 + norm / (2.0 * b)) * hinge + bound + 1e-9


@given(
    stream=st.lists(
        st.tuples(vectors, st.tuples(st.booleans(), st.booleans()), st.floats(0.0, 1.0)),
        max_size=20,
    ),
    n=st.sampled_from([1, 2]),
)
@example(stream=[([1, 0], (False, False), 1.0), ([1, 0], (True, True), 0.5)], n=2)
@n_examples(30)
def test_the_perceptron_asks_and_learns_as_it_is_written(stream: Any, n: int) -> None:
    model = linear_model.HPerceptron(Taxonomy.flat(NODES[:n]))
    sampler, weights, b = active.PerceptronSampler(model, 0.5), np.zeros((n, 2)), 0.5

    class Coin:
        def random(self) -> float:
            return coin

    sampler._rng = Coin()
    for x, on, coin in stream:
        scores = weights @ x
        names = {str(j): float(value) for j, value in enumerate(x)}
        assert list(model.score_one(names).values()) == scores.tolist()
        _, ask = sampler.predict_one(names)
        none = math.prod(1.0 - b / (b + abs(p)) for p in scores.tolist())
        if abs(coin - none) > 1e-9:
            assert ask == (coin > none)
        if ask:
            sampler.learn_one(names, dict(zip(NODES[:n], on, strict=False)))
            weights += np.outer(on[:n] - (scores >= 0.0).astype(float), x)


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
