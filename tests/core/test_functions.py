"""The compiled core by itself: features, weights, distances."""

import pickle
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, linear_model
from river_hier._core import FeatureIndex, Labels, LinearState, distances_from
from support.hooked import Hooked, Number
from support.strategies import trees

NONE = np.empty(0, dtype=np.intp)


def state_of(n_nodes, dtype="float64", n_planes=1):
    labels = Labels(Taxonomy.flat([str(v) for v in range(1, n_nodes)]))
    return LinearState(labels, [], 0.0, dtype, n_planes)


@pytest.mark.parametrize("n_nodes", [4, 200])
def test_a_pickle_of_weights_holds_what_is_not_zero(n_nodes):
    model = linear_model.Hieron(Taxonomy.flat([str(v) for v in range(1, n_nodes)]))
    for i in range(100):
        model.learn_one({i: 1.0}, "1")
    *_, (start, nodes, values), average, _ = model._state.saved()
    assert (len(start), nodes.tolist(), len(values), average) == (101, [1] * 100, 100, None)
    again = pickle.loads(pickle.dumps(model))._state
    assert again.column(1).tolist() == [1.0] * 100
    assert again.n_bytes <= model._state.n_bytes


@given(taxonomy=trees(), data=st.data())
def test_distances_from_a_node(taxonomy, data):
    y = data.draw(st.sampled_from(taxonomy.nodes))
    expected = [taxonomy.distance(y, v) for v in taxonomy]
    assert distances_from(taxonomy.index(y), taxonomy._arrays).tolist() == expected


def test_finding_adds_no_feature():
    features = FeatureIndex()
    features.insert({"a": 1.0, "b": 2.0})
    x = features.find({"c": 2.0, "b": 1.0})
    assert (x.rows.tolist(), x.values.tolist(), x.norm2) == ([1], [1.0], 5.0)
    assert (len(features), features.names()) == (2, ["a", "b"])
    assert (features.row("b"), features.row("c")) == (1, None)


ONES = [True, 1, 1.0, Fraction(1), Decimal(1), np.array(1.0), np.array(True)]
ONES += [kind(1) for kind in (np.bool_, np.int64, np.uint8, np.float16, np.float32, np.float64)]
ONES += [np.longdouble(1)]


@pytest.mark.parametrize("value", ONES, ids=lambda value: type(value).__name__)
def test_numbers_of_every_kind(value):
    x = FeatureIndex().insert({"a": value, "b": 2})
    assert x.values.tolist() == [1.0, 2.0]
    assert x.norm2 == 5.0


@pytest.mark.parametrize("value", [2**53 + 1, 2**63, -(2**64), 5e-324, -0.0, 10**150])
def test_numbers_at_the_edges(value):
    x = FeatureIndex().insert({"a": value, "b": 1e-140})
    assert x.values.tolist() == [float(value), 1e-140]
    assert x.norm2 == pytest.approx(float(value) ** 2 + 1e-280)


@pytest.mark.parametrize("which", ["hash", "eq", "float"])
def test_all_names_of_an_x_are_inserted_or_none(which):
    features = FeatureIndex()
    features.insert({"a": 1.0, Hooked("stored"): 1.0, 3: 1.0, "b": 1.0})
    before = features.names()
    fresh = Hooked("stored")
    many = {f"new {i}": 1.0 for i in range(2000)}  # the table grows
    x = {**many, ("new", 1): 1.0, 4: 1.0, fresh: Number(1.0), "late": 1.0}
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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_nodes", [4, 200])
def test_weights_add_what_they_are_given(n_nodes, dtype):
    state = state_of(n_nodes, dtype)
    dense = np.zeros((6, n_nodes))
    rng = np.random.default_rng(n_nodes)
    state.learn(dict.fromkeys(range(6), 1.0), 1.0, NONE, NONE, np.empty(0))
    for _ in range(30):
        names = rng.permutation(6)[: rng.integers(7)].tolist()
        x = {name: float(value) for name, value in zip(names, rng.normal(size=6), strict=False)}
        nodes = np.flatnonzero(rng.random(n_nodes) < 0.4)
        steps = rng.normal(size=len(nodes))
        state.learn(x, 1.0, NONE, nodes, steps)
        for name, value in x.items():
            dense[name, nodes] += value * steps
        expected = sum(value * dense[name] for name, value in x.items()) + np.zeros(n_nodes)
        near = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(state.scores(state.find(x)), expected, atol=near)
        np.testing.assert_allclose(state.column(n_nodes - 1), dense[:, -1], atol=near)


@pytest.mark.parametrize("n_nodes", [4, 200])
def test_uncertain_weights_move_by_their_variances(n_nodes):
    """w moves by step S x, S by -confidence (S x)^2, in rows that grow and turn dense."""
    rng, state = np.random.default_rng(n_nodes), state_of(n_nodes, n_planes=2)
    state.learn(dict.fromkeys(range(8), 1.0), 1.0, NONE, NONE, np.empty(0))
    w, S = np.zeros((8, n_nodes)), np.ones((8, n_nodes))
    for step in range(30):
        names = rng.permutation(8)[:3]
        values = rng.normal(size=3)
        x = dict(zip(names.tolist(), values.tolist(), strict=True))
        nodes = np.flatnonzero(rng.random(n_nodes) < (0.02 if step < 15 else 0.4))
        variances = (values[:, None] ** 2 * S[np.ix_(names, nodes)]).sum(axis=0)
        np.testing.assert_allclose(state.variances(state.find(x), nodes), variances, rtol=1e-12)
        steps, confidences = rng.normal(size=len(nodes)), 1.0 / (1.0 + variances)
        state.learn(x, 1.0, NONE, nodes, steps, confidences)
        Sx = values[:, None] * S[np.ix_(names, nodes)]
        w[np.ix_(names, nodes)] += steps * Sx
        S[np.ix_(names, nodes)] -= confidences * Sx**2
    state = pickle.loads(pickle.dumps(state))
    for v in range(n_nodes):
        np.testing.assert_allclose(state.column(v), w[:, v], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["HAROW", "HierarchicalSoftmax"])
def test_nodes_that_are_never_near_change_nothing(name: str) -> None:
    """Though rows of more than 128 nodes are kept as lists of what is in them."""
    small = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "wall")])
    large = small.extend([("wall", i) for i in range(200)])
    ours, theirs = (getattr(linear_model, name)(t) for t in (small, large))
    rng = random.Random(1)
    for _ in range(60):
        x, y = {f: rng.gauss(0.0, 1.0) for f in rng.sample("uvwxyz", 3)}, rng.choice("abcd")
        found, expected = theirs.score_one(x), ours.score_one(x)
        assert [found[v] for v in "abcd"] == pytest.approx([expected[v] for v in "abcd"])
        for model in (ours, theirs):
            model.learn_one(x, {y} if name == "HAROW" else y)


def test_weights_refuse_nodes_that_are_not_there():
    state = state_of(4)
    for nodes in ([4], [-1], [2, 1], [1, 1]):
        for on, moved in ((nodes, NONE), (NONE, nodes)):
            with pytest.raises(ValueError, match="nodes must ascend"):
                state.learn({"a": 1.0}, 1.0, np.array(on), np.array(moved), np.ones(len(moved)))
    with pytest.raises(ValueError, match="a step for each node"):
        state.learn({"a": 1.0}, 1.0, NONE, np.array([1, 2]), np.ones(1))
    assert (state.n, state.n_bytes, len(state.features)) == (0.0, state_of(4).n_bytes, 0)
