"""Random Fourier features: against loops, the kernel that they approximate, and River's checks."""

import copy
import math
import pickle
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from oracles import random_fourier_features as oracle
from river_hier import kernel
from river_hier.feature_extraction import RandomFourierFeatures
from river_hier.feature_extraction import random_fourier_features as module
from support.river_checks import rivers_checks
from support.strategies import features, reals

sizes = st.integers(1, 4).map(lambda m: 2 * m)
X = [
    {"a": 1.0, "b": -2.0},
    {"b": 0.5, "c": 3.0},
    {},
    {"c": 0.0},
    dict(zip("dace", (1.5, 0.25, 0.1, 0.7), strict=True)),
]


def close(found, expected):
    return list(found) == list(expected) and found == pytest.approx(expected, abs=1e-12)


# Against loops


@given(st.lists(features(reals), max_size=8), st.floats(0.1, 10.0), sizes, st.integers(0, 10**6))
def test_loops(xs, sigma, n, seed):
    rff = RandomFourierFeatures(sigma, n, seed)
    for x in xs:
        assert close(rff.transform_one(x), oracle(x, sigma, n, seed))


@pytest.mark.parametrize("kind", ["float64", "float32", "bool", "pandas", "sparse", "polars"])
def test_batches_of_all_kinds(kind):
    rows = np.random.default_rng(0).normal(size=(7, 5)).round(1)
    names = list(range(5))
    if kind == "pandas":
        names = list("abcde")
        table = pd.DataFrame(rows, range(10, 17), names)
    elif kind == "sparse":
        table = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(rows))
    elif kind == "polars":
        table, names = (
            pytest.importorskip("polars").DataFrame(rows, schema=list("abcde")),
            list("abcde"),
        )
    else:
        rows = rows.astype(kind)
        table = rows
    rff = RandomFourierFeatures(2.0, 10, 3)
    found = rff.transform_many(table)
    assert isinstance(found, pd.DataFrame if kind in ("pandas", "sparse") else np.ndarray)
    if kind in ("pandas", "sparse"):
        assert list(found.columns) == list(range(10))
        assert found.index.equals(table.index)
    for row, z in zip(rows.tolist(), np.asarray(found).tolist(), strict=True):
        expected = oracle(dict(zip(names, row, strict=True)), 2.0, 10, 3)
        assert z == pytest.approx(list(expected.values()), abs=1e-6 if kind == "float32" else 1e-12)


# The kernel


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
def test_the_dot_product_is_near_the_kernel(sigma):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 4))
    exact = kernel.RBF(sigma)
    K = np.array(
        [[exact(dict(enumerate(x)), dict(enumerate(z))) for z in points] for x in points.tolist()]
    )
    errors = []
    for n in (100, 10_000):
        Z = RandomFourierFeatures(sigma, n).transform_many(points)
        assert np.allclose((Z**2).sum(axis=1), 1.0)
        errors.append(np.sqrt(np.mean((Z @ Z.T - K) ** 2)))
        assert errors[-1] < 1.5 / math.sqrt(n)  # m = n / 2, and a cosine has a variance of 1 / 2
    assert errors[1] < errors[0] / 4


def test_the_numbers_are_standard_normal_and_independent():
    drawn = np.array(
        [module.normal(seed, f"feature {i}", 500) for seed in (0, 1) for i in range(40)]
    )
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 0.01
    correlations = np.corrcoef(drawn)[np.triu_indices(80, 1)]
    assert np.abs(correlations).max() < 5 / math.sqrt(500)


# Names


def test_the_order_of_names_does_not_matter():
    one, other = RandomFourierFeatures(seed=5), RandomFourierFeatures(seed=5)
    for x in X:
        one.transform_one(x)
    for x in reversed(X):
        shuffled = dict(reversed(x.items()))
        assert other.transform_one(shuffled) == one.transform_one(x)
    assert RandomFourierFeatures(seed=6).transform_one(X[0]) != one.transform_one(X[0])


