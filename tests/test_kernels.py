"""The kernels against numpy's own solutions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import trees

from river_hier import Taxonomy
from river_hier._kernels import Features, LeastSquares, Weights, distances_from
from river_hier._kernels.dual import Dual
from river_hier._kernels.inverse import GrowingInverse
from river_hier._kernels.primal import Primal


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_growing_inverse(n: int) -> None:
    rng = np.random.default_rng(n)
    S = rng.normal(size=(40, n))
    B = np.eye(n) + S.T @ S
    inverse = GrowingInverse()
    for i in range(n):
        g = inverse.solve(B[:i, i])
        np.testing.assert_allclose(B[:i, :i] @ g, B[:i, i], atol=1e-8)
        inverse.append(g, B[i, i] - B[:i, i] @ g)
    b = rng.normal(size=n)
    np.testing.assert_allclose(inverse.solve(b), np.linalg.solve(B, b), atol=1e-8)


@pytest.mark.parametrize(("n_features", "n_instances"), [(30, 200), (300, 40)])
def test_both_regimes_equal_the_direct_solve(n_features: int, n_instances: int) -> None:
    rng = np.random.default_rng(0)
    l2 = 0.7
    features, rls = Features(), LeastSquares([2], l2)
    S, V = np.zeros((n_instances, n_features)), np.zeros((n_instances, 2))
    for i in range(n_instances):
        names = rng.choice(n_features, size=5, replace=False)
        x = features.insert({int(name): float(rng.normal()) for name in names})
        S[i, x.rows] = x.values
        visit = rls.visit(x)
        A = l2 * np.eye(n_features) + S[:i].T @ S[:i]
        w = np.linalg.solve(A, S[:i].T @ V[:i])
        scores = rls.scores(0, visit)
        np.testing.assert_allclose(scores, S[i] @ w, atol=1e-9)
        np.testing.assert_allclose(rls.explicit_scores(0, x), S[i] @ w, atol=1e-9)
        r, u = rls.solve(0, visit)
        assert r == pytest.approx(S[i] @ np.linalg.solve(A, S[i]), abs=1e-9)
        V[i] = rng.choice([-1.0, 1.0], size=2)
        rls.store(0, visit, V[i] - scores, r, u)
    assert isinstance(rls.systems[0], Primal if n_instances >= n_features else Dual)
    assert rls.n_stored(0) == n_instances


def test_instances_are_stored_once_and_only_while_somebody_is_in_dual_variables() -> None:
    features, rls = Features(), LeastSquares([1, 1, 1], 1.0)
    for i in range(10):
        x = features.insert({i: 1.0, i + 1: 2.0, "bias": 1.0})
        visit = rls.visit(x)
        for s in (0, 2):
            r, u = rls.solve(s, visit)
            rls.store(s, visit, np.ones(1), r, u)
    assert rls.instances.n == 10
    for _ in range(30):  # with 12 features the systems go over to primal variables
        visit = rls.visit(features.insert({"bias": 1.0, 0: 0.5}))
        r, u = rls.solve(0, visit)
        rls.store(0, visit, np.ones(1), r, u)
    assert isinstance(rls.systems[0], Primal)
    assert rls.instances.n == 12


def test_predicting_leaves_a_pickle_as_it_was() -> None:
    features, rls = Features(), LeastSquares([1], 1.0)
    for i in range(5):
        visit = rls.visit(features.insert({i: 1.0, i + 1: 1.0}))
        rls.store(0, visit, np.ones(1), *rls.solve(0, visit))
    before = pickle.dumps(rls)
    rls.explicit_scores(0, features.find({1: 1.0}))
    assert pickle.dumps(rls) == before


def test_a_pickle_holds_no_room_to_grow() -> None:
    features, weights = Features(), Weights(3)
    for i in range(100):
        x = features.insert({i: 1.0})
        weights.add(x, np.array([1]), np.array([1.0]))
    assert len(weights.matrix) > 100
    assert pickle.loads(pickle.dumps(weights)).matrix.shape == (100, 3)
    weights.add(x, np.array([1]), np.array([-1.0]))
    assert pickle.loads(pickle.dumps(weights)).matrix.shape == (99, 3)


@given(taxonomy=trees(), data=st.data())
@settings(deadline=None)
def test_distances_from_a_node(taxonomy: Taxonomy, data: st.DataObject) -> None:
    y = data.draw(st.sampled_from(taxonomy.nodes))
    expected = [taxonomy.distance(y, v) for v in taxonomy]
    assert distances_from(taxonomy.index(y), taxonomy.arrays).tolist() == expected


def test_finding_adds_no_feature() -> None:
    features = Features()
    features.insert({"a": 1.0, "b": 2.0})
    x = features.find({"c": 2.0, "b": 1.0})
    assert (x.rows.tolist(), x.values.tolist(), x.norm2) == ([1], [1.0], 5.0)
    assert len(features) == 2


@pytest.mark.parametrize("value", [True, np.bool_(True), 1, np.int64(1), np.float32(1), 1.0])
def test_numbers_of_every_kind(value: object) -> None:
    x = Features().insert({"a": value, "b": 2})
    assert x.values.tolist() == [1.0, 2.0]
