"""Logarithmic pools: the oracle, members of every kind, the preset for dense features."""

import math
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import evaluate, preprocessing
from river import linear_model as river_linear_model
from sklearn.datasets import load_digits

import oracles
from river_hier import (
    Taxonomy,
    decision,
    ensemble,
    feature_extraction,
    forest,
    kernel,
    linear_model,
    local,
    metrics,
    probabilistic,
)
from river_hier.datasets import synth
from river_hier.feature_extraction import RandomFourierFeatures
from support.strategies import multilabel_streams, parents_of, single_label_streams

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})

weights = st.sampled_from([0.0, 0.25, 1.0, 1.0, 2.0])


@given(single_label_streams(), st.data())
def test_single_labels_step_by_step(stream: Any, data: st.DataObject) -> None:
    t, examples = stream
    members: list[Any] = [linear_model.PathSoftmax(t), probabilistic.LinearDiscriminant(t)]
    model = ensemble.LogarithmicPool([member.clone() for member in members])
    oracle = oracles.LogarithmicPool(2, multilabel=False)
    for i, (x, y) in enumerate(examples):
        likely = [member.predict_proba_one(x) for member in members]
        expected = oracle.probabilities(likely)
        found = model.predict_proba_one(x)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert found[model.predict_one(x)] == max(found.values())
        w = data.draw(weights)
        model.learn_one(x, y, w)
        if w:
            for member in members:
                member.learn_one(x, y, w=w)
            oracle.learn(likely, {y}, w)
        assert model.coefficients == pytest.approx(oracle.coefficients, rel=1e-6, abs=1e-9)
        if i == 5:
            model = pickle.loads(pickle.dumps(model))


@given(multilabel_streams(), st.data())
def test_multilabels_step_by_step(stream: Any, data: st.DataObject) -> None:
    t, examples = stream
    parents = parents_of(t)
    members: list[Any] = [linear_model.HAROW(t, r=1.0), linear_model.HAROW(t, r=0.01)]
    model = ensemble.LogarithmicPool([member.clone() for member in members])
    oracle, has_learned = oracles.LogarithmicPool(2, multilabel=True), False
    for x, y in examples:
        likely = [
            {v: p[True] for v, p in member.predict_proba_one(x).items()} for member in members
        ]
        expected, found = oracle.probabilities(likely), model.predict_proba_one(x)
        assert {v: p[True] for v, p in found.items()} == pytest.approx(expected, rel=1e-6)
        for v, above in parents.items():  # a node is never more probable than its parents
            assert all(found[v][True] <= found[u][True] for u in above if u != t.root)
        on = [v for v in t.nodes[1:] if has_learned and found[v][True] >= 0.5]
        assert model.predict_labels_one(x) == on
        w = data.draw(weights)
        model.learn_one(x, y, w)
        has_learned |= w > 0.0
        if w:
            for member in members:
                member.learn_one(x, y, w=w)
            oracle.learn(likely, oracles.closure(parents, y) | {t.root}, w)
        assert model.coefficients == pytest.approx(oracle.coefficients, rel=1e-6, abs=1e-9)


def pools() -> dict[str, Callable[[Any], Any]]:
    return {
        "learners": lambda t: ensemble.LogarithmicPool(
            [linear_model.PathSoftmax(t), probabilistic.LinearDiscriminant(t)]
        ),
        "pipelines": lambda t: ensemble.LogarithmicPool(
            [
                preprocessing.Normalizer() | linear_model.PathSoftmax(t),
                feature_extraction.RandomFourierFeatures(1.0, 20) | probabilistic.NewtonSoftmax(t),
                decision.Tempered(linear_model.Hieron(t)),
            ]
        ),
        "dense": lambda t: ensemble.DensePool(t, n_components=20),
    }