def test_equal_names_are_one_feature():
    for names in (
        [1, 1.0, True, np.int64(1), np.float32(1.0), np.bool_(True)],
        ["a", np.str_("a")],
    ):
        found = [RandomFourierFeatures().transform_one({name: 2.0}) for name in names]
        assert all(z == found[0] for z in found)
    found = [
        RandomFourierFeatures().transform_one({name: 2.0}) for name in ("1", 1, (1,), 1.5, b"1")
    ]
    assert len({tuple(z.values()) for z in found}) == 5
    assert RandomFourierFeatures(4, 2).transform_one({"\udc80": 1.0})


def test_memory_is_bounded_and_nothing_is_lost():
    rff, fresh = RandomFourierFeatures(n_components=20), RandomFourierFeatures(n_components=20)
    with mock.patch.object(module, "LARGEST", 1_000):
        first = rff.transform_one({"word 0": 1.0})
        for i in range(1_000):
            x = {f"word {i}": 1.0, f"word {i // 2}": 0.5}
            assert close(rff.transform_one(x), fresh.transform_one(x))
            assert len(rff._drawn) * 10 <= 1_000 + 2 * 10
        assert rff.transform_one({"word 0": 1.0}) == first


@pytest.mark.parametrize("again", [copy.deepcopy, lambda rff: pickle.loads(pickle.dumps(rff))])
def test_copies(again):
    rff = RandomFourierFeatures(0.5, 8, 3)
    before = pickle.dumps(rff)
    found = [rff.transform_one(x) for x in X]
    assert pickle.dumps(rff) == before  # nothing is learned, so nothing is saved
    for twin in (again(rff), rff.clone()):
        assert [twin.transform_one(x) for x in X] == found
    assert RandomFourierFeatures().clone({"n_components": 4}).n_components == 4


# Bad input


def test_a_name_that_is_refused_spoils_no_others():
    class Nameless:
        def __repr__(self):
            raise RuntimeError("no name")

    rff = RandomFourierFeatures(n_components=4)
    with pytest.raises(RuntimeError, match="no name"):
        rff.transform_one({"a": 1.0, Nameless(): 1.0, "b": 2.0})
    assert close(rff.transform_one({"b": 1.0}), oracle({"b": 1.0}, 1.0, 4, 0))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sigma": 0.0}, "^`sigma` must be positive, got 0.0$"),
        ({"sigma": "1"}, "^`sigma` must be positive, got '1', a text: give a number$"),
        ({"n_components": 0}, "^`n_components` must be at least 2, got 0$"),
        ({"n_components": 5}, "^`n_components` must be even, a cosine and a sine .*, got 5$"),
        ({"n_components": 5.0}, "^`n_components` must be an integer, got 5.0$"),
        ({"seed": None}, "^`seed` must be an integer, got None$"),
        ({"seed": -1}, "^`seed` must be at least 0, got -1$"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        RandomFourierFeatures(**parameters)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], "x must be a dict of features, got list"),
        ({"a": "red"}, "feature 'a' is 'red'"),
        ({"b": 1.0, "a": math.nan}, "feature 'a' is nan"),
        ({"a": 1e200}, "feature 'a' is 1e\\+200"),
        ({"a": 1e150}, "^the features are too large for sigma = 1e-200; scale x$"),
    ],
)
def test_wrong_features(x, message):
    rff = RandomFourierFeatures(1e-200, 4)
    rff.transform_one({"c": 1e-200})
    with pytest.raises((TypeError, ValueError), match=message):
        rff.transform_one(x)
    if isinstance(x, dict):
        with pytest.raises((TypeError, ValueError)):
            rff.transform_many(pd.DataFrame([x]))
    expected = RandomFourierFeatures(1e-200, 4).transform_one({"c": 1e-200})
    assert rff.transform_one({"c": 1e-200}) == expected


# In River


@pytest.mark.slow
def test_rivers_checks():
    for check in rivers_checks(RandomFourierFeatures()):
        check(RandomFourierFeatures(n_components=10))
