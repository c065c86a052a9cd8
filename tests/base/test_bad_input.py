"""Bad input raises a clear error and does not change the model."""

import math
import pickle
import re
import warnings
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from river import base, preprocessing, stats, utils
from scipy import sparse

from river_hier import (
    Taxonomy,
    decision,
    ensemble,
    feature_extraction,
    forest,
    kernel,
    linear_model,
)
from support.public_api import estimators, in_taxonomy, one_label

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
# In these, classifiers of River read x, or there are no labels.
OTHERS = ("decision.TreeBayes", "evaluate.", "induction.", "local.")
FOUND = {
    name: model
    for name, model in estimators().items()
    if isinstance(model, base.Classifier | base.MultiLabelClassifier)
    and not name.startswith(OTHERS)
}
SINGLE = [name for name, model in FOUND.items() if one_label(model)]
MULTI = [name for name in FOUND if name not in SINGLE]
MUCH = list(range(1_000))
PREDICT = ["predict_one", "predict_proba_one", "predict_marginals_one", "score_one"]
RIVERS = [
    getattr(cls, method, None)
    for cls in (base.Classifier, base.MultiLabelClassifier)
    for method in PREDICT
]


def made(name: str, taxonomy: Any) -> Any:
    return in_taxonomy(FOUND[name], taxonomy)


def models(names: list[str]) -> Iterator[Any]:
    for name in names:
        for taxonomy in (TREE, None):
            model = made(name, taxonomy)
            model.learn_one({"x": 1.0, "y": -0.5}, "b")
            model.learn_one({"x": -1.0}, "c")
            yield model


class Row(NamedTuple):
    x: float


BAD_X = [
    ({"x": float("nan")}, ValueError, r"feature 'x' is nan"),
    ({"new": 1.0, "x": float("inf")}, ValueError, r"feature 'x' is inf"),
    ({"x": "red"}, ValueError, r"feature 'x' is 'red' \(str\), not a number"),
    ({"x": "1.5"}, ValueError, r"feature 'x' is '1.5' \(str\)"),
    ({"x": None}, ValueError, r"feature 'x' is None \(NoneType\), .*StatImputer"),
    ({"x": pd.NA}, ValueError, r"feature 'x' is <NA> \(NAType\), .*StatImputer"),
    ({"x": [1.0, 2.0]}, ValueError, r"feature 'x' is \[1.0, 2.0\] \(list\), .* dict\(enumerate"),
    ({"x": np.ones(2)}, ValueError, r"feature 'x' is array.*, .* dict\(enumerate"),
    ({"new": 1.0, "x": [1.0]}, ValueError, r"feature 'x' is \[1.0\] \(list\)"),
    ({"x": [1.0, 2.0]}, ValueError, r"feature 'x' is \[1.0, 2.0\]"),
    ({"x": 1j}, ValueError, r"feature 'x' is 1j \(complex\)"),
    ({"x": np.datetime64("2026-01-01")}, ValueError, r"feature 'x' .* not a number"),
    ({"x": np.timedelta64(1, "D")}, ValueError, r"feature 'x' .* not a number"),
    ({"x": np.timedelta64(1, "D"), "y": 1.5}, ValueError, r"feature 'x' .* not a number"),
    ({"x": np.array(1.0), "y": "red"}, ValueError, r"feature 'y' is 'red' \(str\)"),
    ({"x": np.array("red"), "y": 1.0}, ValueError, r"feature 'x' is .*'red'.* not a number"),
    ({"x": Decimal("nan")}, ValueError, r"feature 'x' is nan"),
    ({"x": Decimal("snan")}, ValueError, r"feature 'x' is nan"),
    ({"x": Decimal("-inf")}, ValueError, r"feature 'x' is -inf"),
    ({"x": Decimal("1e400")}, ValueError, r"feature 'x' is too large for a float \(a Decimal\)"),
    ({"x": 10**400}, ValueError, r"feature 'x' is too large for a float \(a int\)"),
    ({"y": 1.5, "x": -(10**5000)}, ValueError, r"feature 'x' is too large"),
    ({"x": Fraction(10**400)}, ValueError, r"feature 'x' is too large for a float \(a Fraction\)"),
    ({"x": 1e200}, ValueError, r"feature 'x' is 1e\+200: the squared norm of x overflows"),
    (None, TypeError, r"x must be a dict of features, got NoneType$"),
    ([1.0, 2.0], TypeError, r"x must be a dict of features, got list; give a dict, or a row"),
    ("text", TypeError, r"x must be a dict of features, got str; .*LogTFIDF"),
    (
        pd.Series({"x": 1.0}),
        TypeError,
        r"x must be a dict of features, got Series; give x.to_dict\(\)",
    ),
    (pd.DataFrame({"x": [1.0]}), TypeError, r"got DataFrame; .*`predict_many`"),
    (utils.VectorDict({"x": 1.0}), TypeError, r"got VectorDict; give x.to_dict\(\)"),
    (Row(1.0), TypeError, r"x must be a dict of features, got Row; give x._asdict\(\)"),
    ({"x": np.ones(2)}, ValueError, r"each element a feature, .* np.stack\(column\)$"),
]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_values_are_filled_in_as_the_message_says(missing: Any) -> None:
    with pytest.raises(
        ValueError, match=r"drop it, or fill it in \(river's StatImputer fills in None"
    ):
        linear_model.HAROW(TREE).learn_one({"x": missing}, "b")
    model = preprocessing.StatImputer(("x", stats.Mean())) | linear_model.HAROW(TREE)
    model.learn_one({"x": 2.0}, "b")
    model.learn_one({"x": None}, "b")
    assert model["StatImputer"].transform_one({"x": None}) == {"x": 2.0}


