"""Budgets of H-RLS and SH-RLS: what they promise, step by step."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, kernel, linear_model
from river_hier._core import Example
from support.hypothesis_settings import n_examples
from support.least_squares import kinds, n_instances
from support.strategies import multilabel_streams, parents_of, sample_weights

ONE = Taxonomy.flat(["a"])
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", "d")])
NEAR = 1e-8


def sparse(rng: np.random.Generator, first: int, last: int, n: int) -> dict[int, float]:
    names = rng.choice(np.arange(first, last), n, replace=False)
    return {int(j): float(rng.normal()) for j in names}


def dense(x: dict[int, float], d: int) -> Any:
    row = np.zeros(d)
    row[list(x)] = list(x.values())
    return row


def made(threshold: float, *args: Any, **kwargs: Any) -> Any:
    """H-RLS has an infinite threshold."""
    if threshold == math.inf:
        return linear_model.HRLS(*args, **kwargs)
    return linear_model.SHRLS(args[0], threshold, *args[1:], **kwargs)


@pytest.mark.slow(but=6)
@pytest.mark.parametrize(("budget", "l2"), [(2, 1.0), (3, 0.5), (10, 2.0), (25, 0.1)])
@pytest.mark.parametrize("threshold", [0.3, 1e6, math.inf])
def test_a_budget_equals_its_definition(budget: int, l2: float, threshold: float) -> None:
    rng = np.random.default_rng(budget)
    d = 80
    oracle = oracles.BudgetedSHRLS(d, threshold, l2, budget)
    model = made(threshold, ONE, l2, budget=budget)
    for step in range(100):
        x = sparse(rng, 0, 60 if step < 40 else d, 8)  # later some features are new
        if step % 7 == 0:
            assert model.score_one(x)["a"] == pytest.approx(oracle.score(dense(x, d)), abs=NEAR)
            np.testing.assert_allclose(dense(model.weights["a"], d), oracle.w(), atol=NEAR)
            on = step > 0 and oracle.score(dense(x, d)) >= 0.0
            assert model.predict_one(x)["a"] == on
        on = bool(rng.random() < 0.5)
        model.learn_one(x, {"a": on})
        oracle.learn(dense(x, d), 1.0 if on else -1.0)
        assert model._rls.n_stored == [oracle.n_stored]
        assert model._rls.sizes == [len(oracle.S)]
        assert len(oracle.S) <= budget
    assert oracle.n_stored > budget


def test_old_features_outlive_the_instances_that_brought_them() -> None:
    """The instances kept know fewer features than what was dropped left in w0."""
    rng = np.random.default_rng(1)
    d, budget = 60, 10
    oracle = oracles.BudgetedSHRLS(d, math.inf, 1.0, budget)
    model = linear_model.SHRLS(ONE, 1e6, budget=budget)
    for step in range(1300):  # beyond 1024 those that nobody needs are dropped
        x = sparse(rng, 0, d, 8) if step < 30 else sparse(rng, 0, 20, 4)
        model.learn_one(x, {"a": step % 3 == 0})
        oracle.learn(dense(x, d), 1.0 if step % 3 == 0 else -1.0)
        if step in (1100, 1200):
            model = pickle.loads(pickle.dumps(model))
    assert n_instances(model._rls) < 400
    np.testing.assert_allclose(dense(model.weights["a"], d), oracle.w(), atol=1e-7)
    assert model.n_stored == {"a": 1300}


def test_dense_streams_go_primal_and_drop_nothing() -> None:
    rng = np.random.default_rng(3)
    model = linear_model.SHRLS(TREE, 1e6, budget=12)
    oracle = oracles.SHRLS(parents_of(TREE), threshold=1e6)
    for _ in range(60):
        x = {j: float(rng.normal()) for j in range(10)}
        y = TREE.nodes[int(rng.integers(1, 5))]
        model.learn_one(x, y)
        oracle.learn(x, [y])
    assert set(kinds(model._rls)) == {"primal"}
    assert model.score_one(x) == pytest.approx(oracle.scores(x), abs=1e-9)


@pytest.mark.parametrize("l2", [1e-8, 1e-3])
def test_a_budget_survives_repeated_examples(l2: float) -> None:
    """The kept instances may be all but linearly dependent."""
    X = [dict(enumerate(row)) for row in np.random.default_rng(7).normal(size=(2, 30)).tolist()]
    model = linear_model.SHRLS(ONE, 1e9, l2=l2, budget=4)
    for step in range(80):
        model.learn_one(X[step % 2], {"a": step % 2 == 0})
    assert [model.predict_one(x)["a"] for x in X] == [True, False]


@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
@pytest.mark.parametrize("budget", [1, 0, -3, 2.5, True, "4"])
def test_bad_budgets(name: str, budget: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"`budget` must be"):
        getattr(linear_model, name)(ONE, budget=budget)


# The rules in Python


@given(
    data=multilabel_streams(), threshold=st.sampled_from([0.05, 0.5, 5.0]), weights=sample_weights
)
@n_examples(50)
def test_the_rule_in_python_equals_the_compiled_one(
    data: Any, threshold: float, weights: Any
) -> None:
    taxonomy, stream = data
    for module in (linear_model, kernel):

        class InPython(module.SHRLS):  # type: ignore[name-defined,misc]
            close, last_t = False, 0.0

            def stores(self, margin: Any, n: Any, t: float) -> Any:
                self.last_t = t
                doubt = margin**2 * n - self.threshold * math.log(max(1.0, t))
                self.close = self.close or bool((np.abs(doubt[n > 0]) < NEAR).any())
                return super().stores(margin, n, t)

        theirs = module.SHRLS(taxonomy, threshold=threshold)
        ours = InPython(taxonomy, threshold=threshold)
        for (x, y), w in zip(stream, weights, strict=False):
            score, r = theirs._rls.solve(example_of(theirs, x), len(taxonomy))
            margins = dict(zip(taxonomy.nodes[1:], ours.margin(score, r)[1:], strict=True))
            assert theirs.score_one(x) == margins
            theirs.learn_one(x, y, w=w)
            ours.learn_one(x, y, w=w)
            if ours.close:
                break  # rounding decides
            assert ours.n_stored == theirs.n_stored
            assert ours.score_one(x) == theirs.score_one(x)
            assert ours._t == theirs._t
            if any(x.values()):
                assert ours.last_t == ours._t


def example_of(model: Any, x: Any) -> Any:
    if hasattr(model, "_instances"):
        return Example(*model._instances.row(x))
    return Example(model._features.find(x))


@pytest.mark.parametrize("module", [linear_model, kernel])
def test_a_subclass_runs_its_own_rule_or_is_refused(module: Any) -> None:
    class Half(module.SHRLS):  # type: ignore[name-defined,misc]
        def stores(self, margin: Any, n: Any, t: float) -> Any:
            return n < self.threshold

    class Torn(module.SHRLS):  # type: ignore[name-defined,misc]
        def stores(self, margin: Any, n: Any, t: float) -> Any:
            return True

    model = Half(TREE, threshold=2.0)
    for _ in range(5):
        model.learn_one({"x": 1.0}, {"b"})
    assert model.n_stored == {"a": 2.0, "c": 2.0, "b": 2.0, "d": 2.0}
    with pytest.raises(ValueError, match=r"`stores` of Torn must return a bool for each of the 4"):
        Torn(TREE).learn_one({"x": 1.0}, {"b"})
    for name, cls in [("margin", module.HRLS), ("margin", module.SHRLS), ("stores", module.HRLS)]:
        with pytest.raises(TypeError, match=f"`{name}` of Lost would not be called"):
            type("Lost", (cls,), {name: lambda *args: None})


def test_a_late_label_is_off_in_weighted_examples_in_primal_variables() -> None:
    """A weight is a repetition, also in the sums that a new sibling starts from."""
    rng, heavy, twice = np.random.default_rng(1), linear_model.HRLS(), linear_model.HRLS()
    for x in rng.normal(size=(100, 3)).tolist():
        y = {"a"} if x[0] > 0.0 else {"b"}
        heavy.learn_one(dict(enumerate(x)), y, w=2.0)
        for _ in range(2):
            twice.learn_one(dict(enumerate(x)), y)
    for model in (heavy, twice):
        model.learn_one({0: 1.0, 1: 1.0}, {"late"})
    (system,) = heavy._rls.saved()[-1]
    assert system[0] == "primal"
    x = {0: 1.0, 1: -1.0, 2: 0.5}
    assert heavy.score_one(x) == pytest.approx(twice.score_one(x))
