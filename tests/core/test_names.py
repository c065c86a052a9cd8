"""Names of features: those that are equal as keys of a dict are one feature."""

import collections
import enum
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

from river_hier import Taxonomy, linear_model
from river_hier._core import FeatureIndex
from river_hier._core.features import canonical

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", "d")])


class Word(enum.StrEnum):
    ONE = "1"


class Size(enum.IntEnum):
    ONE = 1


class Colour(enum.Enum):
    ONE = 1


Point = collections.namedtuple("Point", "x y")
# Each line has names that are equal as keys of a dict; names of different lines are not.
EQUAL = [
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


def test_equal_names_are_one_feature():
    everything = [name for equal in EQUAL for name in equal]
    table, rows = FeatureIndex(), []
    for equal in EQUAL:
        (row,) = table.insert({equal[0]: 1.0}).rows.tolist()
        for name in equal:
            assert table.row(name) == row, name
            assert table.find({name: 1.0}).rows.tolist() == [row]
            same = [one for one in everything if hash(one) == hash(name) and one == name]
            assert same == equal
        rows.append(row)
    assert len(set(rows)) == len(EQUAL)


def test_equal_names_have_one_canonical_form():
    forms = [{repr(canonical(name)) for name in equal} for equal in EQUAL]
    assert [len(form) for form in forms] == [1] * len(EQUAL)
    assert len(set().union(*forms)) == len(EQUAL)


def test_columns_are_the_features_of_dicts():
    for X in (
        np.array([[0.0, 1.0]]),
        pd.DataFrame([[0.0, 1.0]], columns=pd.Index([0, True], dtype=object)),
        pd.DataFrame([[0.0, 1.0]], columns=[0.0, 1.0]),
    ):
        model = linear_model.HAROW(TREE, intercept=0.0)
        model.learn_many(X, [["b"]])
        for name in (1, 1.0, True):
            assert model.score_one({name: 0.5})["b"] > 0.1
        assert model.score_one({"1": 0.5})["b"] == 0.0