@pytest.mark.parametrize("make", pools().values(), ids=pools())
@pytest.mark.parametrize("opened", [False, True])
def test_every_way_to_call(make: Callable[[Any], Any], opened: bool) -> None:
    model = make(None if opened else TREE)
    assert model.predict_one({"u": 1.0}) in (None, *TREE.nodes)
    draws = np.random.default_rng(3)
    X = pd.DataFrame(draws.normal(size=(80, 3)), columns=list("uvw"))
    y = [("b" if a > 0 else "c") if c > 0 else "d" for a, _, c in X.to_numpy().tolist()]
    model.learn_many(X[:60], y[:60])
    for x, label in zip(X[60:70].to_dict("records"), y[60:70], strict=True):
        model.learn_one(x, label, w=2.0)
    rest = X[70:]
    rows: list[dict[str, float]] = rest.to_dict("records")
    likely = model.predict_proba_many(rest)
    assert np.allclose(likely.sum(axis=1), 1.0)
    for i, x in enumerate(rows):
        assert list(model.predict_proba_one(x).values()) == pytest.approx(likely.iloc[i].tolist())
        assert model.predict_one(x) == likely.columns[likely.iloc[i].argmax()]
    assert model.predict_many(rest).tolist() == [model.predict_one(x) for x in rows]
    shallow = model.predict_many(rest, max_depth=1)
    assert shallow.tolist() == [model.predict_one(x, max_depth=1) for x in rows]
    scores = model.score_one(rows[0])
    assert max(scores, key=scores.__getitem__) == model.predict_one(rows[0])

    copied = pickle.loads(pickle.dumps(model))
    fresh = model.clone()
    assert copied.predict_proba_one(rows[0]) == model.predict_proba_one(rows[0])
    assert np.allclose(fresh.coefficients, 1.0 / len(fresh.models))
    copied.forget("b")
    assert copied.predict_one(rows[0]) in model.taxonomy_.nodes
    larger = model.taxonomy_.extend([("d", "new")])
    model.adopt(larger)
    model.learn_one(rows[0], "new")
    assert model.predict_proba_one(rows[0])["new"] > 0.0
    assert "new" in model.taxonomy_


def test_a_useless_member_gets_no_weight() -> None:
    stream = synth.PrototypeTree(branching=3, depth=2, noise=0.16, seed=42)
    t = stream.taxonomy
    useless = preprocessing.Normalizer() | linear_model.PathSoftmax(t, prior_variance=1e-9)
    model = ensemble.LogarithmicPool([useless, linear_model.PathSoftmax(t)])
    for x, y in stream.take(300):
        model.learn_one(x, y)
    assert model.coefficients[1] > 0.5
    p = model.predict_proba_one(x)
    assert max(p, key=p.__getitem__) == model.models[1].predict_one(x)


def rows_of_a_shop(n: int) -> list[tuple[dict[str, Any], str]]:
    """Titles and brands that tell the label in part, and columns that tell nothing of it."""
    draws, found = np.random.default_rng(0), []
    for y in draws.choice(["b", "c", "d"], n).tolist():
        words = draws.choice([y * 3, y * 4, "xxx", "yyy", "zzz"], 3, p=[0.2, 0.2, 0.2, 0.2, 0.2])
        brand = f"brand {y}" if draws.random() < 0.6 else None
        noise, price = int(draws.integers(20)), float(draws.normal())
        found.append(({"t": " ".join(words), "brand": brand, "n": noise, "price": price}, y))
    return found


def test_views_are_a_pool_of_pipelines_and_a_useless_one_costs_nothing() -> None:
    rows, wrong = rows_of_a_shop(1_000), {}
    views: dict[str, dict[str, Any]] = {
        "text": {},
        "brand": {"categories": ["brand"]},
        "useless": {"categories": ["n"], "numbers": ["price"]},
    }
    for name, others in views.items():
        model = ensemble.make_views(TREE, texts=["t"], **others)
        wrong[name] = 0
        for x, y in rows:
            wrong[name] += model.predict_one(x) != y
            model.learn_one({k: v for k, v in x.items() if v is not None}, y)
        assert len(model.models) == 1 + len(others)
    assert wrong["brand"] < 0.8 * wrong["text"]
    assert wrong["useless"] <= wrong["text"] + 0.003 * len(rows)
    with pytest.raises(ValueError, match="'t'"):
        model.learn_one({"n": 3}, "b")


