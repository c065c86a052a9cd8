"""Numbers from 1e-308 to 1e308: an example is refused, or the model stays finite."""

import math
import pickle
import random
import re
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from river import base

from river_hier import (
    Taxonomy,
    decision,
    distributed,
    drift,
    evaluate,
    forest,
    induction,
    kernel,
    linear_model,
    local,
    probabilistic,
)
from river_hier import base as base_models
from river_hier._core import LinearState
from support.hypothesis_settings import n_examples
from support.makers import LEARNERS, TABLE
from support.public_api import LABELS, dense, estimators, one_label

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
N_FEATURES = 3
# They have classifiers of River inside, which may overflow by themselves; here, ours.
OTHERS = ("local.", "decision.TreeBayes", "induction.")


class Perceptron(base_models.PathLearner):
    """A learner in Python, with steps of the size of 1e300."""

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        return 1e300


def models() -> dict[str, Any]:
    found = {name: model for name, model in estimators().items() if not name.startswith(OTHERS)}
    single = {name: m for name, m in estimators(dtype="float32").items() if name in found}
    found |= {f"{name}, float32": model for name, model in single.items()}
    # Those of the table but the ones with classifiers of River; float32 comes from the classes.
    found |= {name: row(TREE) for name, row in TABLE.items() if "bad x" not in row.refuses}
    hieron = linear_model.Hieron(TREE, dtype="float32")
    found |= {
        "tree of hieron": decision.TreeBayes(hieron.clone(), TREE),
        "average of hieron": linear_model.Averaged(hieron.clone()),
        "reset of hieron": drift.BranchReset(hieron.clone()),
        "calibrated average": decision.Calibrated(
            linear_model.Averaged(linear_model.HAROW(TREE, dtype="float32"))
        ),
        "kernel, rbf": kernel.Hieron(TREE, kernel=kernel.RBF()),
        "kernel, budget": kernel.AveragedHieron(TREE, budget=3),
        "of a user": Perceptron(TREE),
        "discriminant": probabilistic.LinearDiscriminant(TREE),
        "per node": local.PerNode(linear_model.PathSoftmax(), TREE),
        "per parent": local.PerParent(linear_model.PathSoftmax(), TREE),
        "per level": local.PerLevel(probabilistic.LinearDiscriminant(), TREE),
        "decomposition": induction.BinaryDecomposition(linear_model.PathSoftmax()),
        "soft decomposition": induction.SoftBinaryDecomposition(linear_model.PathSoftmax()),
        "of a user, float32": Perceptron(TREE, dtype="float32"),
    }
    return {
        name: model
        for name, model in found.items()
        if isinstance(model, base.Classifier | base.MultiLabelClassifier)
    }


MODELS = models()
OF_BATCHES = [name for name, model in MODELS.items() if hasattr(model, "learn_many")]

exponents = st.floats(-308.0, 308.0)
powers = exponents.map(lambda exponent: 10.0**exponent)
values = st.one_of(st.just(0.0), st.floats(-2.0, 2.0), powers, powers.map(lambda value: -value))
rows = st.lists(values, min_size=N_FEATURES, max_size=N_FEATURES)
weights = st.one_of(st.just(1.0), powers)
streams = st.lists(st.tuples(rows, st.sampled_from(LABELS), weights), min_size=1, max_size=6)


def single(model: Any) -> bool:
    return one_label(getattr(model, "model", model))  # a `BranchReset` wraps models of both kinds


def learn(model: Any, row: list[float], y: str, w: float) -> bool:
    """Learn from an example; False, with nothing changed, if it is refused."""
    before = pickle.dumps(model)
    try:
        model.learn_one(dict(enumerate(row)), y if single(model) else {y}, w=w)
    except ValueError:
        assert pickle.dumps(model) == before
        return False
    return True


def assert_finite(model: Any) -> None:
    for row in ([1.0, 1.0, 1.0], [-1.0, 0.0, 2.0]):
        x = dict(enumerate(row))
        answer = model.predict_one(x)
        if isinstance(model, evaluate.Probabilities | evaluate.Ranked):
            assert all(map(math.isfinite, answer.values()))
            continue
        for p in model.predict_proba_one(x).values():
            for one in p.values() if isinstance(p, dict) else [p]:
                assert 0.0 <= one <= 1.0 + 1e-9
    if hasattr(model, "learn_many"):
        many = np.asarray(model.predict_proba_many(np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 2.0]])))
        assert np.isfinite(many).all()
    if hasattr(model, "score_one"):
        assert all(map(math.isfinite, model.score_one({0: 1e10, 1: -1e-10}).values()))
    if hasattr(model, "weights"):
        assert all(math.isfinite(w) for node in model.weights.values() for w in node.values())


