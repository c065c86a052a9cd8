"""`PathSoftmax` and `HierarchicalSoftmax` beside their oracles, and what they promise."""

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

import oracles
from river_hier import Below, Not, OpenTaxonomy, Taxonomy, inspection, linear_model
from support.comparison import NEAR, assert_near, assert_same_weights, near_the_top
from support.hypothesis_settings import n_examples
from support.strategies import extensions, parents_of, sample_weights, single_label_streams

TREE = Taxonomy.from_nested({"a": {"b": ["c", "d"], "e": []}, "f": ["g"]})


def without_constant(weights: Any) -> dict[Any, dict[Any, float]]:
    return {v: {k: c for k, c in w.items() if k != "constant"} for v, w in weights.items()}


ORACLES = {kind.__name__: kind for kind in (oracles.PathSoftmax, oracles.HierarchicalSoftmax)}
BOTH = pytest.mark.parametrize("name", ORACLES)


@BOTH
@given(
    data=single_label_streams(),
    pickle_at=st.integers(0, 25),
    prior_variance=st.sampled_from([64.0, 1.0, 0.1]),
    forgetting=st.sampled_from([1.0, 1.0, 0.9, 0.1]),
    margin=st.sampled_from([0.0, 1.0, 0.3]),
    weights=sample_weights,
)
@n_examples(100)
def test_it_equals_the_oracle(
    name: str,
    data: Any,
    pickle_at: int,
    prior_variance: float,
    forgetting: float,
    margin: float,
    weights: Any,
) -> None:
    taxonomy, stream = data
    parameters = {"prior_variance": prior_variance, "forgetting": forgetting}
    if name == "PathSoftmax":
        parameters["margin"] = margin
    value = 0.0 if pickle_at % 2 else 0.3  # of the intercept
    theirs: Any = ORACLES[name](parents_of(taxonomy), **parameters)
    ours = getattr(linear_model, name)(taxonomy, intercept=value, **parameters)
    for step, (x, y) in enumerate(stream):
        full = {**x, "constant": value}
        scores = theirs.scores(full)
        assert_near(ours.score_one(x), scores)
        proba = ours.predict_proba_one(x)
        assert_near(proba, theirs.predicted(full))
        if len(near_the_top(scores)) == 1:
            assert ours.predict_one(x) == theirs.predict(full)
        gaps = theirs.missing(full, y)
        if any(abs(abs(gap) - 0.01) < NEAR for gap in gaps.values()):
            return  # rounding decides which vectors move
        ours.learn_one(x, y, w=weights[step])
        theirs.learn(full, y, weights[step])
        assert_same_weights(ours.weights, without_constant(theirs.w))
        assert_same_weights(ours.own_weights, without_constant(theirs.own))
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


def in_python(name: str) -> Any:
    """A class that computes the rule in Python instead of by the compiled policy."""
    kind: Any = getattr(linear_model, name)

    class InPython(kind):  # type: ignore[misc]
        close = False

        def learns(self, p: Any, t: Any) -> Any:
            self.close = self.close or bool((np.abs(np.abs(t - p) - 0.01) < NEAR).any())
            return super().learns(p, t)

    assert InPython._policy is None
    assert kind._policy is not None
    return InPython