@pytest.mark.parametrize("several", [False, True])
def test_a_batch_reaches_a_pipeline_and_a_model_beside_it(several: bool) -> None:
    t = Taxonomy.flat("abc")
    kind: Any = linear_model.HAROW if several else linear_model.PathSoftmax

    def make() -> Any:
        return ensemble.LogarithmicPool([kind(t), preprocessing.Normalizer() | kind(t)])

    X = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 3)), columns=list("uvw"))
    y = [{label} if several else label for label in "abc" * 10]
    one, many = make(), make()
    many.learn_many(X, y)
    for x, label in zip(X.to_dict("records"), y, strict=True):
        one.learn_one(x, label)
    for p, x in zip(many.predict_proba_many(X[:5]).to_numpy(), X.to_dict("records"), strict=False):
        theirs = one.predict_proba_one(x)
        assert p == pytest.approx([v[True] if several else v for v in theirs.values()])


def test_the_pool_removes_the_loss_of_a_wrong_parameter() -> None:
    """HAROW with several values of r: the pool is close to the best, which nobody knew."""
    t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    stream = synth.LinearLabels(t, n_features=40, seed=42)

    def loss(model: Any) -> float:
        decoder = decision.SymmetricDifferenceBayes(model)
        metric = metrics.SymmetricDifferenceLoss(t)
        return float(evaluate.progressive_val_score(stream.take(2000), decoder, metric).get())

    members = [decision.Calibrated(linear_model.HAROW(t, r=r)) for r in (1e-4, 1.0, 1e5)]
    losses = [loss(member.clone()) for member in members]
    pooled = loss(ensemble.LogarithmicPool(members))
    assert pooled < min(losses) + 0.3 * (max(losses) - min(losses))


def standardised(x: dict[str, float], seen: list[tuple[dict[str, float], float]]) -> Any:
    """By the moments so far, within 3 deviations, and divided by the root of their number."""
    total, found, varied = sum(w for _, w in seen), {}, 0
    for name in dict.fromkeys(name for row, _ in seen for name in row):
        mean = sum(w * row.get(name, 0.0) for row, w in seen) / total
        variance = sum(w * (row.get(name, 0.0) - mean) ** 2 for row, w in seen) / total
        deviations = (x.get(name, 0.0) - mean) / math.sqrt(variance) if variance else 0.0
        found[name] = min(max(deviations, -3.0), 3.0)
        varied += variance > 0.0
    return {name: value / math.sqrt(varied or 1) for name, value in found.items()}


