"""`predict_labels_one` of every multilabel model: the labels that are on in `predict_one`."""

import functools
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, preprocessing

from river_hier import OpenTaxonomy, Taxonomy, decision, drift, inspection, kernel, linear_model
from support import strategies
from support.hypothesis_settings import n_examples
from support.public_api import LABELS, estimators, in_taxonomy, one_label

TREE = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])
KEYWORDS: list[dict[str, Any]] = [
    {},
    {"max_depth": 0},
    {"max_depth": 1},
    {"threshold": 0.3},
    {"threshold": 0.6, "max_depth": 2},
]


FOUND = {name: m for name, m in estimators().items() if not one_label(m)}
for name in ("evaluate.Ranked", "evaluate.Probabilities"):  # their predictions are scores
    del FOUND[name]
# Every multilabel model of the library, some with parameters that matter here.
MODELS: dict[str, Any] = {name: functools.partial(in_taxonomy, m) for name, m in FOUND.items()} | {
    "kernel.HRLS": lambda t: kernel.HRLS(t, kernel.RBF(1.0)),
    "kernel.SHRLS": lambda t: kernel.SHRLS(t, kernel.RBF(1.0), budget=4),
    "decision.HLossBayes": lambda t: decision.HLossBayes(linear_model.HRLS(t)),
    "decision.ZeroOneBayes": lambda t: decision.ZeroOneBayes(linear_model.HRLS(t)),
    "decision.SymmetricDifferenceBayes": lambda t: decision.SymmetricDifferenceBayes(
        linear_model.HAROW(t), missed=2.0
    ),
}
OTHERS = {
    "drift.BranchReset of a pipeline": lambda t: drift.BranchReset(
        preprocessing.Normalizer() | linear_model.HAROW(t)
    ),
    "a decoder of a pipeline": lambda t: decision.HLossBayes(
        preprocessing.Normalizer() | linear_model.HAROW(t)
    ),
    "H-AROW, float32": lambda t: linear_model.HAROW(t, dtype="float32"),
    "H-AROW, averaged": lambda t: linear_model.Averaged(linear_model.HAROW(t)),
}


def check(model: Any, x: Any, keywords: Any) -> list[Any]:
    """The list is what the dictionary says, in its order, and asking changes nothing."""
    y_pred = model.predict_one(x, **keywords)
    labels: list[Any] = model.predict_labels_one(x, **keywords)
    assert type(labels) is list
    assert labels == [label for label, on in y_pred.items() if on]
    return labels


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("name", [*MODELS, *OTHERS])
@n_examples(15)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_labels_are_those_that_are_true(name: str, data: Any, seed: int) -> None:
    trees_only = name.endswith(("HLossBayes", "HFBetaBayes", "a decoder of a pipeline"))
    taxonomy = data.draw(strategies.trees() if trees_only else strategies.taxonomies())
    rng = np.random.default_rng(seed)
    model = (MODELS | OTHERS)[name](taxonomy)
    for _ in range(8):
        x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
        for keywords in KEYWORDS:
            check(model, x, keywords)
        model.learn_one(x, data.draw(strategies.multilabels(taxonomy)))
    for keywords in KEYWORDS:
        if "threshold" not in keywords and hasattr(model, "predict_many"):
            many = model.predict_many(pd.DataFrame([x]), **keywords)
            assert many.iloc[0].to_dict() == model.predict_one(x, **keywords)
    check(model, {"new": 1.0}, {})


@pytest.mark.parametrize("name", MODELS)
def test_open_models(name: str) -> None:
    model, rng = estimators()[name], random.Random(1)
    for _ in range(12):
        y = rng.choice(LABELS)
        x = {y: 1.0, "any": rng.random()}
        check(model, x, {})
        model.learn_one(x, {y})
    if name.startswith("kernel."):
        return  # they do not grow along paths
    grown = MODELS[name](OpenTaxonomy("/"))
    for label in ("a/b", "a/c", "d", "a/b/e"):
        grown.learn_one({label: 1.0}, {label})
        check(grown, {label: 1.0}, {})


def test_errors() -> None:
    model = linear_model.HAROW(TREE)
    with pytest.raises(ValueError, match=r"`threshold` must be between 0 and 1, got 1.5"):
        model.predict_labels_one({}, threshold=1.5)
    with pytest.raises(ValueError, match="`max_depth` must be at least 0, got -1"):
        model.predict_labels_one({}, max_depth=-1)
    with pytest.raises(ValueError, match="feature 'x' is nan"):
        model.predict_labels_one({"x": float("nan")})
    with pytest.raises(TypeError, match="predicts one label; ask `predict_one` for it"):
        drift.BranchReset(linear_model.Hieron(TREE)).predict_labels_one({})


class Own(base.MultiLabelClassifier):
    """A user's model in a taxonomy, without `predict_labels_one`."""

    taxonomy = TREE

    def learn_one(self, x: Any, y: Any) -> None: ...

    def forget(self, label: Any) -> None: ...

    def predict_one(self, x: Any) -> Any:
        return {"e": False, "b": True, "a": True, "d": False, "c": True}


def test_a_wrapper_of_a_model_that_only_predicts_dictionaries() -> None:
    model = drift.BranchReset(Own())
    assert model.predict_labels_one({}) == ["a", "b", "c"]
    model = drift.BranchReset(preprocessing.StandardScaler() | Own())
    assert model.predict_labels_one({"x": 1.0}, max_depth=1) == ["a", "b"]


def test_depths_beyond_any_taxonomy() -> None:
    for model in (linear_model.HAROW(TREE), linear_model.PathSoftmax(TREE)):
        model.learn_one({"x": 1.0}, "e")
        for threshold in (None, 0.5):
            answer = model.predict_one({"x": 1.0}, threshold=threshold)
            assert model.predict_one({"x": 1.0}, threshold=threshold, max_depth=2**70) == answer
        assert inspection.top_one(model, {"x": 1.0}, depth=2**70) == []