@BOTH
@given(
    data=single_label_streams(),
    more=st.data(),
    forgetting=st.sampled_from([1.0, 0.9]),
    margin=st.sampled_from([0.0, 1.0]),
    dtype=st.sampled_from(["float64", "float32"]),
    weights=sample_weights,
)
@n_examples(100)
def test_the_rule_in_python_equals_the_compiled_policy(
    name: str, data: Any, more: Any, forgetting: float, margin: float, dtype: str, weights: Any
) -> None:
    taxonomy, stream = data
    parameters: dict[str, Any] = {"forgetting": forgetting, "dtype": dtype}
    if name == "PathSoftmax":
        parameters["margin"] = margin
    ours = in_python(name)(taxonomy, **parameters)
    theirs = getattr(linear_model, name)(taxonomy, **parameters)
    near = NEAR if dtype == "float64" else 1e-4
    grown = more.draw(extensions(taxonomy))
    labels = more.draw(st.lists(st.sampled_from(grown.nodes), min_size=5, max_size=5))
    later = [(x, y) for (x, _), y in zip(stream[::-1], labels, strict=False)]
    for step, (x, y) in enumerate([*stream[:20], *later]):
        if step == len(stream[:20]):
            ours.adopt(grown)
            theirs.adopt(grown)
        kind = more.draw(st.sampled_from((None, None, Below, Not)))
        if kind is not None and (kind is Below or y != taxonomy.root):
            y = kind(y)
        ours.learn_one(x, y, w=weights[step])
        theirs.learn_one(x, y, w=weights[step])
        if ours.close:
            return  # rounding decides which vectors move
        for kind in ("weights", "own_weights"):
            for label, w in getattr(theirs, kind).items():
                assert getattr(ours, kind)[label] == pytest.approx(w, abs=near, rel=near)
        assert ours._unseen == theirs._unseen
        assert ours._state.n == theirs._state.n
        assert ours._state.learned == pytest.approx(theirs._state.learned, rel=near)


@BOTH
def test_parts_of_labels_in_python_equal_the_compiled_policy(name: str) -> None:
    t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"], "f": ["g", "h"]}, "i": ["j", "k"]}})
    ours, theirs, rng = in_python(name)(t), getattr(linear_model, name)(t), random.Random(1)
    for step in range(60):
        x, y = {f: rng.gauss(0.0, 1.0) for f in "uvw"}, rng.choice(t.nodes[1:])
        other = Not(rng.choice([v for v in t.nodes if v not in t.path(y)]))
        known = (y, Below(y), Not(y), Below(t.path(y)[1]) & other)[step % 4]
        for model in (ours, theirs):
            model.learn_one(x, known, w=0.5 + step % 3)
        assert ours.score_one(x) == pytest.approx(theirs.score_one(x), abs=1e-6)
        for kind in ("weights", "own_weights"):
            for label, w in getattr(theirs, kind).items():
                assert getattr(ours, kind)[label] == pytest.approx(w, abs=1e-6)


@pytest.mark.parametrize("margin", [-1.0, math.inf, math.nan])
def test_margins_are_finite(margin: float) -> None:
    with pytest.raises(ValueError, match="`margin` must be finite and at least 0, got"):
        linear_model.PathSoftmax(TREE, margin=margin)


def test_a_subclass_runs_its_own_rule() -> None:
    class Still(linear_model.PathSoftmax):
        def rule(self, *args: Any) -> Any:
            return 0.0 * args[3], 0.0 * args[3]

    class Torn(linear_model.PathSoftmax):
        def rule(self, *args: Any) -> Any:
            return 0.0, 0.0

    model = Still(TREE)
    model.learn_one({"x": 1.0}, "c")
    assert not any(model.weights.values())
    with pytest.raises(
        ValueError, match="`rule` of Torn must return a move for each of the 11 vectors"
    ):
        Torn(TREE).learn_one({"x": 1.0}, "c")
    for cls in (linear_model.PathSoftmax, linear_model.HierarchicalSoftmax):
        with pytest.raises(TypeError, match="`rival` of Lost would not be called"):
            type("Lost", (cls,), {"rival": lambda *_: 0})


def mode(model: Any, x: dict[str, float], y: str) -> dict[Any, float]:
    """The scores of x after the most probable change of all weights, by a general optimiser."""
    t = model.taxonomy_
    oracle = oracles.PathSoftmax(parents_of(t))
    sets = [np.array([v in some for v in t.nodes], dtype=float) for some in oracle.sets.values()]
    columns = [
        2 * t.index(v) + (kind == "own") for kind, v in oracle.sets
    ]  # where the model keeps each vector
    vector = model._features.find(x)
    variance = model.prior_variance * model._state.variances(vector, np.array(columns))
    before = np.array(list(model.score_one(x).values()))
    A = np.array(sets).T

    def loss(change: Any) -> float:
        s = before + A @ change
        return float(0.5 * (change**2 / variance).sum() + np.logaddexp.reduce(s) - s[t.index(y)])

    best = minimize(loss, np.zeros(len(sets)), method="BFGS", tol=1e-9)
    return dict(zip(t.nodes, before + A @ best.x, strict=True))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("prior_variance", [1.0, 16.0, 64.0])
