"""Sample weights: what they are not allowed to change, and what a weight of 2 is."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, evaluate, preprocessing
from scipy import sparse

from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    active,
    decision,
    kernel,
    linear_model,
    metrics,
    probabilistic,
)
from river_hier import base as base_models
from support.hypothesis_settings import n_examples
from support.public_api import learners
from support.strategies import multilabel_streams

SINGLE, MULTI = learners("linear_model")
TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})


def test_samplers_take_a_weight() -> None:
    model = active.MarginSampler(linear_model.Hieron(TREE))
    model.learn_one({"x": 1.0}, "b", 0.5)
    alone = linear_model.Hieron(TREE)
    alone.learn_one({"x": 1.0}, "b", w=0.5)
    assert pickle.dumps(model.classifier) == pickle.dumps(alone)


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_a_new_label_of_weight_0_does_not_grow_a_taxonomy(name: str) -> None:
    y: Any = "new" if name in SINGLE else {"new"}
    model = getattr(linear_model, name)()
    model.learn_one({"x": 1.0}, y, w=0.0)
    model.learn_many(pd.DataFrame({"x": [1.0, 2.0]}), [y, y], w=[0.0, 0.0])
    assert len(model._taxonomy) == 1
    model.learn_many(pd.DataFrame({"x": [1.0, 2.0]}), [y, y], w=[0.0, 1.0])
    assert len(model._taxonomy) == 2


@pytest.mark.parametrize(
    "model",
    [
        linear_model.HRLS(),
        linear_model.SHRLS(OpenTaxonomy("/")),
        kernel.HRLS(),
        kernel.SHRLS(),
        probabilistic.LinearDiscriminant(),
        probabilistic.NewtonSoftmax(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_new_label_whose_weight_is_too_large_does_not_grow_a_taxonomy(model: Any) -> None:
    y: Any = {"new"} if isinstance(model, base.MultiLabelClassifier) else "new"
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"lost in rounding|overflow"):
        model.learn_one({"x": 1e140}, y, w=1e12)
    assert len(model.taxonomy_) == 1
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("w", "error", "message"),
    [
        ([1.0, -1.0], ValueError, r"row 1: `w`, the weight of the example, .* got -1.0"),
        ([1.0, None], ValueError, r"row 1: `w`, .* got None"),
        ([1.0], ValueError, r"X has 2 rows and w has 1; each row needs its weight"),
        (2.0, TypeError, r"w must be a series or a sequence of weights, got float"),
        ("12", TypeError, r"w must be a series or a sequence of weights, got str"),
    ],
)
@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_weights_of_a_batch_that_are_none(name: str, w: Any, error: Any, message: str) -> None:
    model = getattr(linear_model, name)(TREE)
    before = pickle.dumps(model)
    with pytest.raises(error, match=message) as refused:
        model.learn_many(pd.DataFrame({"x": [1.0, 2.0]}), ["b", "b"], w=w)
    assert vars(refused.value)["n_learned"] == message.startswith("row 1")
    assert (pickle.dumps(model) == before) != message.startswith("row 1")


@pytest.mark.parametrize("name", ["HRLS", "kernel.HRLS"])
@given(data=multilabel_streams(), probe=st.integers(0, 25))
@n_examples(60)
def test_in_least_squares_weight_2_is_the_example_twice(name: str, data: Any, probe: int) -> None:
    taxonomy, stream = data
    home = kernel if name.startswith("kernel") else linear_model
    weighted, twice = home.HRLS(taxonomy), home.HRLS(taxonomy)
    for i, (x, y) in enumerate(stream):
        k = 1 + i % 3
        weighted.learn_one(x, y, w=k)
        for _ in range(k):
            twice.learn_one(x, y)
    x = stream[probe % len(stream)][0] if stream else {}
    assert weighted.score_one(x) == pytest.approx(twice.score_one(x), abs=1e-8)


@pytest.mark.parametrize("size", [1e3, 1e8, 1e12, 1e144])
@pytest.mark.parametrize("w", [5e-324, 1e-300, 1e-20, 1e12])
def test_of_harow_no_weight_beside_a_large_x_makes_a_nan(size: float, w: float) -> None:
    """Where the whole variance of a score is learned, 1 - S x / (S x + r) is 0 in rounding."""
    model = linear_model.HAROW(TREE)
    for label in ("b", "c", "d", "b", "d"):
        model.learn_one({"x": size, "y": size / 3.0}, {label}, w=w)
        assert all(abs(score) <= 1.0 + 1e-9 for score in model.score_one({"x": size}).values())


def test_pipelines_and_rivers_loop_pass_weights_on() -> None:
    stream = [({"x": float(i % 3), "y": 1.0}, "abcd"[i % 4], {"w": 1.0 + i % 3}) for i in range(40)]
    piped = preprocessing.StandardScaler() | linear_model.Hieron(TREE)
    looped = copy.deepcopy(piped)
    for x, y, kwargs in stream:
        piped.predict_one(x)
        piped.learn_one(x, y, **kwargs)
    evaluate.progressive_val_score(copy.deepcopy(stream), looped, metrics.TreeInducedError(TREE))
    unweighted = preprocessing.StandardScaler() | linear_model.Hieron(TREE)
    for x, y, _ in stream:
        unweighted.predict_one(x)
        unweighted.learn_one(x, y)
    probe = {"x": 1.0, "y": 1.0}
    assert looped.score_one(probe) == piped.score_one(probe) != unweighted.score_one(probe)


class Refusing(base_models.PathLearner):
    """Raises an error in its rule."""

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        if norm2 > 100.0:
            raise ValueError("too long")
        return 1.0


@pytest.mark.parametrize(
    ("model", "y", "x"),
    [
        (linear_model.Hieron(TREE), "unknown", 1.0),
        (linear_model.Hieron(TREE), {"b"}, 1.0),
        (linear_model.Hieron(OpenTaxonomy("/")), 3, 1.0),
        (linear_model.HAROW(TREE), {"unknown"}, 1.0),
        (linear_model.HAROW(OpenTaxonomy("/")), {"a", 3}, 1.0),
        (linear_model.HAROW(TREE, dtype="float32"), {"b"}, 1e18),
        (linear_model.HRLS(TREE), {"b"}, 1e9),
        (kernel.SHRLS(TREE), {"b"}, 1e9),
        (kernel.Hieron(TREE), "unknown", 1.0),
        (probabilistic.LinearDiscriminant(TREE), "b", 1e150),
        (decision.Calibrated(linear_model.HAROW(TREE)), {"unknown"}, 1.0),
        (Refusing(TREE), "c", 11.0),
        (Refusing(OpenTaxonomy("/")), "b/c", 11.0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_number_rows_of_weight_0_as_well(model: Any, y: Any, x: float) -> None:
    good: Any = {"b"} if isinstance(model, base.MultiLabelClassifier) else "b"
    values = np.array([[1.0], [2.0], [3.0], [x], [1.0]])
    for batch in (values, sparse.csr_array(values)):
        columns = [0] if sparse.issparse(batch) else None
        for w in ([1.0, 0.0, 2.0, 1.0, 0.0], None):
            with pytest.raises((TypeError, ValueError, KeyError), match="row 3: ") as refused:
                model.learn_many(batch, [good, good, good, y, good], w, columns)
            assert vars(refused.value)["n_learned"] == 3
