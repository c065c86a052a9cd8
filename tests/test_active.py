"""Samplers: the budget, and the bounds of the papers."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import preprocessing

from river_hier import Below, Taxonomy, active, linear_model
from support.hypothesis_settings import n_examples
from support.strategies import single_label_streams

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
ONE_NODE = Taxonomy.flat(["on"])


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


def separable(n: int, margin: float, seed: int) -> list[tuple[dict[int, float], set[str]]]:
    rng, rows = np.random.default_rng(seed), []
    while len(rows) < n:
        x = rng.normal(size=3)
        x /= np.linalg.norm(x)
        if abs(x[0]) >= margin:
            rows.append((dict(enumerate(x.tolist())), {"on"} if x[0] > 0.0 else set()))
    return rows


def test_questions_and_mistakes_of_the_selective_sampling_perceptron() -> None:
    """[S] Theorem 1, with u of norm 1 and X = 1, in means of 40 runs."""
    b, margin, runs = 0.5, 0.2, 40
    asked, expected, mistakes = [], [], []
    for seed in range(runs):
        model = linear_model.HPerceptron(ONE_NODE)
        sampler = active.PerceptronSampler(model, b, seed=seed)
        counts = np.zeros(3)
        for x, y in separable(300, margin, seed):
            score = model.score_one(x)["on"]
            _, ask = sampler.predict_one(x)
            counts += ask, b / (b + abs(score)), (score >= 0.0) != ("on" in y)
            if ask:
                sampler.learn_one(x, y)
        for found, count in zip((asked, expected, mistakes), counts, strict=True):
            found.append(count)
    spread = 4.0 * np.sqrt(300 / 4 / runs)  # four standard errors at most
    assert abs(np.mean(asked) - np.mean(expected)) < spread
    assert np.mean(asked) < 200
    assert np.mean(mistakes) <= (2.0 * b + 1.0) ** 2 / (8.0 * b * margin**2)


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
