"""Hashed features, and weights of single precision."""

from __future__ import annotations

import collections
import enum
import math
import zlib
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, linear_model
from river_hier._core import FeatureHasher, FeatureIndex
from support.public_api import learners
from support.strategies import parents_of

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", "d")])
SINGLE, MULTI = learners("linear_model")
NAMES = SINGLE + MULTI
TYPED = ["Hieron", "AveragedHieron", "HPerceptron", "HMinOver", "HAROW"]  # have a dtype
WORDS: list[Any] = [f"word {i}" for i in range(200)]
WORDS += ["", "é", "日本", "\ud800 lone", "nul\0", np.str_("numpy"), 0, 7, 1.5, True, None, b"x"]
WORDS += [("t", 1), frozenset({2}), Fraction(1, 3), 10**30, -1, float("inf")]


def row_of(name: Any, n: int) -> int:
    """The CRC-32 of a str in UTF-8, or of the repr of a canonical name after a byte of no UTF-8."""
    if isinstance(name, str):
        return zlib.crc32(name.encode("utf-8", "surrogatepass")) % n
    if name == frozenset({2}):
        name = ("frozenset", "2")
    elif isinstance(name, bool):
        name = int(name)
    return zlib.crc32(b"\xff" + repr(name).encode("utf-8", "surrogatepass")) % n


class Word(enum.StrEnum):
    ONE = "1"


class Size(enum.IntEnum):
    ONE = 1


class Colour(enum.Enum):
    ONE = 1


Point = collections.namedtuple("Point", "x y")
# Each line has names that are equal as keys of a dict; names of different lines are not.
EQUAL: list[list[Any]] = [
    [1, 1.0, True, np.int8(1), np.float32(1), np.True_, Fraction(1), 1 + 0j, Size.ONE],
    ["1", np.str_("1"), Word.ONE],
    [b"1", np.bytes_(b"1")],
    ["b'1'"],
    [0, 0.0, -0.0, False, np.uint8(0), np.complex64(0)],
    [3, Decimal("3.00"), Fraction(3)],
    ["0"],
    ["True"],
    [None],
    ["None"],
    [-1, -1.0, Fraction(-1), np.int64(-1)],
    [-2, -2.0],  # the hash of -1 in Python
    [0.5, np.float64(0.5), np.float32(0.5), Fraction(1, 2), Decimal("0.5")],
    [Fraction(1, 10), Decimal("0.1"), Decimal("0.10")],
    [0.1, np.float64(0.1), Fraction(0.1)],
    [2.0**70, 2**70, Fraction(2**70), Decimal(2**70)],
    [1e300, int(1e300)],
    [math.inf, np.float32("inf"), Decimal("Infinity")],
    [2 + 1j, np.complex128(2 + 1j)],
    [(1, "a"), (1.0, "a"), (True, np.str_("a")), Point(1, "a")],
    [("1", "a")],
    [((1, 2),), ((1.0, np.int8(2)),)],
    [frozenset({"a", "b", 1}), frozenset({1.0, "b", "a"})],
    [Colour.ONE],
    [Fraction(1, 3)],
]


def hashed(x: dict[Any, float], n: int) -> dict[Any, float]:
    sums: dict[Any, float] = {}
    for name, value in x.items():
        sums[row_of(name, n)] = sums.get(row_of(name, n), 0.0) + value
    return sums


@given(
    names=st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=20)), unique_by=repr),
    k=st.integers(1, 12),
)
def test_rows_are_the_ends_of_checksums(names: list[Any], k: int) -> None:
    x = {name: 1.0 + i / 4 for i, name in enumerate(names)}
    features = FeatureHasher(2**k)
    for vector in (features.find(x), features.insert(x)):
        expected = hashed(x, 2**k)
        assert vector.rows.tolist() == list(expected)
        assert vector.values.tolist() == list(expected.values())
        assert vector.norm2 == sum(value**2 for value in expected.values())
    for name in names:
        assert features.row(name) == row_of(name, 2**k)
    assert len(features) == 2**k
    assert features.names() == list(range(2**k))


def test_equal_names_are_one_feature_hashed_or_not() -> None:
    everything = [name for equal in EQUAL for name in equal]
    for table in (FeatureHasher(2**24), FeatureIndex()):
        rows = []
        for equal in EQUAL:
            (row,) = table.insert({equal[0]: 1.0}).rows.tolist()
            for name in equal:
                assert table.row(name) == row, name
                assert table.find({name: 1.0}).rows.tolist() == [row]
                same = [one for one in everything if hash(one) == hash(name) and one == name]
                assert same == equal
            rows.append(row)
        assert len(set(rows)) == len(EQUAL)


def test_columns_are_the_features_of_dicts() -> None:
    for n_features in (None, 2**20):
        for X in (
            np.array([[0.0, 1.0]]),
            pd.DataFrame([[0.0, 1.0]], columns=pd.Index([0, True], dtype=object)),
            pd.DataFrame([[0.0, 1.0]], columns=[0.0, 1.0]),
        ):
            model = linear_model.HAROW(TREE, n_features=n_features, intercept=0.0)
            model.learn_many(X, [["b"]])
            for name in (1, 1.0, True):
                assert model.score_one({name: 0.5})["b"] > 0.1
            assert model.score_one({"1": 0.5})["b"] == 0.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [3, 7, 14])
