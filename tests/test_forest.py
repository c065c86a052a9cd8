"""Forests: the oracle, batches, pickles, what is forgotten, and what they are for."""

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.ensemble import ExtraTreesClassifier

import oracles
from river_hier import Taxonomy, decision, forest, linear_model, metrics
from river_hier._core import Forest
from support.strategies import features, multilabels, parents_of, taxonomies, trees

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0])
BOTH = (forest.ExtraTrees, forest.MultilabelExtraTrees)


@given(trees(), st.data())
def test_one_label_step_by_step(t: Taxonomy, data: st.DataObject) -> None:
    parameters = data.draw(st.tuples(*map(st.integers, (1, 1, 0), (4, 12, 9))))
    model, oracle = forest.ExtraTrees(t, *parameters), oracles.Forest(parents_of(t), *parameters)
    examples = st.lists(st.tuples(features(), st.sampled_from(t.nodes), WEIGHTS), max_size=25)
    for i, (x, y, w) in enumerate(data.draw(examples)):
        expected = {v: math.log(p + 1e-4) for v, p in oracle.shares(x, True).items()}
        assert model.score_one(x) == pytest.approx(expected)
        model.learn_one(x, y, w)
        oracle.learn(x, {y}, w)
        if i == 5:
            model = pickle.loads(pickle.dumps(model))
        if i == 12 and y != t.root:
            model.forget(y)
            oracle.forget(set(t.descendants(y)) | {y})


@given(taxonomies(), st.data())
def test_several_labels_step_by_step(t: Taxonomy, data: st.DataObject) -> None:
    parameters = data.draw(st.tuples(*map(st.integers, (1, 1, 0), (4, 12, 9))))
    model = forest.MultilabelExtraTrees(t, *parameters)
    oracle = oracles.Forest(parents_of(t), *parameters)
    for x, y, w in data.draw(st.lists(st.tuples(features(), multilabels(t), WEIGHTS), max_size=25)):
        shares, scores = oracle.shares(x, False), model.score_one(x)
        for v in t.nodes[1:]:
            above = min(shares[u] for u in t.parents(v))
            p = shares[v] / above if above else 0.0
            p = min(max(p, 0.01), 0.99) if shares[t.root] else 0.5
            assert scores[v] == pytest.approx(math.log(p / (1 - p)), abs=1e-9)
        model.learn_one(x, y, w)
        oracle.learn(x, set(y), w)


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(("budget", "width"), [(3, 2), (12, 4), (25, 40)])
def test_long_streams(budget: int, width: int, make: Any) -> None:
    """Trees are built many times, examples are replaced, leaves emptied, and labels forgotten."""
    draws = np.random.default_rng(budget)
    model = make(DAG if make is BOTH[1] else TREE, 3, budget)
    t = model.taxonomy
    oracle = oracles.Forest(parents_of(t), 3, budget, 0)
    for i in range(120):
        kept = draws.random(width) < (0.1 if width > 10 else 0.6)
        x = {f"f{j}": float(draws.integers(1, 3)) for j in np.flatnonzero(kept)}
        shares = oracle.shares(x, make is BOTH[0])
        found = model._shares_one(x)
        assert dict(zip(t.nodes, found, strict=True)) == pytest.approx(shares)
        y = {str(draws.choice(t.nodes[1:])) for _ in range(1 if make is BOTH[0] else 2)}
        w = float(draws.integers(1, 3))
        model.learn_one(x, *y, w=w) if make is BOTH[0] else model.learn_one(x, y, w=w)
        oracle.learn(x, y, w)
        if i % 25 == 20:
            model.forget("a")
            oracle.forget({"a", *t.descendants("a")})


def test_one_pass_is_as_good_as_a_batch() -> None:
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    X, y = digits.data[order], digits.target[order]
    model = forest.ExtraTrees()
    model.learn_many(X[:1300], y[:1300].tolist())
    batch = ExtraTreesClassifier(random_state=0).fit(X[:1300], y[:1300])
    error, least = (np.mean(m(X[1300:]) != y[1300:]) for m in (model.predict_many, batch.predict))
    assert error < least + 0.01 < 0.05


def test_an_inner_node_is_forgotten_with_all_below_it() -> None:
    for make in BOTH:
        model = make(TREE, n_trees=3)
        for y in ("b", "c", "a", "d"):
            model.learn_one({"u": 1.0}, y)
        model.forget("a")
        assert [on for on in model._forest.saved()[4][1] if on] == [[0, TREE.index("d")]]


def test_weights_are_repetitions() -> None:
    """Where x is the same; elsewhere, trees are built after other examples."""
    once, twice = (forest.ExtraTrees(TREE, n_trees=3) for _ in range(2))
    for y, w in (("b", 2), ("c", 1), ("d", 3)):
        once.learn_one({"u": 1.0}, y, w=w)
        for _ in range(w):
            twice.learn_one({"u": 1.0}, y)
    p = once.predict_proba_one({"u": 1.0})
    assert p == pytest.approx(twice.predict_proba_one({"u": 1.0}))
    assert p["d"] == pytest.approx((3 / 6 + 1e-4) / (1 + 5e-4))