def test_a_step_ends_near_the_mode_of_the_posterior(prior_variance: float) -> None:
    rng = np.random.default_rng(1)
    gaps = []
    model = linear_model.PathSoftmax(TREE, prior_variance=prior_variance, intercept=0.0)
    for _ in range(60):
        y = TREE.nodes[int(rng.integers(len(TREE)))]
        x = {f"{y}{rng.integers(3)}": 0.7, f"any{rng.integers(5)}": 0.7}
        model.learn_one(dict.fromkeys(x, 0.0), y)  # the names get rows, and nothing moves
        best = np.array(list(mode(model, x, y).values()))
        model.learn_one(x, y)
        p = softmax(list(model.score_one(x).values()))
        q = np.exp(best - np.logaddexp.reduce(best))
        gaps.append(np.abs(p - q).max())
    assert np.mean(gaps) < 0.02
    assert max(gaps) < 0.1


@BOTH
def test_a_label_that_is_met_again_is_more_probable(name: str) -> None:
    for y in TREE.nodes:
        model = getattr(linear_model, name)(TREE)
        last = 0.0
        for _ in range(3):
            p = model.predict_proba_one({"x": 1.0})[y]
            assert last < p
            last = p
            model.learn_one({"x": 1.0}, y)
        assert model.predict_one({"x": 1.0}) == y


@BOTH
def test_no_example_freezes_or_inflates_a_weight(name: str) -> None:
    rng = np.random.default_rng(2)
    model = getattr(linear_model, name)(TREE, forgetting=0.9)
    for i in range(300):
        scale = 10.0 ** rng.integers(-6, 7)
        x = {f"x{j}": scale * float(rng.normal()) for j in rng.integers(0, 8, size=3)}
        y = TREE.nodes[int(rng.integers(len(TREE)))]
        model.learn_one(x, y, w=[1.0, 1e-9, 1e9][i % 3])
        assert np.isfinite(list(model.predict_proba_one(x).values())).all()
    minus_one = model._state.saved()[7][-1]
    assert (minus_one <= 1e-12).all()
    assert (minus_one > -1.0).all()


def test_an_inner_label_has_weights_of_its_own() -> None:
    """Words of a parent alone, and of its children alone: both are learned."""
    examples = [({"plain": 1.0, "b": 1.0}, "b"), ({"striped": 1.0, "b": 1.0}, "c")]
    model = linear_model.PathSoftmax(TREE)
    for x, y in examples * 3:
        model.learn_one(x, y)
    assert [model.predict_one(x) for x, _ in examples] == ["b", "c"]
    assert model.own_weights["b"]["plain"] > 0 > model.own_weights["b"]["striped"]
    assert model.own_weights["c"] == {}
    assert model.weights["b"]["b"] > 0


def test_a_new_child_is_as_probable_as_its_parent() -> None:
    model = linear_model.PathSoftmax(OpenTaxonomy("/"), intercept=0.0)
    for _ in range(3):
        model.learn_one({"x": 1.0}, "a/b")
        model.learn_one({"y": 1.0}, "a/c")
    before = model.predict_proba_one({"x": 1.0})
    model.learn_one({"z": 1.0}, "a/b/d")
    after = model.predict_proba_one({"x": 1.0})
    assert after["a/b/d"] == pytest.approx(after["a/b"], rel=1e-6)
    assert after["a/b"] + after["a/b/d"] > before["a/b"]
    assert model.predict_one({"x": 1.0}) == "a/b"


