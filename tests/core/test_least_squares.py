"""Least squares in every form, on both backends, against numpy's own solutions."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy
from support.backends import both, kinds, n_instances, namespace

PAIR = Taxonomy.flat(["a", "b"])
ONE = Taxonomy.flat(["a"])
PLENTY = 1e9  # bytes for factors


def sparse(rng: np.random.Generator, n_features: int, n: int) -> dict[Any, float]:
    return {int(j): float(rng.normal()) for j in rng.choice(n_features, n, replace=False)}


def dense(x: dict[Any, float], n_features: int) -> Any:
    row = np.zeros(n_features)
    row[list(x)] = list(x.values())
    return row


class Solved:
    """One system for the children of a star, beside its explicit matrices."""

    def __init__(
        self, backend: str, star: Taxonomy, n_features: int, l2: float, memory: float
    ) -> None:
        self.k = namespace(backend)
        self.n, self.l2, self.m = n_features, l2, len(star) - 1
        self.features, self.labels = self.k.FeatureIndex(), self.k.Labels(star)
        self.rls = self.k.LeastSquares(l2, memory)
        self.rls.add_system(list(range(1, len(star))))
        self.S, self.V = np.zeros((0, n_features)), np.zeros((0, self.m))

    def learn(self, x: dict[Any, float], y: set[str]) -> None:
        assert self.k.least_squares_step(self.rls, math.inf, 0.0, self.features, self.labels, x, y)
        nodes = self.labels.taxonomy.nodes[1:]
        self.S = np.vstack([self.S, dense(x, self.n)])
        self.V = np.vstack([self.V, [1.0 if label in y else -1.0 for label in nodes]])

    def answer(self, x: dict[Any, float]) -> list[bool]:
        found = self.k.least_squares_nodes(self.rls, self.features, self.labels, x)
        return [v in found for v in range(1, self.m + 1)]

    def expected(self) -> tuple[Any, Any]:
        A = self.l2 * np.eye(self.n) + self.S.T @ self.S
        return np.linalg.inv(A), np.linalg.solve(A, self.S.T @ self.V)

    def check(self, x: dict[Any, float], near: float) -> None:
        inverse, w = self.expected()
        row = dense(x, self.n)
        scores = self.rls.scores(self.features.find(x), self.m + 1)
        assert scores[0] == 0.0
        np.testing.assert_allclose(
            scores[1:], row @ w / (1.0 + row @ inverse @ row), atol=near, rtol=near
        )
        names = self.features.names()
        found = self.rls.weights(0, len(names))
        np.testing.assert_allclose(found, w[names], atol=near, rtol=near)
        if (abs(row @ w) > near).all():
            for _ in range(20):  # from the dual variables, later from an explicit w
                assert self.answer(x) == (row @ w >= 0.0).tolist()


REGIMES = [
    pytest.param(30, 120, PLENTY, "primal", 1e-9, id="primal"),
    pytest.param(150, 40, PLENTY, "cholesky", 1e-9, id="cholesky"),
    pytest.param(150, 40, 0, "cg", 1e-4, id="cg"),
    pytest.param(150, 40, 8 * 210, "cg", 1e-4, id="cg from 20 on"),
]


@both
@pytest.mark.parametrize(("n_features", "n_instances", "memory", "kind", "near"), REGIMES)
def test_every_regime_equals_the_direct_solve(
    backend: str, n_features: int, n_instances: int, memory: float, kind: str, near: float
) -> None:
    rng = np.random.default_rng(0)
    solved = Solved(backend, PAIR, n_features, 0.7, memory)
    for i in range(n_instances):
        x = sparse(rng, n_features, 5)
        if i % 3 == 0:  # between two checks, instances wait
            solved.check(x, near)
        solved.learn(x, {label for label in "ab" if rng.random() < 0.5})
    solved.check(sparse(rng, n_features, 5), near)
    assert kinds(solved.rls) == [kind if backend == "native" or kind != "cg" else "cholesky"]
    assert solved.rls.n_stored == [n_instances]


@both
def test_far_more_features_lead_back_to_dual_variables(backend: str) -> None:
    rng = np.random.default_rng(1)
    solved = Solved(backend, ONE, 150, 0.5, PLENTY)
    for i in range(60):
        x = sparse(rng, 150, 90) if 20 <= i <= 40 else dict(sparse(rng, 5, 5))
        if i % 3 == 0:
            solved.check(x, 1e-8)
        solved.learn(x, {"a"} if rng.random() < 0.5 else set())
        assert kinds(solved.rls) == ["primal" if 4 <= i < 20 else "cholesky"]
    assert solved.rls.n_stored == [60]
    solved.rls.add_outputs(0, [2, 3])  # their labels were -1 on what the inverse has seen, too
    solved.labels = solved.k.Labels(Taxonomy.flat(["a", "late", "later"]))
    solved.m, solved.V = 3, np.column_stack([solved.V, -np.ones((60, 2))])
    for _ in range(3):
        x = sparse(rng, 150, 20)
        solved.check(x, 1e-8)
        solved.learn(x, {"late"})


@both
def test_features_that_come_a_few_at_a_time_lead_back_too(backend: str) -> None:
    """The first example has one feature; the primal inverse of all others would be larger."""
    rng = np.random.default_rng(3)
    solved = Solved(backend, ONE, 600, 0.5, PLENTY)
    for i in range(60):
        x = {int(j): float(rng.normal()) for j in range(10 * i, 10 * i + 10)} if i else {0: 1.0}
        solved.learn(x, {"a"} if rng.random() < 0.5 else set())
        assert kinds(solved.rls) == ["primal" if i < 7 else "cholesky"]
    solved.check(sparse(rng, 600, 20), 1e-8)


@both
@pytest.mark.parametrize(
    ("wide", "memory", "kind"),
    [(False, PLENTY, "primal"), (True, PLENTY, "cholesky"), (True, 0, "cg")],
)
def test_outputs_that_come_later_were_off_before(
    backend: str, wide: bool, memory: float, kind: str
) -> None:
    rng = np.random.default_rng(2)
    n = 200 if wide else 6
    solved = Solved(backend, Taxonomy.flat(["a", "b", "late", "later"]), n, 0.5, memory)
    late = Solved(backend, ONE, n, 0.5, memory)
    for i in range(30):
        x, y = sparse(rng, n, 5), {"a"} if i % 3 else set()
        solved.learn(x, y)
        late.learn(x, y)
    assert kinds(late.rls) == [kind if backend == "native" or kind != "cg" else "cholesky"]
    late.answer(sparse(rng, n, 5))
    late.rls.add_outputs(0, [2, 3, 4])
    late.labels = solved.labels
    late.m, late.V = 4, solved.V
    for _ in range(5):
        x = sparse(rng, n, 5)
        late.check(x, 1e-6 if memory else 1e-4)
        late.learn(x, {"b", "late"})


@pytest.mark.slow(but=8)
@both
@pytest.mark.parametrize("n_features", [5, 400])
@pytest.mark.parametrize(
    ("norm", "l2"), [(1.0, 1.0), (1.0, 1e-8), (1e2, 1.0), (99.0, 1e-8), (1e4, 1.0), (9900.0, 1e-4)]
)
def test_repeated_examples_of_any_size_do_no_harm(
    backend: str, n_features: int, norm: float, l2: float
) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(8, n_features))
    X *= norm / np.linalg.norm(X, axis=1, keepdims=True)
    solved = Solved(backend, ONE, n_features, l2, PLENTY)
    seen: list[tuple[int, float]] = []
    for i in range(240):
        seen.append((i % 8, [1.0, -1.0, 1.0][i % 3]))
        x = dict(enumerate(X[i % 8].tolist()))
        y = {"a": seen[-1][1] > 0.0}
        assert solved.k.least_squares_step(
            solved.rls, math.inf, 0.0, solved.features, solved.labels, x, y
        )
    # The same problem, once for each distinct x, in exact form: (K c + l2) alpha = sum of labels.
    counts = np.bincount([j for j, _ in seen], minlength=8)
    sums = np.bincount([j for j, _ in seen], weights=[y for _, y in seen], minlength=8)
    U, size, V = np.linalg.svd(np.sqrt(counts)[:, None] * X, full_matrices=False)
    P = X @ V.T
    exact = P @ (size / (size**2 + l2) * (U.T @ (sums / np.sqrt(counts))))
    r = (P**2 / (size**2 + l2)).sum(axis=1)
    probes = [solved.features.find(dict(enumerate(x))) for x in X.tolist()]
    found = np.array([solved.rls.scores(x, 2)[1] for x in probes]) * (1.0 + r)
    condition = 30 * norm**2 / l2
    np.testing.assert_allclose(found, exact, atol=max(1e-9, min(1e-15 * condition, 0.2)))


@both
def test_instances_are_stored_once_and_only_while_somebody_needs_them(backend: str) -> None:
    k = namespace(backend)
    tree = Taxonomy([("r", "a"), ("r", "c"), ("a", "b")])
    features, labels = k.FeatureIndex(), k.Labels(tree)
    rls = k.LeastSquares(1.0, PLENTY)
    for v in (1, 2, 3):
        rls.add_system([v])
    for i in range(10):
        k.least_squares_step(
            rls, 1e9, i + 1, features, labels, {i: 1.0, i + 1: 2.0, "bias": 1.0}, ["b"]
        )
    assert (rls.n_stored, n_instances(rls)) == ([10, 10, 10], 10)
    for t in range(1200):  # all go over to primal variables, and nobody needs an instance
        k.least_squares_step(rls, 1e9, t + 11, features, labels, {"bias": 1.0, t % 9: 0.5}, ["b"])
    assert kinds(rls) == ["primal"] * 3
    for t in range(100):
        x = {f"new {t} {i}": 1.0 for i in range(100)}
        k.least_squares_step(rls, 1e9, t + 1211, features, labels, x, ["c"])
    assert kinds(rls) == ["cholesky", "cholesky", "primal"]
    assert n_instances(rls) < 1200


@both
def test_predicting_leaves_a_pickle_as_it_was(backend: str) -> None:
    for memory in (PLENTY, 0):
        solved = Solved(backend, PAIR, 40, 1.0, memory)
        rng = np.random.default_rng(3)
        for _ in range(12):
            solved.learn(sparse(rng, 40, 10), {"a"})
        before = pickle.dumps(solved.rls)
        for _ in range(20):
            solved.answer({1: 1.0, 2: -0.3, "unheard": 1.0})
            solved.rls.scores(solved.features.find({1: 1.0}), 3)
        assert pickle.dumps(solved.rls) == before


@both
@pytest.mark.parametrize("memory", [PLENTY, 3_000.0])
def test_asking_before_learning_changes_nothing(backend: str, memory: float) -> None:
    """What an answer has worked out is taken over, and is what learning would have worked out."""
    rng = np.random.default_rng(5)
    asked, silent = (Solved(backend, PAIR, 60, 0.5, memory) for _ in range(2))
    for t in range(40):
        x = sparse(rng, 60, 8)
        unheard = {**x, 1_000 + t: 1.0}  # all else is the same as in x
        for example in (unheard, x, unheard)[: rng.integers(4)]:
            answer = asked.answer(example)
            assert answer == [s >= 0.0 for s in asked.rls.scores(asked.features.find(x), 3)[1:]]
        y = {"a"} if rng.random() < 0.5 else {"b"}
        asked.learn(x, y)
        silent.learn(x, y)
    assert pickle.dumps(asked.rls) == pickle.dumps(silent.rls)
    asked.check(x, 1e-9 if memory == PLENTY else 1e-3)


@both
def test_an_answer_where_the_score_is_lost_in_rounding(backend: str) -> None:
    """Contradictions cancel; whichever way the score is worked out, its sign is the same."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        solved = Solved(backend, PAIR, 60, 0.5, PLENTY)
        xs = [sparse(rng, 60, 8) for _ in range(5)]
        for x in xs:
            solved.learn(x, {"a"})
            solved.learn(x, {"b"})
        for x in xs:
            first = solved.answer(x)
            assert first == [s >= 0.0 for s in solved.rls.scores(solved.features.find(x), 3)[1:]]
            solved.learn(x, {"a"})
            solved.learn(x, {"b"})
