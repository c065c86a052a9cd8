"""The kernels of both backends: which there are, features, weights, distances, factors."""

from __future__ import annotations

import os
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, _core, linear_model
from river_hier._core import distances_from
from river_hier._core.pickles import VERSION
from support.backends import BACKENDS, REQUIRED, both, learn, namespace, native_only, running_on
from support.hooked import Hooked, Number
from support.strategies import trees


@native_only
def test_the_compiled_core_offers_all_twins() -> None:
    assert BACKENDS["native"] is not None or not REQUIRED, "there is no compiled backend"
    native = namespace("native")
    for name in _core.NATIVE:
        assert getattr(native, name) is not getattr(namespace("numpy"), name)


def test_the_environment_chooses_the_core() -> None:
    pure = os.environ.get("RIVER_HIER_PURE", "0") not in ("", "0") or BACKENDS["native"] is None
    assert _core.name == ("numpy" if pure else "native")
    assert _core.FeatureIndex is namespace(_core.name).FeatureIndex
    assert _core.why


@both
@pytest.mark.parametrize("n_nodes", [4, 200])
def test_a_pickle_of_weights_holds_what_is_not_zero(backend: str, n_nodes: int) -> None:
    taxonomy = Taxonomy.flat([str(v) for v in range(1, n_nodes)])
    with running_on(backend) as k:
        features, labels = k.FeatureIndex(), k.Labels(taxonomy)
        weights = k.Weights(n_nodes)
        for i in range(100):
            learn(k, linear_model.Hieron(taxonomy), weights, features, labels, {i: 1.0}, 1)
        start, nodes, values = weights.rows
        assert (len(start), nodes.tolist(), len(values)) == (101, [1] * 100, 100)
        again = pickle.loads(pickle.dumps(weights))
        assert type(again) is k.Weights
        assert again.column(1, 101).tolist() == [1.0] * 100 + [0.0]
        assert again.n_bytes <= weights.n_bytes


@given(taxonomy=trees(), data=st.data())
def test_distances_from_a_node(taxonomy: Taxonomy, data: st.DataObject) -> None:
    y = data.draw(st.sampled_from(taxonomy.nodes))
    expected = [taxonomy.distance(y, v) for v in taxonomy]
    assert distances_from(taxonomy.index(y), taxonomy._arrays).tolist() == expected


@both
def test_finding_adds_no_feature(backend: str) -> None:
    features = namespace(backend).FeatureIndex()
    features.insert({"a": 1.0, "b": 2.0})
    x = features.find({"c": 2.0, "b": 1.0})
    assert (x.rows.tolist(), x.values.tolist(), x.norm2) == ([1], [1.0], 5.0)
    assert (len(features), features.names()) == (2, ["a", "b"])
    assert (features.row("b"), features.row("c")) == (1, None)


ONES: list[Any] = [True, 1, 1.0, Fraction(1), Decimal(1), np.array(1.0), np.array(True)]
ONES += [kind(1) for kind in (np.bool_, np.int64, np.uint8, np.float16, np.float32, np.float64)]
ONES += [np.longdouble(1)]


@both
@pytest.mark.parametrize("value", ONES, ids=lambda value: type(value).__name__)
def test_numbers_of_every_kind(backend: str, value: object) -> None:
    x = namespace(backend).FeatureIndex().insert({"a": value, "b": 2})
    assert x.values.tolist() == [1.0, 2.0]
    assert x.norm2 == 5.0


@both
@pytest.mark.parametrize("value", [2**53 + 1, 2**63, -(2**64), 5e-324, -0.0, 10**150])
def test_numbers_at_the_edges(backend: str, value: Any) -> None:
    x = namespace(backend).FeatureIndex().insert({"a": value, "b": 1e-140})
    assert x.values.tolist() == [float(value), 1e-140]
    assert x.norm2 == pytest.approx(float(value) ** 2 + 1e-280)


