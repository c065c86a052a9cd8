"""An intercept is a constant feature: everywhere, and in every way to learn and to predict."""

import pickle
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, base, inspection, linear_model
from support.public_api import learners

TREE = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
VALUE = 1.5
SINGLE, MULTI = learners("linear_model", "intercept")
SINGLE += ["Averaged Hieron", "Sign"]
MULTI += ["Averaged HAROW", "Delta"]


class Sign(base.PathLearner):
    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        return 1.0 / norm2


class Delta(base.TopDownLearner):
    def rule(self, score: Any, y: Any, norm2: float, variance: Any = None) -> Any:
        return 0.1 * (y - score) / norm2


def made(name: str, intercept: float = VALUE, taxonomy: Any = TREE, **parameters: Any) -> Any:
    average, _, name = name.rpartition(" ")
    cls = {"Sign": Sign, "Delta": Delta}.get(name) or getattr(linear_model, name)
    model = cls(taxonomy, intercept=intercept, **parameters)
    return linear_model.Averaged(model) if average else model


def examples(n: int = 40, d: int = 6, seed: int = 0) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.3, 0.0, rng.standard_normal((n, d)))
    return X, rng.choice(list(TREE.nodes[1:]), n).tolist()


def labels(name: str, ys: list[Any]) -> list[Any]:
    return ys if name in SINGLE else [{y} for y in ys]


def as_dict(row: Any) -> dict[int, float]:
    return dict(enumerate(row.tolist()))


def learned(name: str, constant: bool = False, **parameters: Any) -> Any:
    """With an intercept or, instead, a constant feature in every x."""
    X, ys = examples()
    model = made(name, 0.0 if constant else VALUE, **parameters)
    extra = {"constant": VALUE} if constant else {}
    for row, y in zip(X, labels(name, ys), strict=True):
        model.learn_one({**extra, **as_dict(row)}, y)
    return model


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_it_is_a_constant_feature(name: str) -> None:
    ours, theirs = learned(name), learned(name, constant=True)
    for row in [*examples(seed=1)[0], np.zeros(0)]:
        x = as_dict(row)
        scores = theirs.score_one({"constant": VALUE, **x})
        assert ours.score_one(x) == pytest.approx(scores, rel=1e-9)
        assert ours.predict_one(x) == theirs.predict_one({"constant": VALUE, **x})
    for label, w in theirs.weights.items():
        assert ours.intercepts[label] == pytest.approx(VALUE * w.pop("constant", 0.0))
        assert ours.weights[label] == pytest.approx(w)
    assert any(ours.intercepts.values())
    assert not any(made(name, 0.0).intercepts.values())


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_empty_examples_teach_how_frequent_labels_are(name: str) -> None:
    ours, theirs = (made(name, intercept) for intercept in (VALUE, 0.0))
    untouched = pickle.dumps(theirs.weights), theirs.score_one({})
    for y in labels(name, ["g"] * 9):
        ours.learn_one({}, y)
        theirs.learn_one({}, y)
    answer = ours.predict_one({})
    assert (answer == "g") if name in SINGLE else answer["g"]
    assert any(ours.score_one({}).values())
    assert (pickle.dumps(theirs.weights), theirs.score_one({})) == untouched


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_explanations_add_up(name: str) -> None:
    model = learned(name)
    x = as_dict(examples(seed=2)[0][0])
    found = inspection.explain_one(model, x)
    for why in found.values():
        assert sum(c for _, c in why.contributions) == pytest.approx(why.score)
    named = {feature for why in found.values() for feature, _ in why.contributions}
    assert "intercept" in named
    assert "intercept" in model.debug_one({})


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), 1e-7, 1e7, "1", None, 1j])
@pytest.mark.parametrize("name", [n for n in SINGLE + MULTI if "Averaged" not in n])
def test_what_is_no_intercept(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match="`intercept` must be 0, for none, or between"):
        made(name, value)
