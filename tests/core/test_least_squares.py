"""Least squares in both forms against numpy's own solutions."""

import math
import pickle

import numpy as np
import pytest

from river_hier import Taxonomy
from river_hier import _core as k
from support.least_squares import kinds, n_instances

PAIR = Taxonomy.flat(["a", "b"])
ONE = Taxonomy.flat(["a"])
NEAR = 1e-9


def sparse(rng, n_features, n):
    return {int(j): float(rng.normal()) for j in rng.choice(n_features, n, replace=False)}


def dense(x, n_features):
    row = np.zeros(n_features)
    row[list(x)] = list(x.values())
    return row


class Solved:
    """One system for the children of a star, beside its explicit matrices."""

    def __init__(self, star, n_features, l2):
        self.n, self.l2, self.m = n_features, l2, len(star) - 1
        self.features, self.labels = k.FeatureIndex(), k.Labels(star)
        self.rls = k.LeastSquares(l2)
        self.rls.add_system(list(range(1, len(star))))
        self.S, self.V = np.zeros((0, n_features)), np.zeros((0, self.m))

    def learn(self, x, y, w=1.0):
        assert self.rls.learn(self.features, self.labels, x, y, w, math.inf)
        labels, root = self.labels.taxonomy.nodes[1:], math.sqrt(w)
        on = [root if label in y else -root for label in labels]
        self.S, self.V = np.vstack([self.S, root * dense(x, self.n)]), np.vstack([self.V, on])

    def answer(self, x):
        found = self.rls.nodes_on(self.labels, self.example(x))
        return [v in found for v in range(1, self.m + 1)]

    def example(self, x):
        return k.Example(self.features.find(x))

    def check(self, x):
        A = self.l2 * np.eye(self.n) + self.S.T @ self.S
        w, row = np.linalg.solve(A, self.S.T @ self.V), dense(x, self.n)
        scores, r = self.rls.solve(self.example(x), self.m + 1)
        assert scores[0] == 0.0
        np.testing.assert_allclose(scores[1:], row @ w, atol=NEAR, rtol=NEAR)
        np.testing.assert_allclose(r[1:], row @ np.linalg.solve(A, row), atol=NEAR, rtol=NEAR)
        names = self.features.names()
        np.testing.assert_allclose(self.rls.weights(0, len(names)), w[names], atol=NEAR, rtol=NEAR)
        assert self.answer(x) == (scores[1:] >= 0.0).tolist()


@pytest.mark.parametrize(
    ("n_features", "n_learned", "kind"), [(30, 120, "primal"), (150, 40, "dual")]
)
def test_both_forms_equal_the_direct_solve(n_features, n_learned, kind):
    rng = np.random.default_rng(0)
    solved = Solved(PAIR, n_features, 0.7)
    for i in range(n_learned):
        x = sparse(rng, n_features, 5)
        if i % 3 == 0:
            solved.check(x)
        solved.learn(x, {label for label in "ab" if rng.random() < 0.5}, [1.0, 0.3][i % 2])
        if i % 25 == 0:
            solved.rls = pickle.loads(pickle.dumps(solved.rls))
    solved.check(x)
    assert kinds(solved.rls) == [kind]
    assert solved.rls.n_stored[0] == pytest.approx(0.65 * n_learned)


def test_features_may_come_later():
    rng = np.random.default_rng(1)
    solved = Solved(ONE, 90, 0.5)
    for i in range(150):
        solved.learn(sparse(rng, 12 if i < 80 else 90, 10), {"a"} if rng.random() < 0.5 else {})
        if i % 20 == 0:
            solved.check(sparse(rng, 90, 20))
    assert kinds(solved.rls) == ["primal"]


def test_few_examples_do_not_fix_the_form():
    """Or the inverse of all features that follow would have to be kept."""
    solved = Solved(ONE, 600, 0.5)
    for i in range(60):
        x = {j: float(j % 7 - 3) for j in range(10 * i, 10 * i + 10)} if i > 30 else {0: 1.0}
        solved.learn(x, {"a"} if i % 3 else {})
    assert kinds(solved.rls) == ["dual"]


