"""Dense batches are scored by matrix products: like a loop over the rows, but for rounding."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from river_hier import Taxonomy, linear_model
from river_hier._core import Batch
from river_hier.base import linear

TREE = Taxonomy.from_nested(
    {"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"], "i": {"j": ["k"]}}}
)
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("c", "e")])
SINGLE = ["Hieron", "AveragedHieron", "Averaged Hieron"]
MULTI = ["HPerceptron", "HAROW", "Averaged HAROW"]


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, too, and blocks of few rows."""
    for name, value in {"FEW": 2, "SMALL": 0, "BLOCK": 30, "SPARSE": 1e9}.items():
        monkeypatch.setattr(linear, name, value)


def made(name: str, taxonomy: Any, **parameters: Any) -> Any:
    model = getattr(linear_model, name.split()[-1])(taxonomy, **parameters)
    return linear_model.Averaged(model) if name.startswith("Averaged ") else model


def trained(name: str, taxonomy: Any, whole: bool, **parameters: Any) -> tuple[Any, Any]:
    """A model that has learned 40 rows with the features 0 to 5, and 30 rows with 2 to 7."""
    rng = np.random.default_rng(5)
    labels = list(TREE.nodes[1:]) if taxonomy is not DAG else list(DAG.nodes[1:])
    model = made(name, taxonomy, **parameters)
    X = rng.integers(-3, 4, (40, 6)) if whole else rng.standard_normal((40, 6))
    ys = rng.choice(labels, 40).tolist()
    model.learn_many(X, ys if name in SINGLE else [{y} for y in ys])
    Z = rng.integers(-3, 4, (30, 6)) if whole else rng.standard_normal((30, 6))
    Z[3] = 0.0
    return model, pd.DataFrame(Z.astype(float), columns=range(2, 8))


def answers(model: Any, xs: list[Any]) -> list[Any]:
    return [model.predict_one(x) for x in xs]


@pytest.mark.parametrize(("dtype", "intercept"), [("float64", 0.0), ("float32", 0.5)])
@pytest.mark.parametrize("taxonomy", [TREE, DAG, None], ids=["tree", "dag", "open"])
@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_scores_are_those_of_the_rows(
    name: str, taxonomy: Any, dtype: str, intercept: float
) -> None:
    if name in SINGLE and taxonomy is DAG:
        pytest.skip("single labels need a tree")
    model, Z = trained(name, taxonomy, whole=False, dtype=dtype, intercept=intercept)
    close = {"float64": 1e-12, "float32": 2e-5}[dtype]
    xs = Z.to_dict("records")
    inner = getattr(model, "model", model)
    rows = np.array([inner._scores_one(x) for x in xs])
    batch = Batch(list(Z.columns), Z.to_numpy())
    assert linear.pays(inner, batch)
    np.testing.assert_allclose(inner._scores_many(batch).T, rows, atol=close * np.abs(rows).max())
    likely = np.array(model.predict_proba_many(Z))
    assert likely.dtype == np.float64
    if name in SINGLE:
        one = np.array([list(model.predict_proba_one(x).values()) for x in xs])
        sorted_rows = np.sort(rows, axis=1)
        clear = sorted_rows[:, -1] - sorted_rows[:, -2] > 1e-3
        assert clear.sum() > 10
        many = model.predict_many(Z)
        assert many[clear].tolist() == [
            y for y, c in zip(answers(model, xs), clear, strict=True) if c
        ]
        columns = np.array(model._taxonomy.nodes, dtype=object)
        assert many.tolist() == columns[likely.argmax(axis=1)].tolist()
    else:
        one = np.array([[p[True] for p in model.predict_proba_one(x).values()] for x in xs])
        many = np.array(model.predict_many(Z))
        clear = ((np.abs(rows[:, 1:]) > 1e-3) | (rows[:, 1:] == 0.0)).all(axis=1)
        assert clear.sum() > 10
        expected = np.array([list(a.values()) for a in answers(model, xs)])
        assert (many[clear] == expected[clear]).all()
        assert (many == np.array(model.predict_many(Z))).all()
    np.testing.assert_allclose(likely, one, atol=50 * close)


@pytest.mark.parametrize("taxonomy", [TREE, DAG, None], ids=["tree", "dag", "open"])
def test_whole_numbers_have_no_rounding(taxonomy: Any) -> None:
    """The weights of a perceptron are whole numbers then, and ties are ties."""
    model, Z = trained("HPerceptron", taxonomy, whole=True)
    expected = [list(answer.values()) for answer in answers(model, Z.to_dict("records"))]
    assert np.array(model.predict_many(Z)).tolist() == expected
    assert np.array(model.predict_many(Z.iloc[3:4])).all()  # of zeros: all are on
    assert expected[3] == [True] * len(expected[3])


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_tiny_rows_are_zero_and_large_ones_refused(name: str) -> None:
    for dtype in ("float64", "float32"):
        model, Z = trained(name, TREE, whole=False, dtype=dtype)
        tiny = Z * 1e-160
        many = np.array(model.predict_proba_many(tiny))
        assert (many == many[0]).all()
        zero = np.array(model.predict_proba_many(Z * 0.0))
        assert (many == zero).all()
        if dtype == "float32":
            with pytest.raises(ValueError, match="float32"):
                model.predict_many(Z * 1e20)


def test_new_nodes_are_decided_like_their_parents() -> None:
    model, Z = trained("Hieron", TREE, whole=False)
    before = model.predict_many(Z).tolist()
    model.adopt(TREE.extend([(leaf, f"{leaf} new") for leaf in TREE.nodes]))
    assert model.predict_many(Z).tolist() == before


def test_when_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for few rows or few numbers, sparse rows, or weights that are mostly zeros."""
    monkeypatch.undo()
    rng = np.random.default_rng(0)
    t = Taxonomy.flat([f"{v}" for v in range(2000)])
    model = linear_model.Hieron(t)
    X = rng.standard_normal((20, 50))
    names = list(range(50))
    assert not linear.pays(model, Batch(names, X))  # nothing has been learned
    for _ in range(100):
        model.learn_many(X, rng.choice(t.nodes[1:], 20).tolist())
    assert linear.pays(model, Batch(names, X))
    assert not linear.pays(model, Batch(names, X[:15]))
    assert not linear.pays(model, Batch(names[:10], X[:, :10].copy()))
    wide = Batch(list(range(50_000)), np.zeros((20, 50_000)))
    assert not linear.pays(model, wide)
    stored = sparse.csr_array(X)
    rows = Batch(
        names, stored.data, stored.indices.astype(np.uint32), stored.indptr.astype(np.int64)
    )
    assert not linear.pays(model, rows)