@pytest.mark.slow(but=15)
@pytest.mark.parametrize(("x", "error", "message"), BAD_X)
def test_bad_features(x: Any, error: type[Exception], message: str) -> None:
    for model in models(SINGLE + MULTI):
        before = pickle.dumps(model)
        for call in ("predict_one", "predict_proba_one", "score_one"):
            if hasattr(model, call):
                with pytest.raises(error, match=message):
                    getattr(model, call)(x)
        for y in ("b", "brand new") if model.taxonomy is None else ("b",):
            with pytest.raises(error, match=message):
                model.learn_one(x, y)
        assert pickle.dumps(model) == before


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(float).max, reason="a longdouble is a float here"
)
def test_longdoubles_beyond_the_floats() -> None:
    for x in ({"x": np.longdouble("1e400")}, {"x": np.longdouble("1e400"), "y": Fraction(1)}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match=r"feature 'x' is too large .* longdouble"):
                linear_model.Hieron().learn_one(x, "a")


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ("unicorn", ValueError, "label 'unicorn' is not in the taxonomy"),
        (None, ValueError, "None"),
        (
            ["a", "?"],
            TypeError,
            r"y is \['a', '\?'\], and .* learns one label .*HPerceptron",
        ),
        ({"a"}, TypeError, r"y is {'a'}, and .* learns one label .*HAROW or HPerceptron"),
        ({"a": True}, TypeError, r"y is {'a': True}, and .* learns one label .* local.PerNode"),
    ],
)
def test_bad_labels(y: Any, error: type[Exception], message: str) -> None:
    for model in models(SINGLE):
        if y == "unicorn" and model.taxonomy is None:
            continue
        before = pickle.dumps(model)
        with pytest.raises(error, match=message):
            model.learn_one({"x": 1.0, "new": 2.0}, y)
        assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"unicorn": True}, "label 'unicorn' is not in the taxonomy"),
        ({"unicorn": False}, "label 'unicorn' is not in the taxonomy"),
        (["a", "unicorn"], "label 'unicorn' is not in the taxonomy"),
        ({"b": True, "a": False}, "label 'b' is on but its ancestor 'a' is False"),
        ({"c": "yes"}, "label 'c' is 'yes': it must be True or False"),
        ({"c": float("nan")}, "label 'c' is nan"),
        ({"new": "yes"}, "label 'new' is"),
        (None, "None"),
        ([None], "None"),
    ],
)
def test_bad_multilabels(y: Any, message: str) -> None:
    for model in models(MULTI):
        if model.taxonomy is None and ("unicorn" in message or "ancestor" in message):
            continue
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match=message):
            model.learn_one({"x": 1.0, "new": 2.0}, y)
        assert pickle.dumps(model) == before


@pytest.mark.parametrize("y", ["root", {"root": True}, {"a": True, "root": False}, ["a", "root"]])
def test_an_open_model_rejects_the_label_of_its_root(y: Any) -> None:
    for name in MULTI + (SINGLE if isinstance(y, str) else []):
        model = made(name, None)
        model.learn_one({"x": 1.0}, "b")
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match=r"'root' names the root .* open .*Taxonomy\.flat\("):
            model.learn_one({"x": 1.0, "new": 2.0}, y)
        assert pickle.dumps(model) == before