@pytest.mark.parametrize(("n", "kind"), [(6, "primal"), (200, "dual")])
def test_outputs_that_come_later_were_off_before(n, kind):
    rng = np.random.default_rng(2)
    solved = Solved(Taxonomy.flat(["a", "b", "late", "later"]), n, 0.5)
    late = Solved(ONE, n, 0.5)
    for i in range(70):
        x, y = sparse(rng, n, 5), {"a"} if i % 3 else set()
        solved.learn(x, y)
        late.learn(x, y)
    assert kinds(late.rls) == [kind]
    late.rls.add_outputs(0, [2, 3, 4])
    late.labels, late.m, late.V = solved.labels, 4, solved.V
    for _ in range(5):
        x = sparse(rng, n, 5)
        late.check(x)
        late.learn(x, {"b", "late"})


@pytest.mark.slow(but=8)
@pytest.mark.parametrize("n_features", [5, 400])
@pytest.mark.parametrize(
    ("norm", "l2"), [(1.0, 1.0), (1.0, 1e-8), (1e2, 1.0), (99.0, 1e-8), (1e4, 1.0), (9900.0, 1e-4)]
)
def test_repeated_examples_of_any_size_do_no_harm(n_features, norm, l2):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(8, n_features))
    X *= norm / np.linalg.norm(X, axis=1, keepdims=True)
    solved = Solved(ONE, n_features, l2)
    seen = []
    for i in range(240):
        seen.append((i % 8, [1.0, -1.0, 1.0][i % 3]))
        solved.learn(dict(enumerate(X[i % 8].tolist())), {"a"} if seen[-1][1] > 0.0 else {})
    # The same problem, once for each distinct x, in exact form: (K c + l2) alpha = sum of labels.
    counts = np.bincount([j for j, _ in seen], minlength=8)
    sums = np.bincount([j for j, _ in seen], weights=[y for _, y in seen], minlength=8)
    U, size, V = np.linalg.svd(np.sqrt(counts)[:, None] * X, full_matrices=False)
    exact = X @ V.T @ (size / (size**2 + l2) * (U.T @ (sums / np.sqrt(counts))))
    probes = [solved.example(dict(enumerate(x))) for x in X.tolist()]
    found = [solved.rls.solve(x, 2)[0][1] for x in probes]
    condition = 30 * norm**2 / l2
    np.testing.assert_allclose(found, exact, atol=max(1e-9, min(1e-15 * condition, 0.2)))


def test_instances_are_stored_once_and_only_while_some_system_uses_them():
    tree = Taxonomy([("r", "a"), ("r", "c"), ("a", "b")])
    features, labels = k.FeatureIndex(), k.Labels(tree)
    rls = k.LeastSquares(1.0, budget=100)
    for v in (1, 2, 3):
        rls.add_system([v])
    for i in range(10):
        x = {i: 1.0, i + 1: 2.0, "bias": 1.0}
        rls.learn(features, labels, x, ["b"], 1.0, math.inf)
    assert (rls.n_stored, n_instances(rls)) == ([10, 10, 10], 10)
    for t in range(1200):
        rls.learn(features, labels, {f"new {t}": 1.0, "bias": 1.0}, ["c"], 1.0, math.inf)
    assert (max(rls.sizes) <= 100, rls.n_stored) == (True, [1210, 1210, 10])
    assert n_instances(rls) <= 110


def test_answers_change_no_state():
    solved, rng = Solved(PAIR, 40, 1.0), np.random.default_rng(3)
    for _ in range(12):
        solved.learn(sparse(rng, 40, 10), {"a"})
    before = pickle.dumps(solved.rls)
    for _ in range(20):
        solved.answer({1: 1.0, 2: -0.3, "unheard": 1.0})
        solved.rls.solve(solved.example({1: 1.0}), 3)
    assert pickle.dumps(solved.rls) == before


def test_l2_is_refused_beside_a_large_x():
    solved = Solved(ONE, 3, 1e-3)
    before = pickle.dumps(solved.rls)
    assert not solved.rls.learn(solved.features, solved.labels, {0: 1e6}, {"a"}, 1.0, math.inf)
    assert pickle.dumps(solved.rls) == before