def test_dense_pool_is_a_pool_of_its_members() -> None:
    rng, seen = random.Random(1), list[tuple[dict[str, float], float]]()
    model, pool = ensemble.DensePool(TREE, n_components=20), oracles.LogarithmicPool(5, False)
    members: list[Any] = [
        probabilistic.LinearDiscriminant(TREE),
        *(probabilistic.NewtonSoftmax(TREE) for _ in range(2)),
        probabilistic.DiscriminantNeighbors(TREE, budget=10_000),
        forest.ExtraTrees(TREE),
    ]
    random_features = [RandomFourierFeatures(sigma, 20, 0) for sigma in (1.0, 0.5)]

    def views(x: Any) -> list[Any]:
        near = standardised(x, seen)
        return [x, *(features.transform_one(near) for features in random_features), near, x]

    for i in range(40):
        y, w = rng.choice("bcd"), rng.choice([1.0, 2.0])
        x = {name: rng.gauss("bcd".index(y) * (name == "u"), 1.0) for name in "uvw"[: 2 + i // 9]}
        x |= {"v": x["v"] * 20.0 if i % 8 == 7 else x["v"], "constant": 1.0}
        said = [m.predict_proba_one(view) for m, view in zip(members, views(x), strict=True)]
        assert model.predict_proba_one(x) == pytest.approx(pool.probabilities(said), abs=1e-6)
        model.learn_one(x, y, w)
        seen.append((x, w))
        for member, view in zip(members, views(x), strict=True):
            member.learn_one(view, y, w)
        pool.learn(said, {y}, w)


@pytest.mark.slow
def test_dense_pool_on_digits() -> None:
    """One pass, without a choice: at most .02 more errors than an RBF SVM in batch (.008)."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    X, y = digits.data[order], digits.target[order].tolist()
    model = ensemble.DensePool()
    model.learn_many(X[:1300], y[:1300])
    assert np.mean(model.predict_many(X[1300:]) != y[1300:]) < 0.03


def test_dense_pool_does_not_depend_on_scale() -> None:
    draws = np.random.default_rng(0)
    X = draws.normal(size=(200, 4))
    y = np.where(X[:, 0] * X[:, 1] > 0, "b", "c").tolist()
    answers = []
    for Z in (X, X * [1e4, 1.0, 1e-4, 3.0] + [0.0, 1e3, 0.0, -7.0]):
        model = ensemble.DensePool(TREE, n_components=50)
        model.learn_many(Z[:150], y[:150])
        answers.append(model.predict_proba_many(Z[150:]))
    assert np.allclose(*answers, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("w", [10, 1])
def test_coefficients_do_not_run_away(w: int) -> None:
    """In a closed taxonomy of three classes that overlap, and with weights."""
    for seed in range(3):
        draws = np.random.default_rng(seed)
        means, alone = draws.normal(size=(3, 4)), 0.0
        model = ensemble.DensePool(Taxonomy.flat(["a", "b", "c"]), n_components=50)
        pooled = 0.0
        for step in range(300):
            k = int(draws.integers(3))
            x = dict(enumerate((means[k] + draws.normal(size=4)).tolist()))
            if step >= 150:
                pooled -= math.log(model.predict_proba_one(x)["abc"[k]])
                alone -= math.log(model.models[0].predict_proba_one(x)["abc"[k]])
            model.learn_one(x, "abc"[k], w=w)
            assert model.coefficients.max() < 1.5
        assert pooled < 1.4 * alone


def test_the_first_example_of_a_label_moves_no_coefficient() -> None:
    for make in pools().values():
        model = make(TREE)
        for x in ({"u": 1.0}, {"u": 2.0}):
            model.learn_one(x, "b")
        before = model.coefficients
        model.learn_one({"v": 1.0}, "c")
        assert (model.coefficients == before).all()
        model.learn_one({"v": 1.0}, "c")
        assert (model.coefficients != before).any()


def test_a_large_weight_beside_large_values_is_refused() -> None:
    model = ensemble.DensePool(TREE, n_components=20)
    for i in range(12):
        model.learn_one({"salary": 1e5 + 1e4 * (i % 5), "u": 1.0}, "bc"[i % 2])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="times its weight"):
        model.learn_one({"u": 1.0}, "b", w=1e12)
    assert pickle.dumps(model) == before


def test_refusals() -> None:
    path = linear_model.PathSoftmax(TREE)
    for wrong, error, match in (
        ([], ValueError, "at least one model"),
        ([path, path], ValueError, "must be separate"),
        ([path, linear_model.HAROW(TREE)], TypeError, "all predict multilabels"),
        ([path, linear_model.PathSoftmax()], ValueError, "the same taxonomy"),
        ([linear_model.PathSoftmax], TypeError, "must be a model in a taxonomy"),
    ):
        with pytest.raises(error, match=match):
            ensemble.LogarithmicPool(wrong)
    with pytest.raises(ValueError, match="`n_components` must be even"):
        ensemble.DensePool(TREE, n_components=3)


@pytest.mark.parametrize("kind", ["kernel", "local"])
def test_what_one_model_cannot_forget_no_model_forgets(kind: str) -> None:
    t = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e", "f"]}})
    other = kernel.HRLS(t)
    if kind == "local":
        other = local.PerNode(river_linear_model.LogisticRegression(), t)
    pool = ensemble.LogarithmicPool([linear_model.HAROW(t), other])
    for name, y in zip("xyzx", "bcef", strict=True):
        pool.learn_one({name: 1.0}, {y})
    before = pool.models[0].weights
    with pytest.raises(TypeError, match="cannot forget"):
        pool.forget("a")
    assert pool.models[0].weights == before


def test_a_weight_that_one_model_cannot_take_changes_no_model() -> None:
    t = Taxonomy([("r", "a"), ("r", "b")])
    local_ = local.PerParent(river_linear_model.SoftmaxRegression(), t)
    pool = ensemble.LogarithmicPool([linear_model.Hieron(t), local_])
    for x, y in [({"x": 1.0}, "a"), ({"y": 1.0}, "b")]:
        pool.learn_one(x, y)
    before = pool.models[0].weights
    with pytest.raises(TypeError, match="takes no weights"):
        pool.learn_one({"x": 1.0}, "b", w=2.0)
    assert pool.models[0].weights == before