def test_several_labels_are_for_a_multilabel_model() -> None:
    found = {
        name: model for name, model in estimators().items() if isinstance(model, base.Classifier)
    }
    refused = set()
    for name, model in found.items():
        if isinstance(model, base.MultiLabelClassifier) or name.startswith("induction."):
            continue
        before = pickle.dumps(model)
        for y in ({"sky"}, ["sky", "?"], {"sky": True}):
            with pytest.raises(TypeError, match=r"learns one label .*HAROW or HPerceptron"):
                model.learn_one({"x": 1.0}, y)
            assert pickle.dumps(model) == before
        refused.add(name)
    assert {"linear_model.Hieron", "local.PerParent", "decision.TreeBayes"} < refused


@pytest.mark.parametrize("y", [np.array("b"), np.array(1), np.array(True)])
def test_a_zero_dimensional_array_is_not_a_label(y: Any) -> None:
    for model in models(SINGLE + MULTI):
        before = pickle.dumps(model)
        with pytest.raises(TypeError, match=r"label array\(.*\) is not hashable; use a string"):
            model.learn_one({"x": 1.0, "new": 2.0}, y)
        assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", SINGLE)
def test_trees_only(name: str) -> None:
    with pytest.raises(ValueError, match=r"node 'c' has 2 parents \('a', 'b'\)"):
        made(name, DAG)


@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize("taxonomy", [{"a": "r"}, [("r", "a")], "tree", 3])
def test_not_a_taxonomy(name: str, taxonomy: Any) -> None:
    with pytest.raises(TypeError, match=r"`taxonomy` must be a Taxonomy, got .*\.from_paths"):
        made(name, taxonomy)


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "5", None])
def test_parameters(value: Any) -> None:
    with pytest.raises(ValueError, match=r"`threshold` must be positive, got"):
        linear_model.SHRLS(TREE, threshold=value)
    with pytest.raises(ValueError, match=r"`threshold` must be positive, got"):
        kernel.SHRLS(TREE, threshold=value)
    for cls in (linear_model.SHRLS, linear_model.HRLS, kernel.SHRLS, kernel.HRLS):
        with pytest.raises(ValueError, match=r"`l2` must be positive, got"):
            cls(TREE, l2=value)


@pytest.mark.parametrize("name", ["Hieron", "AveragedHieron"])
@pytest.mark.parametrize("value", [0, -1.0, float("nan"), -math.inf, "5", None, 10**400, 1j])
def test_caps(name: str, value: Any) -> None:
    for module in (linear_model, kernel):
        with pytest.raises(ValueError, match=r"`C` must be positive, or math.inf for no cap, got"):
            getattr(module, name)(TREE, C=value)


def test_numbers_need_not_be_floats() -> None:  # least squares reject 10**30
    exact = ("Hieron", "AveragedHieron", "PathSoftmax", "HPerceptron", "HMinOver")
    for model in models([f"linear_model.{name}" for name in exact]):
        model.learn_one({"x": True, "y": np.float32(0.5), "z": 10**30, "f": Fraction(1, 3)}, "c")
        scores = model.score_one({"x": 0.5, "y": 0.25})
        assert model.score_one({"x": Decimal("0.5"), "y": np.array(0.25)}) == scores
        assert model.debug_one({"x": Decimal("0.5")}) == model.debug_one({"x": 0.5})