def test_the_latest_examples_count() -> None:
    """After the labels have been exchanged, the forest forgets what no longer holds."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(600, 3))
    y = np.where((X[:, 0] * X[:, 1] > 0) ^ (np.arange(600) >= 300), "b", "c").tolist()
    model = forest.ExtraTrees(TREE, n_trees=20, budget=150)
    model.learn_many(X[:500], y[:500])
    assert np.mean(model.predict_many(X[500:]) == np.array(y[500:])) > 0.85


def test_nodes_beyond_linear_boundaries() -> None:
    """The exclusive or of two features, which linear models cannot learn."""
    draws = np.random.default_rng(1)
    losses = []
    for model in (decision.HLossBayes(forest.MultilabelExtraTrees(TREE)), linear_model.HAROW(TREE)):
        metric = metrics.HLoss(TREE)
        for x in draws.normal(size=(600, 2)):
            y = {"b"} if x[0] * x[1] > 0 else {"d"}
            metric.update(y, model.predict_one(dict(enumerate(x))))
            model.learn_one(dict(enumerate(x)), y)
        losses.append(metric.get())
    assert losses[0] < 0.5 * losses[1]


def test_marginals_are_those_of_the_leaves() -> None:
    """In a DAG too, where a node has several parents; up to the smallest odds."""
    X, Y = make_multilabel_classification(400, 6, n_classes=4, random_state=0)
    model = forest.MultilabelExtraTrees(DAG, n_trees=30)
    labels = [[v for v, on in zip(DAG.nodes[1:], row, strict=True) if on] for row in Y]
    model.learn_many(X, labels)
    shares = np.array([model._shares_one(x) for x in X[:50]])[:, 1:]
    p = np.asarray(model.predict_proba_many(X[:50]))
    assert np.abs(p - shares).max() < 0.03


def test_damaged_states_are_refused() -> None:
    model = forest.ExtraTrees(TREE, n_trees=1, budget=6)
    for i, y in enumerate("bcbcbbcc"):
        model.learn_one({"u": float(i % 5)}, y)
    *parameters, (n, targets, w, keys, X, losses, [tree]) = model._forest.saved()
    nodes, following, *rest = tree

    def opened(
        w: Any = w, nodes: bytes = nodes, following: Any = following, build: Any = rest
    ) -> Any:
        return Forest(*parameters, (n, targets, w, keys, X, losses, [(nodes, following, *build)]))

    assert opened().saved()[4][2].tolist() == w.tolist()
    for weight in (math.nan, math.inf, -1.0, 0.0):
        with pytest.raises(ValueError, match="weights"):
            opened(w=np.where(np.arange(6) == 2, weight, w))
    fields = np.frombuffer(
        nodes, np.dtype([("of", "u4"), ("below", "u4"), ("threshold", "f8"), ("size", "u8")])
    )
    leaves = np.flatnonzero(fields["of"] >= 2**32 - 2)
    for a, b in itertools.permutations(leaves, 2):  # an example in two leaves, or in a wrong one
        wrong = fields.copy()
        wrong["below"][a] = fields["below"][b]
        with pytest.raises(ValueError, match="leaf"):
            opened(nodes=wrong.tobytes())
    sizes = fields.copy()
    sizes["size"][leaves[0]] += 1
    with pytest.raises(ValueError, match="leaf"):
        opened(nodes=sizes.tobytes())
    for i in range(6):
        with pytest.raises(ValueError, match="leaf"):
            opened(following=np.where(np.arange(6) == i, i, following).astype(np.uint32))
    with pytest.raises(ValueError, match="leaf"):
        opened(build=(rest[0], math.nan))


@pytest.mark.parametrize("make", BOTH)
def test_refusals(make: Any) -> None:
    for name, value in (("n_trees", 0), ("budget", 0), ("seed", -1), ("n_trees", 2.5)):
        with pytest.raises((ValueError, TypeError), match=f"`{name}` must be"):
            make(**{name: value})
    model = make(TREE)
    with pytest.raises(ValueError, match="scale x"):
        model.learn_one({"x": 1e150}, "b")
    with pytest.raises(ValueError, match="nan"):
        model.learn_one({"x": math.nan}, "b")
    assert not model._forest.d


def test_leaves_of_equal_x_are_not_split_again() -> None:
    model = forest.ExtraTrees(TREE, n_trees=2)
    n = 5_000
    model.learn_many(np.ones((n, 20)), ["b", "c"] * (n // 2))
    assert model.predict_proba_one(dict.fromkeys(range(20), 1.0))["b"] == pytest.approx(
        0.5, abs=0.01
    )