def test_adopt_and_forget() -> None:
    changed = TREE.extend([("f", "h"), ("e", "i")])
    rng = np.random.default_rng(3)
    model = linear_model.PathSoftmax(TREE, intercept=0.0)
    for _ in range(50):
        y = TREE.nodes[int(rng.integers(len(TREE)))]
        model.learn_one({f"{y}{j}": 0.5 for j in rng.integers(0, 3, size=2)}, y)
    probe = {f"{v}1": 0.5 for v in TREE.nodes}
    before = model.score_one(probe)
    model.adopt(changed)
    after = model.score_one(probe)
    for label in before:
        assert after[label] == pytest.approx(before[label])
    assert after["h"] == pytest.approx(sum(model.weights["f"].get(n, 0) / 2 for n in probe))
    model.learn_one(probe, "h")
    model.forget("e")
    assert model.weights["e"] == model.weights["i"] == model.own_weights["e"] == {}
    model.forget(changed.root)
    assert model.own_weights[changed.root] == {}
    assert set(model.score_one(probe).values()) == {0.0}


@BOTH
def test_matrix_products_give_the_answers_of_single_rows(name: str) -> None:
    rng = np.random.default_rng(4)
    centres = rng.normal(size=(len(TREE), 2000))
    y = rng.integers(len(TREE), size=100)
    X = centres[y] + rng.normal(size=(100, 2000))
    X /= np.linalg.norm(X, axis=1)[:, None]
    labels = [TREE.nodes[v] for v in y]
    model = getattr(linear_model, name)(TREE)
    model.learn_many(X, labels)
    assert model.predict_many(X).tolist() == labels
    rows = [model.predict_proba_one(dict(enumerate(x))) for x in X.tolist()]
    expected = np.array([list(row.values()) for row in rows])
    np.testing.assert_allclose(model.predict_proba_many(X), expected, atol=1e-9)
    assert [model.predict_one(dict(enumerate(x))) for x in X.tolist()] == labels


def test_the_root_of_an_open_flat_taxonomy_is_no_label() -> None:
    model = linear_model.HierarchicalSoftmax()
    for label in "abc" * 3:
        model.learn_one({label: 1.0}, label)
    x = {"a": 0.5, "b": 0.3, "new": 1.0}
    p = model.predict_proba_one(x)
    assert {path[-1]: share for path, share in inspection.top_one(model, x, 4)} == pytest.approx(p)
    assert p["root"] == 0.0
    assert sum(p.values()) == pytest.approx(1.0)


@given(data=single_label_streams(), more=st.data(), k=st.integers(1, 8))
@n_examples(100)
def test_the_search_finds_what_is_best_of_all(data: Any, more: Any, k: int) -> None:
    taxonomy, stream = data
    model = linear_model.HierarchicalSoftmax(taxonomy)
    for x, y in stream[:-1]:
        model.learn_one(x, y)
    model.adopt(more.draw(extensions(taxonomy)))
    x, t = stream[-1][0] if stream else {}, model.taxonomy_
    p = model.predict_proba_one(x)
    whole = {v: sum(p[u] for u in t.nodes if v in t.path(u)) for v in t.nodes}
    leaves = [v for v in t.nodes if not t.children(v)]
    for some, values in (
        ({}, p),
        ({"leaves": True}, {v: p[v] for v in leaves}),
        *(({"depth": d}, {v: whole[v] for v in t.nodes if t.depth(v) == d}) for d in range(3)),
    ):
        found = inspection.top_one(model, x, k, **some)
        best = sorted(values.values(), reverse=True)[:k]
        assert [share for _, share in found] == pytest.approx(best)
        assert [values[path[-1]] for path, _ in found] == pytest.approx(best)
    if len(near_the_top(model.score_one(x))) == 1:
        assert model.predict_one(x) == max(p, key=p.__getitem__)
    threshold = more.draw(st.floats(0.01, 0.99))
    if min(abs(share - threshold) for share in whole.values()) > NEAR:
        answer = model.predict_one(x, threshold=threshold)
        deep = [v for v in t.nodes if whole[v] >= threshold]
        depth = max(map(t.depth, deep))
        likely = {v: whole[v] for v in deep if t.depth(v) == depth}
        assert t.depth(answer) == depth
        assert whole[answer] == pytest.approx(max(likely.values()))
