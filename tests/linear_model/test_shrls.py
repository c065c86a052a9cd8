"""SH-RLS that forgets, and solves without factors: what it promises, step by step."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import oracles
from river_hier import Taxonomy, linear_model
from support.backends import both, kinds, n_instances, running_on
from support.strategies import parents_of

ONE = Taxonomy.flat(["a"])
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", "d")])
LOOSE = 1e-4  # conjugate gradients stop when they are this near, or nearer
FACTORS = pytest.mark.parametrize("memory", [1e9, 0], ids=["factors", "gradients"])


def sparse(rng: np.random.Generator, first: int, last: int, n: int) -> dict[int, float]:
    names = rng.choice(np.arange(first, last), n, replace=False)
    return {int(j): float(rng.normal()) for j in names}


def dense(x: dict[int, float], d: int) -> Any:
    row = np.zeros(d)
    row[list(x)] = list(x.values())
    return row


@pytest.mark.slow(but=8)
@both
@FACTORS
@pytest.mark.parametrize(("budget", "l2"), [(2, 1.0), (3, 0.5), (10, 2.0), (25, 0.1)])
@pytest.mark.parametrize("threshold", [0.3, 1e6])
def test_a_budget_equals_its_definition(
    backend: str, memory: float, budget: int, l2: float, threshold: float
) -> None:
    rng = np.random.default_rng(budget)
    d = 80
    near = 1e-8 if memory else 1e-4
    oracle = oracles.BudgetedSHRLS(d, threshold, l2, budget)
    with running_on(backend):
        model = linear_model.SHRLS(ONE, threshold, l2, budget=budget, memory=memory)
        for step in range(100):
            x = sparse(rng, 0, 60 if step < 40 else d, 8)  # later some features are new
            if step % 7 == 0:
                assert model.score_one(x)["a"] == pytest.approx(oracle.score(dense(x, d)), abs=near)
                w = model.weights["a"]
                found = dense(w, d)
                np.testing.assert_allclose(found, oracle.w(), atol=near)
                if abs(oracle.score(dense(x, d))) > near:
                    assert model.predict_one(x)["a"] == (oracle.score(dense(x, d)) >= 0.0)
            on = bool(rng.random() < 0.5)
            model.learn_one(x, {"a": on})
            oracle.learn(dense(x, d), 1.0 if on else -1.0)
            assert model.n_stored == {"a": oracle.n_stored}
            (system,) = model._rls.__reduce__()[1][-1]
            assert len(system[3]) == len(oracle.S) <= budget
        assert oracle.n_stored > budget
        assert kinds(model._rls) == ["cholesky" if memory or backend == "numpy" else "cg"]


@pytest.mark.slow(but=1)
@both
@FACTORS
def test_old_features_outlive_the_instances_that_brought_them(backend: str, memory: float) -> None:
    """The instances kept know fewer features than what was forgotten left in w0."""
    rng = np.random.default_rng(1)
    d, budget = 60, 10
    oracle = oracles.BudgetedSHRLS(d, math.inf, 1.0, budget)
    with running_on(backend):
        model = linear_model.SHRLS(ONE, 1e6, budget=budget, memory=memory)
        for step in range(1300):  # beyond 1024 those that nobody needs are dropped
            x = sparse(rng, 0, d, 8) if step < 30 else sparse(rng, 0, 20, 4)
            model.learn_one(x, {"a": step % 3 == 0})
            oracle.learn(dense(x, d), 1.0 if step % 3 == 0 else -1.0)
            if step in (1100, 1200):
                model = pickle.loads(pickle.dumps(model))
        assert n_instances(model._rls) < 400
        probe = sparse(rng, 0, d, 30)
        for _ in range(20):  # later from an explicit w
            assert model.predict_one(probe)["a"] == (oracle.w() @ dense(probe, d) >= 0.0)
        np.testing.assert_allclose(
            dense(model.weights["a"], d), oracle.w(), atol=1e-7 if memory else 1e-4
        )
        assert model.n_stored == {"a": 1300}


@pytest.mark.slow
@both
@FACTORS
def test_memory_is_bounded(backend: str, memory: float) -> None:
    rng = np.random.default_rng(2)
    with running_on(backend):
        model = linear_model.SHRLS(TREE, 1e6, budget=20, memory=memory, n_features=256)
        most = factors = 0
        for step in range(1500):
            x = {f"n{j}": 1.0 for j in rng.integers(0, 10**6, 8)}
            model.learn_one(x, TREE.nodes[int(rng.integers(1, 5))])
            most = max(most, len(model._rls.__reduce__()[1][-2][0]) if step % 50 == 0 else 0)
            factors = max(factors, model._rls.factor_bytes if backend == "native" else 0)
        assert most <= 1024 + 1
        assert factors <= 4 * 8 * 21 * 22 // 2
        assert bool(factors) == (memory > 0 and backend == "native")
        assert min(model.n_stored.values()) > 300


@both
def test_dense_streams_go_primal_and_forget_nothing(backend: str) -> None:
    rng = np.random.default_rng(3)
    with running_on(backend):
        model = linear_model.SHRLS(TREE, 1e6, budget=12)
        oracle = oracles.SHRLS(parents_of(TREE), threshold=1e6)
        for _ in range(60):
            x = {j: float(rng.normal()) for j in range(10)}
            y = TREE.nodes[int(rng.integers(1, 5))]
            model.learn_one(x, y)
            oracle.learn(x, [y])
        assert set(kinds(model._rls)) == {"primal"}
        scores = oracle.scores(x)
        assert model.score_one(x) == pytest.approx(scores, abs=1e-9)
        # Features explode: back to dual variables, and then the budget counts.
        for _ in range(15):
            model.learn_one({j: float(rng.normal()) for j in range(150)}, "b")
        assert set(kinds(model._rls)) >= {"cholesky"}
        assert max(len(s[3]) for s in model._rls.__reduce__()[1][-1] if s[0] == "cholesky") <= 12


@both
def test_a_node_left_behind_in_primal_variables(backend: str) -> None:
    """One node has asked for the dot products already when another goes back to dual ones."""
    rng = np.random.default_rng(4)
    with running_on(backend):
        model = linear_model.SHRLS(TREE, 1e6)
        oracle = oracles.SHRLS(parents_of(TREE), threshold=1e6)
        exact = linear_model.HRLS(TREE)
        for step in range(34):
            wide = 5 if step < 16 else 80
            x = {j: float(rng.normal()) for j in range(wide)}
            y = ["b", "a", "d"][step % 3] if step < 16 or step >= 24 else "c"
            model.learn_one(x, y)
            exact.learn_one(x, y)
            oracle.learn(x, [y])
            if step in (15, 23, 24, 33):
                probe = sparse(rng, 0, 80, 20)
                assert model.score_one(probe) == pytest.approx(oracle.scores(probe), abs=1e-8)
                assert exact.score_one(probe) == pytest.approx(oracle.scores(probe), abs=1e-8)
            if step == 23:
                assert set(kinds(model._rls)) == {"cholesky", "primal"}


@pytest.mark.slow(but=2)
@both
@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
@pytest.mark.parametrize("taxonomy", [TREE, None], ids=["closed", "open"])
def test_gradients_answer_as_factors_do(backend: str, name: str, taxonomy: Any) -> None:
    rng = np.random.default_rng(5)
    cls = getattr(linear_model, name)
    with running_on(backend):
        models = [cls(taxonomy, memory=memory) for memory in (1e9, 0, 8 * 60)]
        for step in range(120):
            x = sparse(rng, 0, 200, 10)
            y = [TREE.nodes[v] for v in rng.integers(1, 5, size=int(rng.integers(0, 3)))]
            if step % 2:
                answers = [model.predict_one(x) for model in models]
                assert answers[0] == answers[1] == answers[2]
            if step % 10 == 0:
                scores = [model.score_one(x) for model in models]
                assert scores[1] == pytest.approx(scores[0], abs=LOOSE)
                assert scores[2] == pytest.approx(scores[0], abs=LOOSE)
            for model in models:
                model.learn_one(x, y)
            if name == "SHRLS":
                assert models[0].n_stored == models[1].n_stored == models[2].n_stored
        if backend == "native":
            assert set(kinds(models[1]._rls)) == {"cg"}
            assert models[1]._rls.factor_bytes == 0 < models[2]._rls.factor_bytes + 1 <= 8 * 60 + 1
        w = [model.weights for model in models]
        for label, expected in w[0].items():
            assert w[1][label] == pytest.approx(expected, abs=LOOSE)


@both
@FACTORS
def test_hrls_decides_as_its_oracle_while_it_learns(backend: str, memory: float) -> None:
    """Learning only stores in the compiled backend; the predictions in between do the work."""
    rng = np.random.default_rng(6)
    dag = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("b", "e")])
    for taxonomy in (TREE, dag):
        with running_on(backend):
            model = linear_model.HRLS(taxonomy, memory=memory)
            oracle = oracles.HRLS(parents_of(taxonomy))
            for step in range(60):
                x = sparse(rng, 0, 40, 6)
                if step % 5 != 4:
                    assert model.predict_one(x) == oracle.predict(x)
                y = [taxonomy.nodes[v] for v in rng.integers(1, len(taxonomy), size=2)]
                model.learn_one(x, y)
                oracle.learn(x, y)


@both
@pytest.mark.parametrize("l2", [1e-8, 1e-3])
def test_forgetting_survives_repeated_examples(backend: str, l2: float) -> None:
    """The kept instances may be all but linearly dependent."""
    X = [dict(enumerate(row)) for row in np.random.default_rng(7).normal(size=(2, 30)).tolist()]
    with running_on(backend):
        model = linear_model.SHRLS(ONE, 1e9, l2=l2, budget=4)
        for step in range(80):
            model.learn_one(X[step % 2], {"a": step % 2 == 0})
        assert [model.predict_one(x)["a"] for x in X] == [True, False]


@pytest.mark.parametrize("budget", [1, 0, -3, 2.5, True, "4"])
def test_bad_budgets(budget: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"`budget` must be"):
        linear_model.SHRLS(ONE, budget=budget)


@pytest.mark.parametrize("memory", [-1, float("nan"), "1e9", None])
def test_bad_memory(memory: Any) -> None:
    for cls in (linear_model.SHRLS, linear_model.HRLS):
        with pytest.raises(ValueError, match=r"`memory` must be a number of bytes"):
            cls(ONE, memory=memory)