@both
@pytest.mark.parametrize("which", ["hash", "eq", "float"])
def test_all_names_of_an_x_are_inserted_or_none(backend: str, which: str) -> None:
    features = namespace(backend).FeatureIndex()
    features.insert({"a": 1.0, Hooked("stored"): 1.0, 3: 1.0, "b": 1.0})
    before = features.names()
    fresh = Hooked("stored")
    many = {f"new {i}": 1.0 for i in range(2000)}  # the table grows
    x: dict[Any, Any] = {**many, ("new", 1): 1.0, 4: 1.0, fresh: Number(1.0), "late": 1.0}
    (x[fresh] if which == "float" else fresh).hook(which, lambda: 1 / 0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            features.insert(x)
        assert (len(features), features.names()) == (4, before)
        assert features.find(many | {"a": 1.0, 4: 1.0, ("new", 1): 1.0}).rows.tolist() == [0]
    fresh.unhook()
    x[fresh].unhook()
    rows = features.insert(x).rows.tolist()
    assert rows == [*range(4, 2006), 1, 2006]
    assert features.names()[-3:] == [("new", 1), 4, "late"]


@both
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_nodes", [4, 200])
def test_weights_add_what_they_are_given(backend: str, n_nodes: int, dtype: str) -> None:
    k = namespace(backend)
    w, features = k.Weights(n_nodes, dtype), k.FeatureIndex()
    dense = np.zeros((6, n_nodes))
    rng = np.random.default_rng(n_nodes)
    for _ in range(30):
        names = rng.permutation(6)[: rng.integers(7)].tolist()
        x = {name: float(value) for name, value in zip(names, rng.normal(size=6), strict=False)}
        nodes = np.flatnonzero(rng.random(n_nodes) < 0.4)
        steps = rng.normal(size=len(nodes))
        w.add(features.insert(x), nodes, steps)
        for name, value in x.items():
            dense[name, nodes] += value * steps
        expected = sum(value * dense[name] for name, value in x.items()) + np.zeros(n_nodes)
        near = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(w.scores(features.find(x)), expected, atol=near)


@native_only
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_nodes", [4, 200])
def test_uncertain_weights_of_both_cores(n_nodes: int, dtype: str) -> None:
    """Rows that grow, turn dense and get new nodes; the weights are moved on their own, too."""
    rng = np.random.default_rng(n_nodes)
    taxonomy = Taxonomy([("r", f"n{v}") for v in range(1, n_nodes)])
    stream = []
    for _ in range(25):
        names = rng.permutation(30)[:5].tolist()
        x = dict(zip(names, rng.normal(size=5).tolist(), strict=True))
        stream.append((x, [f"n{1 + rng.integers(n_nodes - 1)}"]))
    saved = []
    for k in (namespace("numpy"), namespace("native")):
        w, features, labels = (
            k.GaussianWeights(n_nodes, dtype),
            k.FeatureIndex(),
            k.Labels(taxonomy),
        )
        for x, y in stream:
            harow = linear_model.HAROW(taxonomy, r=0.5, forgetting=0.9)
            learn(k, harow, w, features, labels, x, y)
        w.add(features.find(stream[0][0]), np.array([0, n_nodes - 1]), np.array([0.5, -1.0]))
        w.add_nodes(2 * n_nodes)
        w.add(features.find(stream[1][0]), np.array([2 * n_nodes - 1]), np.array([2.0]))
        saved.append(pickle.loads(pickle.dumps(w)).__reduce__()[1])
        assert w.n_bytes >= 2 * np.dtype(dtype).itemsize * 30
    assert saved[0][:4] == saved[1][:4] == ("GaussianWeights", VERSION, 2 * n_nodes, dtype)
    for ours, theirs in zip(saved[0][4:], saved[1][4:], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9 if dtype == "float64" else 1e-4)


@native_only
def test_compiled_weights_refuse_nodes_that_are_not_there() -> None:
    k = namespace("native")
    w, x = k.Weights(4), k.FeatureIndex().insert({"a": 1.0})
    for nodes in ([4], [-1], [2, 1], [1, 1]):
        with pytest.raises(ValueError, match="nodes must ascend"):
            w.add(x, np.array(nodes), np.ones(len(nodes)))
    with pytest.raises(ValueError, match="a step for each node"):
        w.add(x, np.array([1, 2]), np.ones(1))
    assert w.n_bytes == k.Weights(4).n_bytes
