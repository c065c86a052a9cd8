"""Weights of single precision."""

from itertools import chain
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model
from support.public_api import learners

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", "d")])
TYPED = [*chain(*learners("linear_model", "dtype"))]


def made(name: str, taxonomy: Taxonomy, dtype: str) -> Any:
    if name == "Averaged":
        return linear_model.Averaged(linear_model.HAROW(taxonomy, dtype=dtype))
    return getattr(linear_model, name)(taxonomy, dtype=dtype)


@pytest.mark.parametrize("name", [*TYPED, "Averaged"])
@pytest.mark.parametrize("n_nodes", [40, 200])
def test_single_precision_decides_as_double_does(name: str, n_nodes: int) -> None:
    rng = np.random.default_rng(1)
    parents = [0, *(int(rng.integers(0, v)) for v in range(1, n_nodes))]
    taxonomy = Taxonomy([(f"n{parents[v - 1]}", f"n{v}") for v in range(1, n_nodes)])
    single, double = (made(name, taxonomy, dtype) for dtype in ("float32", "float64"))
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
    n_bytes = [getattr(model, "model", model)._state.n_bytes for model in (single, double)]
    assert n_bytes[0] < 0.8 * n_bytes[1]


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize(
    "value", ["float128", "float16", "double", np.float32, None, 32, "Float64", b"float32"]
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