@pytest.mark.parametrize("module", [linear_model, kernel])
@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_least_squares_rejects_an_x_that_makes_l2_vanish(name: str, module: Any) -> None:
    model = getattr(module, name)(TREE, l2=1e-6)
    model.learn_one({"x": 1.0}, "a")
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"`l2` = 1e-06 is lost in rounding .* 4e\+06; scale x"):
        model.learn_one({"x": 2000.0, "new": 1.0}, "b")
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda model: linear_model.Hieron(model.taxonomy).learn_one({"a": 1.0}, MUCH),
        lambda model: model.learn_one({"a": 1.0}, [tuple(MUCH)]),
        lambda model: model.learn_one({"a": 1.0}, {"wolf": MUCH}),
        lambda model: model.learn_one({"a": MUCH}, "wolf"),
        lambda model: model.learn_one({"a" * 5_000: math.nan}, "wolf"),
        lambda model: model.predict_one({"a": 1.0}, threshold=MUCH),
        lambda model: Taxonomy([MUCH]),
    ],
)
def test_long_values_are_shortened_in_messages(call: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        call(linear_model.HPerceptron(Taxonomy([("animal", "wolf"), ("animal", "fox")])))
    assert " ... " in str(caught.value)
    assert len(str(caught.value)) < 300


def test_misspelt_options() -> None:
    """Unknown keywords are errors, also in wrappers, which River requires to accept any."""
    for name, model in estimators().items():
        for method in PREDICT:
            # Those that raise NotImplementedError in the base classes of River do not count.
            if getattr(type(model), method, None) not in (None, *RIVERS):
                message = rf"{method}\(\) got an unexpected keyword argument 'treshold'"
                with pytest.raises(TypeError, match=message):
                    pytest.fail(f"{name}: {getattr(model, method)({'x': 1.0}, treshold=0.5)}")


def test_misspelt_options_of_wrappers_in_and_around_pipelines() -> None:
    for model in (
        preprocessing.StandardScaler() | decision.Calibrated(linear_model.HAROW(TREE)),
        decision.Calibrated(preprocessing.StandardScaler() | linear_model.HAROW(TREE)),
    ):
        assert model.predict_one({"x": 1.0}, max_depth=0) == dict.fromkeys("abc", False)
        with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
            model.predict_one({"x": 1.0}, treshold=0.5)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("part", "i", "value"),
    [("indices", -1, 99), ("indices", 0, -3), ("indptr", 1, 10**6), ("indptr", 2, 0)],
)
def test_sparse_matrices_whose_arrays_do_not_fit(kind: Any, part: str, i: int, value: int) -> None:
    model, X = linear_model.HAROW(), kind(np.arange(1.0, 13.0).reshape(3, 4))
    getattr(X, part)[i] = value
    with pytest.raises(ValueError, match="do not fit together"):
        model.learn_many(X, [{"a"}, {"b"}, {"c"}], columns="wxyz")
    assert len(model.taxonomy_) == 1


def test_masked_cells_are_not_read() -> None:
    model, X = linear_model.HAROW(), np.ma.masked_array(np.ones((2, 2)), mask=[[0, 0], [0, 1]])
    with pytest.raises(ValueError, match="masked cells"):
        model.learn_many(X, [{"a"}, {"b"}])
    assert len(model.taxonomy_) == 1
    with pytest.raises(ValueError, match="w has masked items"):
        model.learn_many(X.filled(0.0), [{"a"}, {"b"}], w=np.ma.masked_array([1.0, 2.0], [0, 1]))
    assert len(model.taxonomy_) == 1
    model.learn_many(X.filled(0.0), [{"a"}, {"b"}])


PATHS = Taxonomy.from_nested({"shoes": ["boots"], "shirts": []})
MIXED = {"title": "leather boots", "price": 2.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear_model.PathSoftmax(PATHS, prior_variance="32"), "a text: give a number"),
        (lambda: linear_model.HAROW({"a": ["b"]}), "Taxonomy.from_nested(dictionary)"),
        (lambda: linear_model.Hieron(PATHS).learn_one({"a": 1}, 0), "'boots': 0 is a code"),
        (lambda: linear_model.Hieron(PATHS).learn_one({"a": 1}, True), "True is a code"),
        (lambda: forest.ExtraTrees(PATHS).learn_one(MIXED, "boots"), "LogTFIDF(on='title') | mod"),
        (lambda: linear_model.HAROW().learn_many(["a"], [{"a"}]), "which need a transformer befo"),
        (lambda: linear_model.HAROW().learn_one([1.0], {"a"}), "got list; give a dict, or a row"),
        (lambda: decision.Selective(linear_model.PathSoftmax()).fit, "Selective has no `fit`: as"),
        (lambda: linear_model.HAROW().fit, "river_hier.sklearn.HierarchicalClassifier(model) has"),
    ],
)
def test_messages_name_what_works(call, message):
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(message)):
        call()


def test_what_messages_name_works():
    for model in (forest.ExtraTrees(PATHS), linear_model.PathSoftmax(PATHS)):
        both = feature_extraction.LogTFIDF(on="title") | model
        for title, label in [("leather boots", "boots"), ("silk shirt", "shirts")] * 20:
            both.learn_one(MIXED | {"title": title}, label)
        assert both.predict_one(MIXED) == "boots"
    assert not hasattr(model, "fit")
    assert str(ensemble.DensePool(PATHS)) == "DensePool"