TINY = ([1e-40, 0.0, 0.0], "path", 1.0)
HEAVY = ([1.0, 2.0, 0.0], "sky", 1e39)
EXTREME = ([1.0, 2.0, 0.0], "sky", 1e300)
HUGE = ([1e144, 1e-140, 1.0], "grass", 1.0)
TINIEST = ([1e-149, 0.0, 0.0], "cement", 1e12)
TINY_SCORES = [
    ([1.0, 0.0, 0.0], "path", 1.0),
    ([1e-160, 0.0, 1.0], "sky", 1.0),
    ([0.0, 0.0, 0.0], "path", 1e6),
]


@pytest.mark.slow(but=8)
@pytest.mark.parametrize("name", MODELS)
@n_examples(60)
@given(stream=streams)
@example(stream=[TINY])
@example(stream=[HEAVY])
@example(stream=[EXTREME])
@example(stream=TINY_SCORES)
@example(stream=[TINIEST, HUGE, TINY, ([1.0, 1.0, 1.0], "sky", 1.0)])
def test_an_example_is_refused_or_the_model_stays_finite(name: str, stream: Any) -> None:
    model = MODELS[name].clone()
    for row, y, w in stream:
        learn(model, row, y, w)
    assert_finite(model)
    for _ in range(5):  # and goes on learning
        learn(model, [1.0, -0.5, 0.25], "path", 1.0)
    assert_finite(model)


# Magnitudes that are lost in one another, up to the largest that are not refused.
MAGNITUDES = [0.0, 5e-324, 1e-160, 1e-149, 1e-100, 1e-10, 1.0, 1.0, 3.0, 1e100, 1e130, 1e144, 1e153]


@pytest.mark.slow(but=40)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_a_model_stays_finite_in_forty_examples(name: str, seed: int) -> None:
    rng, model = random.Random(seed), MODELS[name].clone()
    sizes = [
        size ** (0.1 if "float32" in name else 1.0) for size in MAGNITUDES[-4 if seed == 0 else 0 :]
    ]
    for _ in range(40):
        row = [
            rng.choice(sizes) * rng.choice([-1.0, 1.0, rng.random()]) for _ in range(3 * seed + 1)
        ]
        w = rng.choice([1.0, 10 ** rng.uniform(-6.0, 6.0)])
        learn(model, row, rng.choice(LABELS), w)
    assert_finite(model)


@pytest.mark.slow(but=8)
@pytest.mark.parametrize("name", OF_BATCHES)
@n_examples(30)
@given(stream=streams)
@example(stream=[HEAVY, HEAVY])
@example(stream=[([1.0, 1.0, 1.0], "sky", 1.0), EXTREME])
@example(stream=[TINY, HUGE])
def test_a_batch_is_refused_as_its_rows_are(name: str, stream: Any) -> None:
    loop, batch = MODELS[name].clone(), MODELS[name].clone()
    learned = [*takewhile(bool, (learn(loop, *one) for one in stream))]
    X, ys, w = (list(part) for part in zip(*stream, strict=True))
    arguments = np.array(X), ys if single(batch) else [{y} for y in ys], w
    if len(learned) == len(stream):
        batch.learn_many(*arguments)
    else:
        with pytest.raises(ValueError, match=f"row {len(learned)}: ") as refused:
            batch.learn_many(*arguments)
        assert vars(refused.value)["n_learned"] == len(learned)
    assert_finite(batch)


@pytest.mark.parametrize(
    ("make", "limit"),  # of w times the squared norm, as docs/trust.md has it
    [
        (probabilistic.LinearDiscriminant, 1e290),
        (probabilistic.DiscriminantNeighbors, 1e290),
        (forest.ExtraTrees, 1e290),
        (forest.MultilabelExtraTrees, 1e290),
        (probabilistic.NewtonSoftmax, 1e10),
        (linear_model.HRLS, 1e12),
        (linear_model.SHRLS, 1e12),
        (kernel.HRLS, 1e12),
        (kernel.SHRLS, 1e12),
    ],
)
def test_the_weight_of_a_row_counts_for_its_limit(make: Any, limit: float) -> None:
    X = np.sqrt([[0.5 * limit], [0.2 * limit], [0.1 * limit]])
    for model in (make(), make(Taxonomy.flat(["a", "b"]))):  # rows alone, and as a slice
        with pytest.raises(ValueError, match=r"row 1: .*(overflow|lost in rounding)"):
            model.learn_many(X, ["a", "b", "a"], w=[1.0, 8.0, 8.0])
        with pytest.raises(ValueError, match=r"overflow|lost in rounding"):
            model.learn_one({0: float(X[1, 0])}, "b", w=8.0)
        model.learn_many(X[1:], ["b", "a"], w=[4.0, 8.0])