def test_a_hashed_model_is_the_oracle_on_hashed_examples(name: str, k: int) -> None:
    rng = np.random.default_rng(k)
    n = 2**k
    single = name in SINGLE
    model = getattr(linear_model, name)(TREE, n_features=n, intercept=0.0)
    oracle = getattr(oracles, name)(parents_of(TREE))
    for step in range(25):
        chosen = rng.choice(len(WORDS), 12, replace=False)
        x = {WORDS[j]: float(rng.normal()) for j in chosen}
        y = TREE.nodes[int(rng.integers(1, 5))]
        if step % 4 == 3:
            scores = oracle.scores(hashed(x, n))
            assert model.score_one(x) == pytest.approx(scores, abs=1e-8)
            assert model.predict_one(x) == oracle.predict(hashed(x, n))
        model.learn_one(x, y)
        oracle.learn(hashed(x, n), y if single else [y])
    w = model.weights
    known = {row for label in w for row in w[label]}
    assert known <= set(range(n))
    assert len(model._features) == n


@pytest.mark.parametrize("name", NAMES)
def test_memory_stays_whatever_names_arrive(name: str) -> None:
    rng = np.random.default_rng(0)
    parameters = {"budget": 5} if name == "SHRLS" else {}
    model = getattr(linear_model, name)(TREE, n_features=16, intercept=0.0, **parameters)
    sizes = []
    for step in range(200):
        x = {f"name {step} {i}": float(rng.normal()) for i in range(6)}
        model.learn_one(x, "b" if step % 2 else "c")
        sizes.append(len(model._features))
    assert set(sizes) == {16}
    assert all(len(w) <= 16 for w in model.weights.values())
    if hasattr(model, "_state"):
        assert model._state.n_bytes <= 8 * 64 * 16


def test_values_that_cancel_in_a_row() -> None:
    """Two names of one row with opposite values: x is zero there, and may be zero altogether."""
    first = "word 0"
    second = next(w for w in WORDS[1:200] if row_of(w, 4) == row_of(first, 4))
    for name in NAMES:
        model = getattr(linear_model, name)(TREE, n_features=4)
        model.learn_one({"word 1": 1.0, "word 2": -0.5, "word 3": 0.25}, "b")
        before = model.weights
        model.learn_one({first: 1.5, second: -1.5}, "c")
        if name != "AveragedHieron":  # there it counts as a round
            assert model.weights == before
        assert all(np.isfinite(list(model.score_one({first: 1.0}).values())))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, r"`n_features` must be at least 2, got 0"),
        (1, ValueError, r"`n_features` must be at least 2, got 1"),
        (-4, ValueError, r"`n_features` must be at least 2, got -4"),
        (3, ValueError, r"`n_features` must be a power of 2 .*, got 3"),
        (2**40, ValueError, r"`n_features` must be a power of 2 up to 2\*\*31"),
        (True, TypeError, r"`n_features` must be an integer, got True"),
        (1.5, TypeError, r"`n_features` must be an integer, got 1.5"),
        (8.0, TypeError, r"`n_features` must be an integer, got 8.0"),
        ("8", TypeError, r"`n_features` must be an integer, got '8'"),
    ],
)
def test_bad_numbers_of_features(name: str, value: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        getattr(linear_model, name)(TREE, n_features=value)


def test_an_integer_of_numpy_is_welcome() -> None:
    model = linear_model.HPerceptron(TREE, n_features=np.int64(8))
    model.learn_one({"x": 1.0}, "b")
    assert len(model._features) == 8


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("n_nodes", [40, 200])
def test_single_precision_decides_as_double_does(name: str, n_nodes: int) -> None:
    rng = np.random.default_rng(1)
    parents = [0, *(int(rng.integers(0, v)) for v in range(1, n_nodes))]
    taxonomy = Taxonomy([(f"n{parents[v - 1]}", f"n{v}") for v in range(1, n_nodes)])
    single, double = (
        getattr(linear_model, name)(taxonomy, dtype=dtype) for dtype in ("float32", "float64")
    )
    for step in range(120):
        names = rng.choice(150, 8, replace=False).tolist()
        x = {f"f{j}": float(rng.normal()) for j in names}
        scores = np.array(list(double.score_one(x).values()))
        np.testing.assert_allclose(list(single.score_one(x).values()), scores, atol=1e-4)
        gap = np.sort(scores)[-1] - np.sort(scores)[-2] if name.endswith("Hieron") else 1.0
        if gap > 1e-3 and abs(scores[scores != 0.0]).min(initial=1.0) > 1e-3:
            assert single.predict_one(x) == double.predict_one(x), step
        y = taxonomy.nodes[int(rng.integers(1, n_nodes))]
        for model in (single, double):
            model.learn_one(x, y)
    assert single._state.n_bytes < 0.8 * double._state.n_bytes


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize(
    "value", ["float128", "double", np.float32, None, 32, "Float64", b"float32"]
)
def test_bad_dtypes(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r'`dtype` must be "float64",? (or )?"float32".*, got'):
        getattr(linear_model, name)(TREE, dtype=value)


@pytest.mark.parametrize("name", TYPED)
def test_single_precision_refuses_what_it_cannot_hold(name: str) -> None:
    model = getattr(linear_model, name)(TREE, dtype="float32")
    model.learn_one({"y": 1.0}, "b")
    before = model.weights
    for call in (lambda x: model.learn_one(x, "c"), model.predict_one, model.score_one):
        with pytest.raises(ValueError, match='too large for weights of dtype "float32"'):
            call({"y": 1e100})
    assert model.weights == before
