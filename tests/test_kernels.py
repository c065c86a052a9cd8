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
from river_hier._kernels.cholesky import GrowingCholesky
from river_hier._kernels.dual import Dual
from river_hier._kernels.primal import Primal


@pytest.mark.parametrize("n", [1, 127, 128, 129, 300])
def test_growing_cholesky(n: int) -> None:
    rng = np.random.default_rng(n)
    S = rng.normal(size=(40, n))
    B = np.eye(n) + S.T @ S
    factor = GrowingCholesky()
    for i in range(n):
        b = B[:i, i]
        l = factor.forward(b)  # noqa: E741
        np.testing.assert_allclose(B[:i, :i] @ factor.backward(l), b, atol=1e-8)
        factor.append(l, np.sqrt(B[i, i] - l @ l))
    b = rng.normal(size=n)
    np.testing.assert_allclose(factor.forward(b), np.linalg.solve(np.linalg.cholesky(B), b))
    np.testing.assert_allclose(factor.backward(factor.forward(b)), np.linalg.solve(B, b))


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
        for _ in range(20):  # from the dual variables, later from an explicit w
            np.testing.assert_allclose(rls.predict(0, visit), S[i] @ w, atol=1e-9)
        r, u = rls.solve(0, visit)
        assert r == pytest.approx(S[i] @ np.linalg.solve(A, S[i]), abs=1e-9)
        V[i] = rng.choice([-1.0, 1.0], size=2)
        rls.store(0, visit, V[i], r, u)
    assert isinstance(rls.systems[0], Primal if n_instances >= n_features else Dual)
    assert rls.n_stored == [n_instances]


def test_far_more_features_lead_back_to_dual_variables() -> None:
    rng = np.random.default_rng(1)
    l2 = 0.5
    features, rls = Features(), LeastSquares([1], l2)
    S, v = np.zeros((0, 400)), np.zeros(0)
    for i in range(60):
        names = range(5) if i < 20 or i > 40 else rng.choice(400, size=100, replace=False)
        x = features.insert({int(name): float(rng.normal()) for name in names})
        row = np.zeros(400)
        row[x.rows] = x.values
        visit = rls.visit(x)
        A = l2 * np.eye(400) + S.T @ S
        score = rls.scores(0, visit)
        assert score[0] == pytest.approx(row @ np.linalg.solve(A, S.T @ v), abs=1e-9)
        r, u = rls.solve(0, visit)
        assert r == pytest.approx(row @ np.linalg.solve(A, row), abs=1e-9)
        S, v = np.vstack([S, row]), np.append(v, rng.choice([-1.0, 1.0]))
        rls.store(0, visit, v[-1:], r, u)
        assert isinstance(rls.systems[0], Primal if 4 <= i < 20 else Dual)
    rls.add_outputs(0, 2)
    w = np.linalg.solve(l2 * np.eye(400) + S.T @ S, -S.sum(axis=0))
    for column in (1, 2):
        found = rls.weights(0)[:, column]
        np.testing.assert_allclose(found, w[: len(found)], atol=1e-9)
    assert rls.n_stored == [60]


@pytest.mark.parametrize("n_features", [5, 400])
@pytest.mark.parametrize(
    ("norm", "l2"), [(1.0, 1.0), (1.0, 1e-8), (1e2, 1.0), (1e2, 1e-8), (1e4, 1.0), (1e4, 1e-4)]
)
def test_repeated_examples_of_any_size_do_no_harm(n_features: int, norm: float, l2: float) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(8, n_features))
    X *= norm / np.linalg.norm(X, axis=1, keepdims=True)
    features, rls = Features(), LeastSquares([1], l2)
    labels = [1.0, -1.0, 1.0]
    seen: list[tuple[int, float]] = []
    for i in range(240):
        visit = rls.visit(features.insert(dict(enumerate(X[i % 8].tolist()))))
        seen.append((i % 8, labels[i % 3]))
        rls.store(0, visit, np.array([seen[-1][1]]), *rls.solve(0, visit))
    # The same problem, once for each distinct x, in exact form: (K c + l2) alpha = sum of labels.
    counts = np.bincount([j for j, _ in seen], minlength=8)
    sums = np.bincount([j for j, _ in seen], weights=[y for _, y in seen], minlength=8)
    U, size, V = np.linalg.svd(np.sqrt(counts)[:, None] * X, full_matrices=False)
    exact = X @ (V.T @ (size / (size**2 + l2) * (U.T @ (sums / np.sqrt(counts)))))
    found = [
        float(rls.scores(0, rls.visit(features.find(dict(enumerate(x.tolist())))))[0]) for x in X
    ]
    condition = 30 * norm**2 / l2
    np.testing.assert_allclose(found, exact, atol=max(1e-9, min(1e-15 * condition, 0.2)))


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
    for _ in range(20):
        rls.predict(0, rls.visit(features.find({1: 1.0})))
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