@pytest.mark.parametrize("name", OF_BATCHES)
def test_the_largest_weight_of_an_example(name: str) -> None:
    model = MODELS[name].clone()
    x, y = dense(model, random.Random(1))
    for w in (2e12, 1e39, math.inf):
        with pytest.raises(ValueError, match=r"`w`, .* must be between 0 and 1e\+12, got"):
            model.learn_one(x, y, w=w)
        with pytest.raises(ValueError, match=r"row 1: `w`, .* must be between 0 and 1e\+12, got"):
            model.learn_many(np.array([list(x.values())] * 2), [y] * 2, w=[1.0, w])


@pytest.mark.parametrize("name", estimators(dtype="float32"))
@pytest.mark.parametrize(("dtype", "limit"), [("float64", 1e290), ("float32", 1e30)])
def test_linear_learners_refuse_large_squared_norms(name: str, dtype: str, limit: float) -> None:
    model = estimators(dtype=dtype)[name]
    x, y = {"new": math.sqrt(limit) * 1.01}, "sky" if one_label(model) else {"sky"}
    before = pickle.dumps(model)
    said = f'too large for weights of dtype "{dtype}", which take at most {limit:.0e}; scale x'
    many = pd.DataFrame([x])
    calls = [
        lambda: model.learn_one(x, y),
        lambda: model.learn_many(many, [y]),
        lambda: model.predict_one(x),
        lambda: model.predict_many(many),
        lambda: model.predict_proba_many(many),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=re.escape(said)):
            call()
    assert pickle.dumps(model) == before
    model.learn_one({"new": math.sqrt(limit) * 0.99}, y)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1e-140, 1e-40, 1e-3])
def test_a_step_moves_weights_up_to_a_limit(dtype: str, size: float) -> None:
    model = linear_model.Hieron(TREE, math.inf, dtype=dtype)
    model.learn_one({"a": size}, "sky")
    largest = {"float64": 1e140, "float32": 1e20}[dtype]
    step = 1.0 / (math.sqrt(2.0) * size)  # of both nodes, to a margin of the root of 2
    for label in ("up", "sky"):
        found = model.weights[label]["a"]
        assert found == pytest.approx(min(step, largest), rel=1e-6)


@pytest.mark.parametrize("name", ["PathSoftmax", "HierarchicalSoftmax"])
def test_so_does_a_step_of_a_softmax(name: str) -> None:
    model = LEARNERS[name](Taxonomy.flat(["a", "b"])).clone({"intercept": 0.0})
    *before, _, average, learned = model._state.saved()
    rows = [np.array([0, 2]), np.array([2, 4], np.uint32), np.array([1e135, -1e135]), -np.ones(2)]
    labels, _, *rest = before
    model._state = LinearState(labels, [0], *rest, rows, average, learned)
    model.learn_one({0: 1e144, 1: 1e136}, "b")
    assert 0.0 < model.weights["b"][1] < 1e133  # 1e140 / |x| times x


@pytest.mark.parametrize("name", ["HAROW", "PathSoftmax", "HierarchicalSoftmax"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("width", [1, 200])  # of dense rows, and of sparse ones
def test_no_variance_is_lost_in_rounding(name: str, dtype: str, width: int) -> None:
    rng = random.Random(1)
    taxonomy = TREE.extend([("down", "wall"), *(("wall", i) for i in range(width))])
    models = [LEARNERS[name](taxonomy).clone({"dtype": dtype}) for _ in range(3)]
    for model in models[:2]:
        for i in range(80):  # one feature, then many
            names = [rng.randrange(8)] if i < 60 else range(8)
            x = {name: 1e12 * rng.random() for name in names}
            model.learn_one(x, LEARNERS[name].y(rng.choice(["path", "grass"])), w=1e6)
    for model in [*models[:2], distributed.merge(models[:2], models[2])]:
        *_, weights, variances = model._state.saved()[7]  # less 1
        assert abs(weights).max() < 1e3
        assert variances.min() > -1.0
        assert variances.max() <= 0.0


def test_a_rule_that_returns_nan_is_refused() -> None:
    class Broken(base_models.TopDownLearner):
        def rule(self, score: Any, y: Any, norm2: float, variance: Any = None) -> Any:
            return score + math.nan

    with pytest.raises(ValueError, match="`rule` of Broken must return numbers, got"):
        Broken(TREE).learn_one({"a": 1.0}, {"sky"})
