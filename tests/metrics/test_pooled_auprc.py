"""The pooled precision-recall area: against loops, scikit-learn and its own bounds, in River."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import dummy, preprocessing, utils
from river import evaluate as river_evaluate
from river import linear_model as river_linear_model
from river import metrics as river_metrics
from sklearn.metrics import average_precision_score

import oracles
from oracles.pooled_auprc import Decision
from river_hier import Taxonomy, evaluate, kernel, linear_model, local, metrics
from river_hier.metrics.pooled_auprc import area, bins
from support.hypothesis_settings import n_examples
from support.strategies import multilabels, parents_of, taxonomies

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
any_score = st.floats(allow_nan=False) | st.integers(-4, 4).map(lambda i: i / 2)
weights = st.sampled_from([1.0, 1.0, 0.5, 0.1, 3.0, 0.0])


@st.composite
def streams(draw: st.DrawFn, scores: Any = any_score) -> Any:
    """A taxonomy and (truth, ranking, weight)."""
    taxonomy = draw(taxonomies())
    ranking = st.dictionaries(st.sampled_from(taxonomy.nodes), scores, max_size=9)
    example = st.tuples(multilabels(taxonomy), st.none() | ranking, weights)
    return taxonomy, draw(st.lists(example, min_size=1, max_size=6))


def decisions(taxonomy: Taxonomy, stream: Any, pooled: Any = None) -> list[Decision]:
    """What is pooled, one by one; labels without a score or an answer rank last."""
    parents = parents_of(taxonomy)
    return [
        ((scores or {}).get(v, -math.inf), v in oracles.closure(parents, y), w)
        for y, scores, w in stream
        for v in pooled or taxonomy.nodes[1:]
    ]


def feed(metric: Any, stream: Any) -> Any:
    for example in stream:
        metric.update(*example)
    return metric


@given(stream=streams(st.integers(-4, 4).map(lambda i: i / 2)), data=st.data())
@n_examples(60)
def test_the_area_equals_the_naive_one(stream: Any, data: Any) -> None:
    taxonomy, examples = stream
    ours = feed(metrics.PooledAUPRC(taxonomy), examples).get()
    theirs = oracles.pooled_auprc(decisions(taxonomy, examples), steps=400)
    assert ours == pytest.approx(theirs, abs=2e-3)
    pooled = data.draw(st.sets(st.sampled_from(taxonomy.nodes[1:]), min_size=1))
    ours = feed(metrics.PooledAUPRC(taxonomy, pooled), examples).get()
    theirs = oracles.pooled_auprc(decisions(taxonomy, examples, pooled), steps=400)
    assert ours == pytest.approx(theirs, abs=2e-3)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8),
)
def test_scikit_learn_draws_the_same_curve_in_small_steps(counts: list[tuple[int, int]]) -> None:
    """Each bin in 500 even parts, as many thresholds: its steps become our line."""
    true, false = np.array(counts, dtype=float).T
    if not true.any():
        assert area(true, false) == 0.0
        return
    n = 500
    scores = -np.repeat(np.arange(n * len(counts)), 2)
    weight = np.repeat(np.stack([true, false], axis=1), n, axis=0).ravel()
    theirs = average_precision_score([1, 0] * (n * len(counts)), scores, sample_weight=weight)
    assert area(true, false) == pytest.approx(theirs, abs=0.01)


def test_near_scikit_learn_on_many_decisions() -> None:
    """Where all scores differ, the k-th label that is on adds at most 1 / k more to its steps."""
    rng = np.random.default_rng(1)
    on = rng.random((200, 12)) < 0.2
    scores = rng.normal(size=on.shape) + 1.5 * on
    labels = "abcdefghijkl"
    metric = metrics.PooledAUPRC(Taxonomy.flat(labels))
    for y, s in zip(on.tolist(), scores.tolist(), strict=True):
        truth = dict(zip(labels, y, strict=True))
        metric.update(truth, dict(zip(labels, s, strict=True)))
    theirs = average_precision_score(on, scores, average="micro")
    positives = int(on.sum())
    assert 0 < theirs - metric.get() < (1 + math.log(positives)) / positives


@given(any_score, any_score)
def test_bins_keep_the_order(a: float, b: float) -> None:
    bin_a, bin_b = bins(np.array([a, b])).tolist()
    if a <= b:
        assert bin_a <= bin_b
    if a == b:
        assert bin_a == bin_b


def test_bins_are_a_thousandth_wide() -> None:
    scores = np.geomspace(1e-9, 1e9, 5000)
    for sign in (1.0, -1.0):
        assert (bins(sign * scores) != bins(sign * scores * 1.001)).all()
        powers = bins(sign * 2.0 ** np.arange(-20, 21))
        assert (abs(np.diff(powers)) == 1024).all()
    assert bins(np.array([-0.0, 0.0])).tolist() == [0, 0]


@given(stream=streams())
@n_examples(60)
def test_bins_cost_no_more_than_the_order_within_them(stream: Any) -> None:
    """The exact area is between those of the worst and of the best order within bins."""
    taxonomy, examples = stream
    pooled = decisions(taxonomy, examples)
    numbers = bins(np.array([score for score, _, _ in pooled])).tolist()
    bounds = [
        oracles.pooled_auprc(
            [(2.0 * n + side * on, on, w) for n, (_, on, w) in zip(numbers, pooled, strict=True)],
            steps=200,
        )
        for side in (-1, 0, 1)
    ]
    ours = feed(metrics.PooledAUPRC(taxonomy), examples).get()
    assert bounds[0] - 4e-3 <= ours <= bounds[2] + 4e-3
    assert ours == pytest.approx(bounds[1], abs=4e-3)
    exact = oracles.pooled_auprc(pooled, steps=200)
    assert bounds[0] - 4e-3 <= exact <= bounds[2] + 4e-3


def test_bins_cost_little_on_probabilities() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(0.3, 1.5, size=(400, 30))
    on = rng.random(p.shape) < p
    labels = list(range(30))
    metric = metrics.PooledAUPRC(Taxonomy.flat(labels, root="root"))
    for y, s in zip(on.tolist(), p.tolist(), strict=True):
        truth = dict(zip(labels, y, strict=True))
        metric.update(truth, dict(zip(labels, s, strict=True)))
    order = np.argsort(-p.ravel())
    truth = on.ravel()[order].astype(float)
    assert metric.get() == pytest.approx(area(truth, 1.0 - truth), abs=1e-4)
    assert len(list(metric._sums)) < p.size  # and the bins are fewer than the scores


@given(stream=streams(), scale=st.sampled_from([0.5, 4.0]), data=st.data())
def test_only_the_order_counts(stream: Any, scale: float, data: Any) -> None:
    """Powers of 2 move every bin alike, far from where floats end."""
    taxonomy, examples = stream
    tame = [
        (y, {v: s for v, s in (ranking or {}).items() if s == 0 or 1e-200 < abs(s) < 1e200}, w)
        for y, ranking, w in examples
    ]
    scaled = [(y, {v: scale * s for v, s in ranking.items()}, w) for y, ranking, w in tame]
    value = feed(metrics.PooledAUPRC(taxonomy), tame).get()
    assert feed(metrics.PooledAUPRC(taxonomy), scaled).get() == pytest.approx(value)
    shuffled = data.draw(st.permutations(tame))
    assert feed(metrics.PooledAUPRC(taxonomy), shuffled).get() == pytest.approx(value)


def test_the_extremes() -> None:
    metric = metrics.PooledAUPRC(TREE)
    assert metric.get() == 0.0
    metric.update(set(), {"a": 1.0})
    assert metric.get() == 0.0  # nothing is on
    metric.update("b", {"a": 2.0, "b": 1.5, "c": 0.5})
    assert metric.get() == 1.0
    constant = metrics.PooledAUPRC(TREE)
    for y in ("b", {"d"}, set()):
        constant.update(y, dict.fromkeys("abcd", 0.5))
    assert constant.get() == pytest.approx(3 / 12)
    alone = metrics.PooledAUPRC(Taxonomy.flat([]))
    alone.update(set(), {})
    assert alone.get() == 0.0


@given(stream=streams(), data=st.data())
@n_examples(50)
def test_reverting_some_leaves_the_others(stream: Any, data: Any) -> None:
    taxonomy, examples = stream
    gone = data.draw(st.lists(st.booleans(), min_size=len(examples), max_size=len(examples)))
    metric = feed(metrics.PooledAUPRC(taxonomy), examples)
    for example, out in zip(examples, gone, strict=True):
        if out:
            metric.revert(*example)
    rest = [example for example, out in zip(examples, gone, strict=True) if not out]
    assert metric.get() == feed(metrics.PooledAUPRC(taxonomy), rest).get()
    rolling = utils.Rolling(metrics.PooledAUPRC, window_size=2, taxonomy=taxonomy)
    feed(rolling, examples)
    assert rolling.get() == feed(metrics.PooledAUPRC(taxonomy), examples[-2:]).get()


def test_it_is_a_river_metric() -> None:
    metric = metrics.PooledAUPRC(TREE, ("a", "b"))
    metric.update("b", {"a": 0.5, "b": 0.25, "c": 0.75, "d": 0.75})
    assert metric.get() == 1.0  # c and d are not pooled
    assert repr(metric) == "PooledAUPRC: 100.00%"
    assert pickle.loads(pickle.dumps(metric)).get() == 1.0
    clone = metric.clone()
    assert clone.get() == 0.0
    assert clone.candidates == ("a", "b")
    assert clone.taxonomy is TREE
    assert metric.bigger_is_better
    both = metric + metrics.OneAccuracy(TREE)
    both.update("b", {"b": 1.0})
    assert len(both.get()) == 2


@pytest.mark.parametrize(
    ("y", "scores", "w", "error", "message"),
    [
        ("b", {"b": True}, 1.0, ValueError, "the score of 'b' is True"),
        ("b", {"b": math.nan}, 1.0, ValueError, "the score of 'b' is nan"),
        ("b", {"b": "high"}, 1.0, ValueError, "the score of 'b' is 'high'"),
        ("b", {"b": {True: 0.5}}, 1.0, ValueError, r"the score of 'b' is \{True: 0.5\}"),
        ("b", {"e": 1.0}, 1.0, ValueError, "label 'e' is not in the taxonomy"),
        ("e", {"b": 1.0}, 1.0, ValueError, "label 'e' is not in the taxonomy"),
        ("b", ["b"], 1.0, TypeError, "a ranking must be {label: score}, got list"),
        ("b", {"b": 1.0}, -1.0, ValueError, "`w` must be a finite number of at least 0"),
        ("b", {"b": 1.0}, math.nan, ValueError, "`w` must be a finite number of at least 0"),
    ],
)
def test_a_refused_example_changes_nothing(
    y: Any, scores: Any, w: float, error: Any, message: str
) -> None:
    metric = metrics.PooledAUPRC(TREE)
    metric.update("b", {"b": 1.0, "c": 2.0})
    before = pickle.dumps(metric)
    for change in (metric.update, metric.revert):
        with pytest.raises(error, match=message):
            change(y, scores, w)
        assert pickle.dumps(metric) == before
    with pytest.raises(ValueError, match="cannot revert an example of weight"):
        metric.revert("b", {"b": 3.0})
    assert pickle.dumps(metric) == before


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        (["b", "x"], ValueError, "label 'x' is not in the taxonomy"),
        ([], ValueError, "`candidates` must not be empty"),
        (["r", "b"], ValueError, "`candidates` must not hold the root, 'r'"),
        ("b", TypeError, "`candidates` must be a collection of labels"),
    ],
)
def test_bad_parameters(candidates: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        metrics.PooledAUPRC(TREE, candidates)
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got"):
        metrics.PooledAUPRC(["b"])  # type: ignore[arg-type]


# Models that answer with probabilities


def stream_of(n: int) -> list[tuple[dict[str, float], set[str]]]:
    rng = random.Random(3)
    signs = [{v: rng.choice([-1.0, 1.0]) for v in "xyz"} for _ in range(n)]
    return [(x, {"b"} if x["x"] > 0 else {"c"} if x["y"] > 0 else {"d"}) for x in signs]


@pytest.mark.parametrize(
    "model",
    [
        linear_model.HPerceptron(TREE),
        linear_model.HRLS(TREE),
        linear_model.HMinOver(TREE),
        kernel.SHRLS(TREE),
        local.PerNode(river_linear_model.LogisticRegression(), TREE),
        preprocessing.StandardScaler() | linear_model.HAROW(TREE),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("delay", [None, 3])
def test_progressive_validation(model: Any, delay: Any) -> None:
    asked = evaluate.Probabilities(model.clone())
    metric = metrics.PooledAUPRC(TREE)
    river_evaluate.progressive_val_score(stream_of(150), asked, metric, delay=delay)
    assert 0.75 < metric.get() <= 1.0
    if delay is None:
        plain, by_hand = model.clone(), metrics.PooledAUPRC(TREE)
        for x, y in stream_of(150):
            likely = {v: p[True] for v, p in plain.predict_proba_one(x).items()}
            by_hand.update(y, likely)
            plain.learn_one(x, y)
        assert by_hand.get() == metric.get()


def test_probabilities_refuses_what_is_not_multilabel() -> None:
    for model in (
        dummy.PriorClassifier(),
        preprocessing.Normalizer() | linear_model.Hieron(TREE),
        linear_model.HPerceptron,
        None,
    ):
        with pytest.raises(TypeError, match=r"`model` must be a multilabel .* got .*; for"):
            evaluate.Probabilities(model)
    model = linear_model.Hieron(TREE)
    model.learn_one({"x": 1.0}, "b")
    entropy = river_metrics.CrossEntropy()  # as the message says
    entropy.update("b", model.predict_proba_one({"x": 1.0}))
    assert entropy.get() == pytest.approx(-math.log(model.predict_proba_one({"x": 1.0})["b"]))
