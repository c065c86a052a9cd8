"""H-AROW with weights of 14 bits and variances of 10."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river_hier._core.reference import rounding

import oracles
from river_hier import OpenTaxonomy, Taxonomy, base, decision, inspection, linear_model, metrics
from river_hier.datasets import synth
from support.backends import both, running_on
from support.comparison import NEAR, assert_near, assert_same_weights
from support.hypothesis_settings import n_examples
from support.strategies import multilabel_streams, parents_of, sample_weights

TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
WIDE = Taxonomy.from_nested({"r": {f"n{i}": [f"m{i}", f"k{i}"] for i in range(60)}})
CONSTANT = ("the constant feature",)
Example = tuple[dict[str, float], set[Any]]


def stream_of(taxonomy: Taxonomy, n: int, seed: int = 1, size: float = 1.0) -> list[Example]:
    rng = random.Random(seed)
    labels = taxonomy.nodes[1:]
    return [
        ({f"f{rng.randrange(30)}": size * rng.gauss(0, 1) for _ in range(6)}, {rng.choice(labels)})
        for _ in range(n)
    ]


def harow(taxonomy: Any = TREE, **parameters: Any) -> Any:
    return linear_model.HAROW(taxonomy, dtype="float16", **parameters)


def taught(model: Any, stream: list[Example]) -> Any:
    for x, y in stream:
        model.learn_one(x, y)
    return model


@both
@pytest.mark.parametrize("forgetting", [1.0, 0.9])
@given(
    data=multilabel_streams(),
    pickle_at=st.integers(0, 25),
    weights=sample_weights,
    seed=st.sampled_from([0, 1, 2**64 - 1]),
    intercept=st.sampled_from([0.0, 0.5]),
)
@n_examples(60)
def test_oracle(
    backend: str,
    forgetting: float,
    data: Any,
    pickle_at: int,
    weights: Any,
    seed: int,
    intercept: float,
) -> None:
    taxonomy, stream = data
    theirs = oracles.CompactHAROW(parents_of(taxonomy), forgetting=forgetting, seed=seed)
    with running_on(backend):
        ours = harow(taxonomy, forgetting=forgetting, seed=seed, intercept=intercept)
        for step, (given_x, y) in enumerate(stream):
            x = {CONSTANT: intercept, **given_x} if intercept else given_x
            scores = theirs.scores(x)
            assert_near(ours.score_one(given_x), scores)
            if any(abs(abs(score) - 1.0) < NEAR for score in scores.values()):
                return  # rounding decides whether the margin is met
            ours.learn_one(given_x, y, w=weights[step])
            theirs.learn(x, y, weights[step])
            assert_same_weights(ours.weights, {v: theirs.w[v] | {CONSTANT: 0.0} for v in theirs.w})
            if step == pickle_at:
                ours = pickle.loads(pickle.dumps(ours))


GRID = ((np.arange(2.0**12) + 0.5) * 2.0**20).astype(np.uint64)  # 4,096 numbers of 32 bits


@given(w=st.floats(-65408.0, 65408.0) | st.floats(-1e-4, 1e-4) | st.floats(0, 1).map(math.exp))
@n_examples(300)
def test_the_mean_of_rounded_weights_is_exact(w: float) -> None:
    codes = rounding.encode(np.full(len(GRID), w), rounding.WEIGHTS, GRID << np.uint64(32))
    rounded = rounding.decode(codes)
    neighbours = np.unique(rounded)
    assert len(neighbours) <= 2
    distance = 2.0 ** (math.floor(math.log2(abs(w) + 2.0**-16)) - 8)
    assert np.ptp(neighbours) <= distance
    assert rounded.mean() == pytest.approx(w, rel=1e-12, abs=distance / len(GRID))


@given(variance=st.floats(2.0**-16 * 65 / 64, 1.0))
@n_examples(300)
def test_the_mean_of_rounded_variances_is_exact(variance: float) -> None:
    s = variance - 1.0
    codes = rounding.encode(np.full(len(GRID), s), rounding.VARIANCES, GRID)
    found = 1.0 + rounding.decode(codes)
    assert len(np.unique(found)) <= 2
    assert abs(found - variance).max() <= variance / 64
    assert found.mean() == pytest.approx(variance, rel=1e-12, abs=variance / 64 / len(GRID))


def test_stored_numbers_are_not_changed() -> None:
    weights = np.arange(-(2**13) + 1, 2**13, dtype=rounding.WEIGHTS)
    variances = np.arange(2**10, dtype=rounding.VARIANCES)
    assert rounding.decode(weights)[[0, -1]].tolist() == [2.0**-16 - 65408.0, 65408.0 - 2.0**-16]
    assert rounding.decode(variances)[[0, -1]].tolist() == [0.0, 65 * 2.0**-22 - 1.0]
    for random_number in (0, int(rounding.NEAREST), 2**64 - 1):
        bits = np.uint64(random_number)
        for codes in (weights, variances):
            again = rounding.encode(rounding.decode(codes), codes.dtype, bits)
            assert (again == codes).all()


def test_random_numbers_are_uniform_and_independent() -> None:
    draws = np.arange(4096, dtype=np.uint32)
    bits = np.stack([rounding.dither(seed, draws, 3) for seed in range(4)])
    for part in (bits >> np.uint64(32), bits & np.uint64(0xFFFFFFFF)):
        u = part * 2.0**-32
        for numbers in u.reshape(-1, len(draws)):  # of one seed and one feature
            counts = np.histogram(numbers, 16, (0.0, 1.0))[0]
            assert ((counts - 256.0) ** 2 / 256.0).sum() < 45.0  # chi squared: p = 0.0001
            assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.07
        assert abs(np.corrcoef(u[:, 0])[0, 1:]).max() < 0.07
    high, low = (part.ravel() for part in (bits >> np.uint64(32), bits & np.uint64(0xFFFFFFFF)))
    assert abs(np.corrcoef(high.astype(float), low.astype(float))[0, 1]) < 0.02


@both
def test_small_steps_add_up(backend: str) -> None:
    """Steps below half of the distance of neighbours, which the nearest number would lose."""
    with running_on(backend):
        exact, *found = (
            linear_model.HAROW(TREE, r=2e3, intercept=0.0, dtype=dtype, seed=seed)
            for dtype, seed in [("float64", 0), *(("float16", seed) for seed in range(20))]
        )
        for model in (exact, *found):
            model._w.rows = rows(model.dtype, [0.75, 0.75])
            model._features.insert({"x": 1.0})
            for _ in range(300):
                model.learn_one({"x": 1.0}, {"b"})
        w = exact.weights["a"]["x"]
        mean = np.mean([model.weights["a"]["x"] for model in found])
        assert w > 0.78
        assert mean == pytest.approx(w, abs=9e-3)  # five standard errors


def rows(dtype: str, values: list[float]) -> Any:
    """The weights of a feature, all with variance 1."""
    n = len(values)
    kinds = (rounding.WEIGHTS, rounding.VARIANCES) if dtype == "float16" else (dtype, dtype)
    pairs = zip([values, [0.0] * n], kinds, strict=True)
    numbers = [rounding.encode(np.array(plane), np.dtype(kind)) for plane, kind in pairs]
    return np.array([0, n]), np.arange(1, 1 + n, dtype=np.uint32), *numbers


@both
@pytest.mark.parametrize("taxonomy", [TREE, WIDE], ids=["small", "large"])
@pytest.mark.parametrize("parameters", [{}, {"n_features": 16}, {"forgetting": 0.9}])
def test_batches_are_loops(backend: str, taxonomy: Taxonomy, parameters: Any) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8))
    ys = [{rng.choice(taxonomy.nodes[1:])} for _ in X]
    with running_on(backend):
        one, many = (harow(taxonomy, seed=5, **parameters) for _ in range(2))
        for row, y in zip(X.tolist(), ys, strict=True):
            one.learn_one(dict(enumerate(row)), y)
        many.learn_many(X[:25], ys[:25])
        many = pickle.loads(pickle.dumps(many))
        many.learn_many(X[25:], ys[25:])
        assert one._w.__reduce__()[1][2:4] == many._w.__reduce__()[1][2:4]
        assert one.weights == many.weights
        assert (one._w.draws == many._w.draws).all()
        x = dict(enumerate(X[0].tolist()))
        assert one.score_one(x) == many.score_one(x)
        dense = many.predict_proba_many(np.repeat(X, 200, axis=0))  # by matrix products
        for label in taxonomy.nodes[1:4]:
            place = taxonomy.index(label) - 1
            near = many.predict_proba_one(x)[label][True]
            assert dense[0][place] == pytest.approx(near, abs=1e-5)


@both
def test_a_seed_decides(backend: str) -> None:
    stream = stream_of(TREE, 100)
    with running_on(backend):
        seven, again, eight = (taught(harow(seed=seed), stream) for seed in (7, 7, 8))
        assert seven.weights == again.weights != eight.weights
        for label, w in seven.weights.items():
            assert list(w.values()) == pytest.approx(list(eight.weights[label].values()), abs=0.1)
        fresh = taught(seven.clone(), stream)
        assert fresh.seed == 7
        assert fresh.weights == seven.weights
        kept = seven.clone(include_attributes=True)
        assert taught(kept, stream).weights == taught(seven, stream).weights
    for bad in (-1, 1.5, None, "0"):
        with pytest.raises((TypeError, ValueError), match="`seed` must be"):
            harow(seed=bad)


@both
def test_a_node_does_not_depend_on_the_others(backend: str) -> None:
    """Rounding neither, so that shards, flat counterparts and grown taxonomies agree."""
    stream = stream_of(TREE, 200)
    with running_on(backend):
        model = taught(harow(), stream)
        alone = Taxonomy([("r", "z"), ("r", "y"), ("r", "a")])
        other = harow(alone)
        for x, y in stream:
            other.learn_one(x, {"a"} if y & {"a", "b", "c"} else set())
        assert other.weights["a"] == model.weights["a"]


@both
@pytest.mark.parametrize("n", [3, 90])
def test_growing_and_adoption_keep_weights(backend: str, n: int) -> None:
    with running_on(backend):
        model = harow(OpenTaxonomy())
        taught(model, [(x, {("a", f"l{i % n}")}) for i, (x, _) in enumerate(stream_of(TREE, 200))])
        assert len(model.taxonomy_) == n + 2
        closed = taught(harow(TREE), stream_of(TREE, 200))
        before, draws = closed.weights, closed._w.draws.copy()
        after = Taxonomy.from_nested({"r": {"d": ["e", "new"], "a": ["c"]}})
        twin = pickle.loads(pickle.dumps(closed))
        closed.adopt(after, {"b": "c"})
        for label in ("a", "d", "e"):
            assert closed.weights[label] == before[label]
            assert closed._w.draws[after.index(label)] == draws[TREE.index(label)]
        merged = {f: (before["b"].get(f, 0) + before["c"].get(f, 0)) / 2 for f in before["b"]}
        for feature, value in merged.items():
            assert closed.weights["c"].get(feature, 0.0) == pytest.approx(
                value, rel=2.0**-9, abs=1e-7
            )
        more = stream_of(after, 50, seed=9)
        assert (
            taught(twin, [(x, {"a"}) for x, _ in more]).weights["d"]
            == (taught(closed, [(x, {"a"}) for x, _ in more]).weights["d"])
        )
        closed.forget("d")
        assert closed.weights["e"] == {}


@both
def test_averages_are_those_of_the_rounded_hypotheses(backend: str) -> None:
    stream = [(x, {"a"}) for x, _ in stream_of(TREE, 60)]
    with running_on(backend):
        averaged = linear_model.Averaged(harow())
        alone, hypotheses = harow(), [dict[str, float]()]
        for x, y in stream:
            averaged.learn_one(x, y)
            alone.learn_one(x, y)
            hypotheses.append(alone.weights["a"])
        assert averaged.last.weights == alone.weights
        for name, value in averaged.weights["a"].items():
            mean = np.mean([w.get(name, 0.0) for w in hypotheses])
            assert value == pytest.approx(mean, abs=1e-5)


@both
def test_compositions(backend: str) -> None:
    """Calibration, decoding, explanations and rankings read compact weights as any others."""
    with running_on(backend):
        model = decision.HLossBayes(decision.Calibrated(harow(WIDE)))
        stream = stream_of(WIDE, 120)
        taught(model, stream)
        alone, (x, _) = taught(harow(WIDE), stream), stream[0]
        for label, why in inspection.explain_one(alone, x).items():
            contributions = sum(number for _, number in why.contributions)
            assert contributions == pytest.approx(alone.score_one(x)[label], abs=1e-9)
        assert alone.predict_labels_one(x) == [v for v, on in alone.predict_one(x).items() if on]
        assert len(inspection.top_one(alone, x, 3)) == 3
        assert alone.intercepts["n3"] != 0.0


@both
def test_numbers_out_of_range(backend: str) -> None:
    with running_on(backend):
        model = harow(intercept=0.0, r=1e-12)
        model.learn_one({"x": 1e-6}, {"a"})  # which would move the weight by a million
        assert model.weights["a"]["x"] == 65408.0 - 2.0**-16
        assert model.weights["d"]["x"] == 2.0**-16 - 65408.0
        assert all(math.isfinite(score) for score in model.score_one({"x": 1e14}).values())
        before = pickle.dumps(model)
        for call in (lambda x: model.learn_one(x, {"a"}), model.predict_one, model.score_one):
            with pytest.raises(ValueError, match='too large for weights of dtype "float16"; scale'):
                call({"x": 1e16})
        assert pickle.dumps(model) == before


def test_other_learners_refuse_it() -> None:
    for cls in (linear_model.HPerceptron, linear_model.Hieron, linear_model.PathSoftmax):
        with pytest.raises(ValueError, match="got 'float16'; \"float16\" is for learners with var"):
            cls(TREE, dtype="float16")
    with pytest.raises(ValueError, match='must be "float64", "float32" or "float16", got \'half\''):
        linear_model.HAROW(TREE, dtype="half")


@both
def test_rules_of_users(backend: str) -> None:
    class Mine(base.TopDownLearner):
        second_order = True

        def rule(self, score: Any, y: Any, norm2: float, variance: Any = None) -> Any:
            return (y - score) / (variance + 1.0), 1.0 / (variance + 1.0)

        def learns(self, score: Any, y: Any) -> Any:
            return y * score < 1.0

    stream = stream_of(WIDE, 80)
    with running_on(backend):
        mine = taught(Mine(WIDE, dtype="float16"), stream)
        assert mine.weights == taught(harow(WIDE, intercept=0.0), stream).weights


@both
def test_damaged_pickles(backend: str) -> None:
    with running_on(backend):
        w = taught(harow(), stream_of(TREE, 10))._w
        restore, (*state, means, s, (seed, draws)) = w.__reduce__()
        again = restore(*state, means, s, (seed, draws))
        assert pickle.dumps(again) == pickle.dumps(w)
        bad: list[Any] = [(means, s), (means, s, (seed, draws[1:])), (means,), (means, s[1:])]
        bad += [(means, s, (seed, draws.astype(float))), (means, s, (-1, draws))]
        bad += [(means, s.astype(np.uint8), (seed, draws)), (means, (seed, draws))]
        bad += [(means.astype(np.float16), s, (seed, draws))]
        bad += [(np.full_like(means, code), s, (seed, draws)) for code in (2**13, -(2**15))]
        bad += [(means, np.full_like(s, 2**10), (seed, draws))]
        for parts in bad:
            with pytest.raises(ValueError, match="this pickle of a GaussianWeights is damaged"):
                restore(*state, *parts)
        with pytest.raises(ValueError, match="damaged"):
            restore("Weights", *state[1:], means, (seed, draws))


@both
def test_memory(backend: str) -> None:
    stream = stream_of(WIDE, 300)
    with running_on(backend):
        compact, double = (taught(m, stream) for m in (harow(WIDE), linear_model.HAROW(WIDE)))
        assert compact._w.n_bytes < 0.45 * double._w.n_bytes


@both
def test_losses_are_those_of_double_precision(backend: str) -> None:
    taxonomy = TREE
    stream = list(synth.LinearLabels(taxonomy, n_features=5, seed=42).take(600))
    with running_on(backend):
        found = []
        for model in (linear_model.HAROW(taxonomy), harow(taxonomy)):
            loss = metrics.HLoss(taxonomy)
            for x, y in stream:
                loss.update(y, model.predict_one(x))
                model.learn_one(x, y)
            found.append(loss.get())
    assert found[1] == pytest.approx(found[0], abs=0.01)
