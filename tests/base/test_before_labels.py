"""Models before the first example, and the root that is not a label."""

import random
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import base, linear_model, multioutput, naive_bayes
from river import preprocessing as scaling

from river_hier import OpenTaxonomy, Taxonomy, inspection
from support.makers import SEVERAL
from support.public_api import estimators, one_label

CLASSIFIERS = [linear_model.SoftmaxRegression(), naive_bayes.GaussianNB()]


OTHERS = ("induction", "Selective")  # the latter answers with the root until it is sure


def open_models(taxonomy: Any = None) -> dict[str, Any]:
    """The single-label models in an open taxonomy, and the wrappers of such models."""
    found = {}
    for name, model in estimators().items():
        excluded = any(other in name for other in OTHERS)
        if isinstance(model, base.Classifier) and one_label(model) and not excluded:
            if model.taxonomy is None and "taxonomy" in model._get_params():
                model = model.clone({"taxonomy": taxonomy})
            if isinstance(model.taxonomy, type(taxonomy)):
                found[name] = model
    return found


def test_the_models_are_found() -> None:
    assert {"linear_model.Hieron", "local.PerLevel", "kernel.Hieron"} < open_models().keys()
    assert "decision.Tempered" in open_models()
    assert {"linear_model.Hieron", "local.PerParent"} < open_models(OpenTaxonomy()).keys()


def label_after_probabilities(model: Any, x: Any) -> Any:
    answer = model._answer(x)
    answer.p()
    return answer.prediction()


@pytest.mark.parametrize("taxonomy", [None, OpenTaxonomy(), OpenTaxonomy("/")])
def test_before_the_first_label_there_is_no_answer_as_in_river(taxonomy: Any) -> None:
    x = {0: 1.0, 1: 2.0}
    frame = pd.DataFrame([x, x], index=[7, 8])
    for river in CLASSIFIERS:
        assert river.predict_one(x) is None
        assert river.predict_proba_one(x) == {}
    for name, model in open_models(taxonomy).items():
        assert model.predict_one(x) is None, name
        assert model.predict_one(x, threshold=0.5) is None, name
        assert model.predict_one(x, max_depth=1) is None, name
        assert model.predict_proba_one(x) == {}, name
        assert inspection.top_one(model, x, k=3) == [], name
        assert isinstance(model.debug_one(x), str) if hasattr(model, "debug_one") else True
        if hasattr(model, "explain_one"):
            assert model.explain_one(x) == {}, name
        if hasattr(model, "predict_many"):
            answers = model.predict_many(frame)
            assert answers.tolist() == [None, None], name
            assert answers.index.tolist() == [7, 8]
            assert model.predict_proba_many(frame).shape == (2, 0), name
            assert model.predict_proba_many(frame.to_numpy()).shape == (2, 0), name
            assert model.predict_many(frame.to_numpy()).tolist() == [None, None]
            table = pl.DataFrame({"a": [1.0], "b": [2.0]})
            assert model.predict_many(table).to_list() == [None]
        if not name.startswith("local."):
            for ask in (
                model.predict_one,
                model.predict_proba_one,
                partial(inspection.top_one, model, k=3),
                partial(label_after_probabilities, model),
            ):
                with pytest.raises(ValueError, match="not a number"):
                    ask({0: "red"})


@pytest.mark.parametrize("name", SEVERAL)
def test_before_the_first_example_no_label_is_on(name: str) -> None:
    t = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
    model, x = SEVERAL[name](t), {0: 1.0, 1: 2.0}
    nothing = {"a": False, "b": False, "c": False}
    frame = pd.DataFrame([x, x])
    assert model.predict_one(x) == nothing
    assert model.predict_labels_one(x) == []
    assert not model.predict_many(frame).to_numpy().any()
    model.learn_one(x, "b", w=0.0)
    assert model.predict_one(x) == nothing, "an example of weight 0 is none"
    for _ in range(20):
        model.learn_one(x, "b")
    assert model.predict_labels_one(x)
    assert model.clone().predict_one(x) == nothing


def test_a_scaler_that_has_learned_nothing() -> None:
    """River's MinMaxScaler returns nan until it has learned a feature; the others return 0."""
    x = {"a": 1.0, "b": 2.0}
    for name, model in open_models().items():
        if name.startswith("local."):
            continue
        scaled = scaling.MinMaxScaler() | model
        with pytest.raises(ValueError, match=r"feature 'a' is nan.* MinMaxScaler .* learned"):
            scaled.predict_one(x)
        scaled.learn_one(x, "label")
        assert scaled.predict_one(x) == "label"
        with pytest.raises(ValueError, match=r"feature 'c' is nan.* StandardScaler"):
            scaled.predict_one({**x, "c": 1.0})
        for scaler in (scaling.StandardScaler(), scaling.MaxAbsScaler()):
            assert (scaler | model.clone()).predict_one(x) is None


def test_the_root_of_the_library_is_no_answer() -> None:
    rng = random.Random(1)
    for name, model in open_models().items():
        labels = []
        for step in range(60):
            x = {i: rng.gauss(0.0, 1.0) for i in range(3)}
            proba = model.predict_proba_one(x)
            if step:
                assert model.predict_one(x) in labels, name
                assert proba["root"] == 0.0, name
                assert sum(proba.values()) == pytest.approx(1.0), name
                if hasattr(model, "predict_many"):
                    rows = np.array([[x[i] for i in range(3)]])
                    assert model.predict_many(rows).tolist() == [model.predict_one(x)]
                    found = model.predict_proba_many(rows)[0]
                    np.testing.assert_allclose(found, list(proba.values()), atol=1e-9)
            labels.append(rng.randrange(4))
            model.learn_one(x, labels[-1])


def test_encoded_multilabels() -> None:
    rng = random.Random(2)
    for name, model in open_models().items():
        encoder = multioutput.MultiClassEncoder(scaling.StandardScaler() | model)
        for step in range(40):
            x = {"a": rng.gauss(0.0, 1.0), "b": rng.gauss(0.0, 1.0)}
            y = {"a": x["a"] > 0.0, "b": x["b"] > 0.0}
            assert encoder.predict_one(x).keys() == (y.keys() if step else set()), name
            encoder.learn_one(x, y)
