"""Every model learns from mini-batches of any kind as in a loop, and predicts in kind."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import base, compose, naive_bayes, preprocessing
from river import linear_model as river_linear_model
from scipy import sparse

from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    decision,
    drift,
    kernel,
    linear_model,
    local,
    probabilistic,
)
from support.public_api import LABELS, dense, estimators

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
COLUMNS = list(range(4))


def polars(X: Any) -> Any:
    module = pytest.importorskip("polars")
    return module.DataFrame(X, schema=[str(c) for c in COLUMNS])


KINDS: dict[str, Callable[[Any], Any]] = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "fortran32": lambda X: np.asfortranarray(X.astype(np.float32)),
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "pandas": pd.DataFrame,
    "polars": polars,
    "sparse": sparse.csr_array,
}


def models() -> dict[str, Any]:
    """All that predict labels, and some in others."""
    found = {
        name: model
        for name, model in estimators().items()
        if isinstance(model, base.Classifier | base.MultiLabelClassifier)
        and getattr(model, "_predicts_labels", True)
        and not name.startswith("induction.")  # their labels appear with the examples
        and name != "ensemble.DensePool"  # it predicts and scales blocks of rows
    }
    harow, hieron = linear_model.HAROW(TREE), linear_model.Hieron(TREE)
    scaled = compose.Pipeline(preprocessing.StandardScaler(), linear_model.HAROW(TREE))
    found |= {
        "decoder of calibrated": decision.HLossBayes(decision.Calibrated(harow.clone())),
        "calibrated pipeline": decision.Calibrated(scaled),
        "decoder of a pipeline": decision.SymmetricDifferenceBayes(scaled.clone()),
        "tempered discriminant": decision.Tempered(probabilistic.LinearDiscriminant(TREE)),
        "tree of hieron": decision.TreeBayes(hieron.clone(), TREE),
        "tree of naive Bayes": decision.TreeBayes(naive_bayes.GaussianNB(), TREE),
        "reset": drift.BranchReset(hieron.clone()),
        "reset of calibrated": drift.BranchReset(decision.Calibrated(harow.clone())),
        "per node": local.PerNode(river_linear_model.LogisticRegression(), TREE),
        "open calibrated": decision.Calibrated(linear_model.HAROW()),
        "open tempered": decision.Tempered(linear_model.Hieron()),
        "open per parent": local.PerParent(naive_bayes.GaussianNB()),
        "kernel": kernel.Hieron(TREE, kernel=kernel.RBF()),
    }
    return found


MODELS = models()


def stream(model: Any, n: int, seed: int = 1) -> tuple[Any, list[Any]]:
    """Rows of numbers that are whole in either precision, and labels."""
    rng = random.Random(seed)
    examples = [dense(base.Classifier, rng) for _ in range(n)]
    X = np.array([list(x.values()) for x, _ in examples])
    return X.astype(np.float32).astype(np.float64), [
        {y} if multilabel(model) else y for _, y in examples
    ]


def rows(X: Any, kind: str) -> list[dict[Any, float]]:
    """What a loop learns from."""
    names: list[Any] = [str(c) for c in COLUMNS] if kind == "polars" else COLUMNS
    found = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    return [{k: v for k, v in x.items() if v} for x in found] if kind == "sparse" else found


def multilabel(model: Any) -> bool:
    return isinstance(getattr(model, "_last", model), base.MultiLabelClassifier)


def close(one: Any, many: Any, kind: str, X: Any, xs: list[Any]) -> None:
    """The same answers and probabilities, of the same kind as X."""
    options = {"columns": COLUMNS} if kind == "sparse" else {}
    expected = [one.predict_one(x) for x in xs]
    got = many.predict_many(X, **options)
    asked = type(X) if kind != "sparse" else pd.DataFrame
    if multilabel(many):
        assert isinstance(got, asked)
        assert np.array(got).tolist() == [list(y.values()) for y in expected]
    else:
        if asked is np.ndarray:
            assert isinstance(got, np.ndarray)
        assert list(got) == [
            str(y) if kind == "polars" and isinstance(y, tuple) else y for y in expected
        ]
    likely = many.predict_proba_many(X, **options)
    assert isinstance(likely, asked)
    p = np.array(likely, dtype=float)
    tolerance = 1e-4 if "32" in kind else 1e-9
    nodes = one._taxonomy.nodes if hasattr(one, "_taxonomy") else one.taxonomy.nodes
    for row, x in zip(p, xs, strict=True):
        found = one.predict_proba_one(x)
        if multilabel(many):
            np.testing.assert_allclose(row, [found[v][True] for v in nodes[1:]], atol=tolerance)
        else:
            np.testing.assert_allclose(row, [found.get(v, 0.0) for v in nodes], atol=tolerance)


@pytest.mark.slow(but=80)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_a_batch_is_a_loop(name: str, kind: str) -> None:
    one, many = copy.deepcopy(MODELS[name]), copy.deepcopy(MODELS[name])
    options = {"columns": COLUMNS} if kind == "sparse" else {}
    X, ys = stream(one, 40)
    X[::5, 1] = 0.0
    for a, z in ((0, 1), (1, 20), (20, 20), (20, 30)):
        for x, y in zip(rows(X[a:z], kind), ys[a:z], strict=True):
            one.learn_one(x, y)
        many.learn_many(KINDS[kind](X[a:z]), ys[a:z], **options)
    close(one, many, kind, KINDS[kind](X[30:]), rows(X[30:], kind))


@pytest.mark.parametrize("name", MODELS)
def test_weights_of_a_batch(name: str) -> None:
    """As in a loop; where no weights are taken, the error changes nothing."""
    one, many = copy.deepcopy(MODELS[name]), copy.deepcopy(MODELS[name])
    X, ys = stream(one, 30)
    w = [0.0, 1.0, 2.5] * 7
    xs = rows(X, "float64")
    for model in (one, many):
        model.learn_one(xs[29], ys[29])
    before = copy.deepcopy(many)
    try:
        for x, y, weight in zip(xs[:21], ys, w, strict=False):
            if weight:
                one.learn_one(x, y, w=weight)
    except TypeError:
        with pytest.raises(TypeError):
            many.learn_many(X[:21], ys[:21], w=w)
        one = before
    else:
        many.learn_many(X[:21], ys[:21], w=w)
    close(one, many, "float64", X[21:], xs[21:])


@pytest.mark.parametrize("name", MODELS)
def test_a_refused_row_ends_the_batch(name: str) -> None:
    X, ys = stream(MODELS[name], 20)
    xs = rows(X, "float64")
    bad, y = X.copy(), {"unicorn"} if multilabel(MODELS[name]) else "unicorn"
    bad[15, 2] = np.nan
    refused = [(bad, ys, "finite")]
    taxonomy = getattr(MODELS[name], "taxonomy", None)
    if taxonomy is not None and not isinstance(taxonomy, OpenTaxonomy):
        refused.append((X, [*ys[:15], y, *ys[16:]], "unicorn"))
    for values, labels, message in refused:
        one, many = copy.deepcopy(MODELS[name]), copy.deepcopy(MODELS[name])
        for x, label in zip(xs[:15], ys, strict=False):
            one.learn_one(x, label)
        if labels is not ys:  # a transformer learns the row all the same
            with pytest.raises((ValueError, KeyError), match="unicorn"):
                one.learn_one(xs[15], y)
        with pytest.raises((ValueError, KeyError), match=f"row 15: .*{message}") as error:
            many.learn_many(values, labels)
        assert vars(error.value)["n_learned"] == 15
        close(one, many, "float64", X, xs)
        with pytest.raises(ValueError, match="each row needs its label"):
            many.learn_many(X, ys[:-1])
        close(one, many, "float64", X, xs)
        pickle.loads(pickle.dumps(many)).learn_many(X, ys)


def test_every_model_is_here() -> None:
    without = {name for name, model in MODELS.items() if not hasattr(model, "learn_many")}
    assert not without
    assert len(MODELS) > 30
    assert set(LABELS) < set(TREE.nodes)
