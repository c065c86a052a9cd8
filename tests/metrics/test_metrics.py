"""The metrics against the naive losses, as River metrics, and their error messages."""

from __future__ import annotations

import math
import pickle
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, dummy, evaluate, linear_model, naive_bayes, preprocessing, stats, utils
from river import metrics as river_metrics

import oracles
from river_hier import Taxonomy, losses, metrics
from river_hier.metrics.base import ProbabilityMetric, RankingMetric
from river_hier.metrics.sums import Partials, plus
from river_hier.taxonomy import UnknownLabelError
from support.hypothesis_settings import n_examples
from support.predictions import ANIMALS, P_ANIMALS, answers, truths
from support.strategies import parents_of, taxonomies, trees

# The metrics of labels; those of rankings and probabilities have tests of their own.
OTHERS = (
    *(RankingMetric, ProbabilityMetric, metrics.PooledAUPRC),
    *(metrics.LogLoss, metrics.TopLabelCalibrationError),
)
NAMES = [name for name in metrics.__all__ if not issubclass(getattr(metrics, name), OTHERS)]
PARAMS: dict[str, dict[str, Any]] = {name: {} for name in NAMES} | {
    "HFBeta": {"beta": 2.0},
    "SymmetricDifferenceLoss": {"missed": 2.5, "spurious": 0.3},
}

weights = st.one_of(
    st.just(1.0), st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e-6, 1e9]), st.floats(1e-6, 1e6)
)
costs = st.floats(0.01, 100)


def make(name: str, taxonomy: Taxonomy = ANIMALS) -> Any:
    return getattr(metrics, name)(taxonomy, **PARAMS[name])


def feed(metric: Any, stream: Any) -> Any:
    for y_true, y_pred, w in stream:
        metric.update(y_true, y_pred, w)
    return metric


@st.composite
def streams(draw: st.DrawFn, kind: Any = taxonomies) -> Any:
    """A taxonomy, examples as the metrics take them, and as the oracles do."""
    taxonomy = draw(kind())
    example = st.tuples(truths(taxonomy), answers(taxonomy), weights)
    drawn = draw(st.lists(example, max_size=8))
    ours = [(y_true, y_pred, w) for (y_true, _), (y_pred, _), w in drawn]
    return taxonomy, ours, [(true, pred, w) for (_, true), (_, pred), w in drawn]


def close(a: Any, b: Any) -> bool:
    """Values of two metrics, numbers or dicts of numbers."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return all(map(close, a, b))
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


# Values


@given(stream=streams(), data=st.data())
def test_mean_losses_are_weighted_means(stream: Any, data: Any) -> None:
    taxonomy, ours, theirs = stream
    parents = parents_of(taxonomy)
    c = data.draw(st.dictionaries(st.sampled_from(taxonomy.nodes), costs))
    total = sum(w for _, _, w in theirs)
    for metric, loss in (
        (metrics.HLoss(taxonomy), lambda y, z: oracles.h_loss(parents, y, z)),
        (metrics.HLoss(taxonomy, c), lambda y, z: oracles.h_loss(parents, y, z, c)),
        (metrics.ZeroOneLoss(taxonomy), lambda y, z: oracles.zero_one_loss(parents, y, z)),
        (
            metrics.SymmetricDifferenceLoss(taxonomy, c, 2.0, 0.5),
            lambda y, z: oracles.symmetric_difference_loss(parents, y, z, c, 2.0, 0.5),
        ),
        (
            metrics.TreeInducedError(taxonomy),
            lambda y, z: oracles.symmetric_difference_loss(parents, y, z),
        ),
    ):
        feed(metric, ours)
        mean = sum(w * loss(y, z) for y, z, w in theirs) / total if total else 0.0
        assert close(metric.get(), mean)
        assert not metric.bigger_is_better


@given(stream=streams(), beta=st.floats(0.1, 10))
def test_precision_and_recall(stream: Any, beta: float) -> None:
    taxonomy, ours, theirs = stream
    parents = parents_of(taxonomy)

    def closed(y: Any) -> Any:
        return oracles.closure(parents, y) - {taxonomy.root}

    both = sum(w * len(closed(y) & closed(z)) for y, z, w in theirs)
    true = sum(w * len(closed(y)) for y, _, w in theirs)
    pred = sum(w * len(closed(z)) for _, z, w in theirs)
    p = both / pred if pred else 0.0
    r = both / true if true else 0.0
    assert close(feed(metrics.HPrecision(taxonomy), ours).get(), p)
    assert close(feed(metrics.HRecall(taxonomy), ours).get(), r)
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if both else 0.0
    assert close(feed(metrics.HFBeta(taxonomy, beta), ours).get(), f)
    f1 = 2 * p * r / (p + r) if both else 0.0
    assert close(feed(metrics.HF1(taxonomy), ours).get(), f1)

    unweighted = [(y, z, 1.0) for y, z, _ in ours]
    assert (
        feed(metrics.HPrecision(taxonomy), unweighted).get(),
        feed(metrics.HRecall(taxonomy), unweighted).get(),
    ) == oracles.precision_recall(parents, [(y, z) for y, z, _ in theirs])


@given(stream=streams())
def test_h_loss_by_depth(stream: Any) -> None:
    taxonomy, ours, theirs = stream
    parents = parents_of(taxonomy)
    expected = {d: [0.0, 0.0] for d in range(1, taxonomy.height + 1)}
    for true, pred, w in theirs:
        for i in taxonomy.nodes[1:]:
            above = oracles.ancestors(parents, i) - {taxonomy.root}
            if oracles.differs(i, true, pred) and not any(
                oracles.differs(j, true, pred) for j in above
            ):
                expected[oracles.depth(parents, i)][i in true] += w
    metric = feed(metrics.HLossByDepth(taxonomy), ours)
    assert close(metric.get(), {d: tuple(sums) for d, sums in expected.items()})
    assert list(metric.get()) == list(expected)
    cumulative = sum(w * losses.h_loss(taxonomy, y, z) for y, z, w in ours)
    assert close(sum(map(sum, metric.get().values())), cumulative)


@given(stream=streams())
def test_distance_histogram(stream: Any) -> None:
    taxonomy, ours, theirs = stream
    expected: dict[int, float] = defaultdict(float)
    for true, pred, w in theirs:
        if w:
            expected[len((true ^ pred) - {taxonomy.root})] += w
    metric = feed(metrics.DistanceHistogram(taxonomy), ours)
    assert close(metric.get(), dict(expected))
    assert list(metric.get()) == sorted(expected)


@given(stream=streams())
def test_depth_accuracy(stream: Any) -> None:
    taxonomy, ours, theirs = stream
    right: dict[int, float] = defaultdict(float)
    reached: dict[int, float] = defaultdict(float)
    for true, pred, w in theirs:
        for d in range(1, taxonomy.height + 1):
            there = {v for v in taxonomy if taxonomy.depth(v) == d}
            if there & true and w:
                reached[d] += w
                right[d] += w * (there & true == there & pred)
    metric = feed(metrics.DepthAccuracy(taxonomy), ours)
    assert metric.bigger_is_better
    assert close(metric.get(), {d: right[d] / reached[d] for d in sorted(reached)})


def test_expected_losses() -> None:
    volumes = {"wolf": 7.0}
    for metric, expected in (
        (metrics.HLoss(ANIMALS), losses.expected_h_loss(ANIMALS, P_ANIMALS, "wolf")),
        (
            metrics.HLoss(ANIMALS, volumes),
            losses.expected_h_loss(ANIMALS, P_ANIMALS, "wolf", volumes),
        ),
        (metrics.ZeroOneLoss(ANIMALS), losses.expected_zero_one_loss(ANIMALS, P_ANIMALS, "wolf")),
        (
            metrics.SymmetricDifferenceLoss(ANIMALS, volumes, 2.0, 3.0),
            losses.expected_symmetric_difference_loss(
                ANIMALS, P_ANIMALS, "wolf", volumes, 2.0, 3.0
            ),
        ),
        (
            metrics.TreeInducedError(ANIMALS),
            losses.expected_symmetric_difference_loss(ANIMALS, P_ANIMALS, "wolf"),
        ),
    ):
        assert metric.expected(P_ANIMALS, "wolf") == expected
        assert metric.get() == 0, "expecting is not updating"


@given(stream=streams(trees))
def test_single_labels_agree_with_rivers_accuracy(stream: Any) -> None:
    taxonomy, ours, _ = stream
    ours = [(y, z, w) for y, z, w in ours if y in list(taxonomy) and z in list(taxonomy)]
    accuracy = feed(river_metrics.Accuracy(), ours).get()
    if sum(w for _, _, w in ours):
        assert close(feed(metrics.ZeroOneLoss(taxonomy), ours).get(), 1 - accuracy)


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_is_the_root(name: str) -> None:
    for y_true in ("wolf", {"wolf", "owl"}, ["bird"], ("bird", "whale"), "animal"):
        values = [
            feed(make(name), [(y_true, y_pred, 1.0)]).get()
            for y_pred in (None, "animal", [], set(), (), {}, {"mammal": False, "bird": False})
        ]
        assert values == values[:1] * len(values)


def test_no_answer_to_a_ranking_ties_all_candidates() -> None:
    for name in (n for n in metrics.__all__ if issubclass(getattr(metrics, n), OTHERS)):
        for y_true in ("wolf", {"wolf", "owl"}, "bird", "animal"):
            none, empty = getattr(metrics, name)(ANIMALS), getattr(metrics, name)(ANIMALS)
            none.update(y_true, None)
            empty.update(y_true, {})
            assert none.get() == empty.get()
    one, parent = metrics.OneAccuracy(ANIMALS), metrics.ParentOneAccuracy(ANIMALS)
    for metric in (one, parent):
        metric.update("wolf", None)  # wolf is the first candidate, but nothing ranks it
        assert metric.get() == 0.0


# Sums that can be reverted


@pytest.mark.parametrize("name", NAMES)
@n_examples(40)
@given(stream=streams(), data=st.data())
def test_reverting_some_leaves_the_others(name: str, stream: Any, data: Any) -> None:
    taxonomy, ours, _ = stream
    gone = data.draw(st.lists(st.booleans(), min_size=len(ours), max_size=len(ours)))
    metric = feed(make(name, taxonomy), ours)
    for i in data.draw(st.permutations(range(len(ours)))):
        if gone[i]:
            metric.revert(*ours[i])
    rest = [example for example, out in zip(ours, gone, strict=True) if not out]
    fresh = feed(make(name, taxonomy), rest)
    assert metric.get() == fresh.get()
    assert repr(metric) == repr(fresh)


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("name", NAMES)
@n_examples(40)
@given(stream=streams(), window_size=st.integers(1, 4))
def test_rolling_is_recomputing_the_window(name: str, stream: Any, window_size: int) -> None:
    taxonomy, ours, _ = stream
    rolling = utils.Rolling(
        getattr(metrics, name), window_size=window_size, taxonomy=taxonomy, **PARAMS[name]
    )
    for i, (y_true, y_pred, w) in enumerate(ours):
        rolling.update(y_true, y_pred, w)
        window = ours[max(0, i + 1 - window_size) : i + 1]
        assert rolling.get() == feed(make(name, taxonomy), window).get()


@given(xs=st.lists(st.floats(-1e12, 1e12)))
def test_sums_are_exact(xs: list[float]) -> None:
    total: Partials = ()
    for x in xs:
        total = plus(total, x)
    assert math.fsum(total) == math.fsum(xs)
    for x in xs:
        total = plus(total, -x)
    assert total == ()


def test_weights_of_low_precision_do_not_lower_it() -> None:
    metric = metrics.HPrecision(ANIMALS)
    metric.update("wolf", "wolf", 1e9 + 1)
    metric.update("wolf", "owl", np.float32(1.0))
    metric.update("wolf", "owl", np.float32(1.0))
    metric.revert("wolf", "wolf", 1e9 + 1)
    metric.update("wolf", "wolf", 1.0)
    assert metric.get() == 1 / 3


def test_an_ancestor_counts_as_predicted_whatever_the_answer_says_of_it() -> None:
    y_pred = {"mammal": False, "wolf": True}
    assert feed(metrics.HRecall(ANIMALS), [("whale", y_pred, 1.0)]).get() == 1 / 2


def test_means_revert_exactly_unlike_rivers() -> None:
    ours, theirs = metrics.TreeInducedError(ANIMALS), stats.Mean()
    with pytest.raises(ZeroDivisionError):
        theirs.update(1.0, 0.0)
    ours.update("wolf", "mammal", 0.0)
    assert ours.get() == 0
    theirs = stats.Mean()
    theirs.update(1.0)
    theirs.update(3.0, 1e9)
    theirs.revert(3.0, 1e9)
    ours.update("wolf", "mammal")  # a distance of 1
    ours.update("wolf", "bird", 1e9)  # and one of 3
    ours.revert("wolf", "bird", 1e9)
    assert ours.get() == 1
    assert abs(theirs.get() - 1) > 1e-9


# Refusals


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("w", [1.0, 0.1])
def test_a_refused_example_changes_nothing(name: str, w: float) -> None:
    metric = make(name)
    metric.update("wolf", {"wolf", "owl"}, w)
    before, value = pickle.dumps(metric), metric.get()
    contradiction = {"mammal": False, "wolf": True}
    for y_true, y_pred, weight, error, message in (
        ("wolff", "wolf", 1.0, UnknownLabelError, "'wolff' is not in .* did you mean 'wolf'"),
        ("wolf", {"wolff"}, 1.0, UnknownLabelError, "'wolff' is not in"),
        (None, "wolf", 1.0, ValueError, "y is None"),
        ("wolf", {"wolf": 0.7}, 1.0, ValueError, "'wolf' is 0.7: it must be True or False"),
        (contradiction, "wolf", 1.0, ValueError, "'wolf' is on but its ancestor 'mammal' is"),
        ("wolf", "owl", -1.0, ValueError, "`w` must be a finite number of at least 0, got -1.0"),
        ("wolf", "owl", math.nan, ValueError, "`w` must be a finite number of at least 0, got"),
        ("wolf", "owl", math.inf, ValueError, "`w` must be a finite number of at least 0, got"),
        ("wolf", "owl", "1", ValueError, "`w` must be a finite number of at least 0, got .1."),
    ):
        for change in (metric.update, metric.revert):
            with pytest.raises(error, match=message):
                change(y_true, y_pred, weight)
            assert pickle.dumps(metric) == before
    for other in (metric, make(name)):  # updated with less, updated with nothing
        same = pickle.dumps(other)
        with pytest.raises(ValueError, match=r"cannot revert an example of weight .* not updated"):
            other.revert("wolf", {"wolf", "owl"}, 2 * w)
        assert pickle.dumps(other) == same
    assert metric.get() == value


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_zero_count_for_nothing(name: str) -> None:
    metric = make(name)
    value = metric.get()
    metric.update("wolf", "owl", 0)
    assert metric.get() == value
    metric.update("wolf", "whale", 2)
    value = metric.get()
    metric.update("wolf", "owl", 0.0)
    metric.revert("wolf", "owl", 0.0)
    assert metric.get() == value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("taxonomy", [None, ["wolf"], {"wolf": "mammal"}])
def test_a_metric_wants_a_taxonomy(name: str, taxonomy: Any) -> None:
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got"):
        make(name, taxonomy)


def test_bad_parameters() -> None:
    for value in (0, -1.0, math.nan, math.inf, "2", None, True):
        with pytest.raises(ValueError, match="`beta` must be a positive finite number, got"):
            metrics.HFBeta(ANIMALS, value)
        c: Any = {"wolf": 1.0, "owl": value}  # all are looked at, though none is charged yet
        with pytest.raises(ValueError, match=r"`costs\['owl'\]` must be a positive finite number"):
            metrics.HLoss(ANIMALS, c)
        with pytest.raises(ValueError, match=r"`volumes\['owl'\]` must be a positive finite"):
            metrics.SymmetricDifferenceLoss(ANIMALS, c)
    for name in ("missed", "spurious"):
        for bad in (-1.0, math.nan, math.inf, "2", None):
            with pytest.raises(ValueError, match=f"`{name}` must be a finite number of at least 0"):
                metrics.SymmetricDifferenceLoss(ANIMALS, **{name: bad})
    with pytest.raises(UnknownLabelError, match=r"'owll' is not in .* did you mean 'owl'"):
        metrics.HLoss(ANIMALS, {"owll": 1.0})
    with pytest.raises(TypeError, match=r"`costs` must be {label: number}, got list"):
        metrics.HLoss(ANIMALS, [1.0])


# River


@pytest.mark.parametrize("name", NAMES)
def test_clone_and_pickle(name: str) -> None:
    metric = make(name)
    metric.update("wolf", {"wolf", "owl"}, 0.3)
    assert isinstance(metric, river_metrics.base.ClassificationMetric)
    clone = metric.clone()
    assert type(clone) is type(metric)
    assert clone.taxonomy is metric.taxonomy
    assert clone.get() == make(name).get()
    given = {"taxonomy": ANIMALS, **PARAMS[name]}
    assert clone._get_params() == metric._get_params()
    assert {key: metric._get_params()[key] for key in given} == given
    again = pickle.loads(pickle.dumps(metric))
    assert again.get() == metric.get()
    assert repr(again) == repr(metric) == str(metric)
    assert again.requires_labels
    assert again.works_with_weights
    assert again.bigger_is_better == metric.bigger_is_better
    if not isinstance(metric.get(), dict):
        right, wrong = (feed(make(name), [("wolf", y_pred, 1.0)]) for y_pred in ("wolf", "owl"))
        assert right.is_better_than(wrong)
        assert not wrong.is_better_than(right)


class MultiLabelOfOne(base.MultiLabelClassifier):
    """A River multilabel classifier: what one single-label classifier says."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn_one(self, x: Any, y: Any) -> None:
        self.model.learn_one(x, next(label for label, on in y.items() if on))

    def predict_one(self, x: Any) -> Any:
        said = self.model.predict_one(x)
        return {} if said is None else {v: v == said for v in ("bird", "wolf", "whale")}


X = [{"size": 3.0}, {"size": 1.0}, {"size": 30.0}, {"size": 2.0}, {"size": 25.0}] * 4
Y = ["wolf", "bird", "whale", "wolf", "whale"] * 4


def models() -> list[tuple[Any, Any]]:
    single, multi = (
        list(zip(X, Y, strict=True)),
        [(x, {v: v == y for v in ("bird", "wolf", "whale")}) for x, y in zip(X, Y, strict=True)],
    )
    scaled = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
    return [
        (naive_bayes.GaussianNB(), single),
        (scaled, single),
        (dummy.PriorClassifier(), single),
        (MultiLabelOfOne(naive_bayes.GaussianNB()), multi),
        (preprocessing.StandardScaler() | MultiLabelOfOne(naive_bayes.GaussianNB()), multi),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_progressive_validation(name: str) -> None:
    values = []
    for model, dataset in models():
        metric = make(name)
        assert metric.works_with(model)
        evaluate.progressive_val_score(dataset, model, metric)
        assert metric.get() != make(name).get()
        values.append(metric.get())
    assert not metric.works_with(linear_model.LinearRegression())
    assert not metric.works_with(preprocessing.StandardScaler())
    if name != "HLossByDepth":  # {"wolf": True} says nothing of mammals, which are filled in
        assert values[0] == values[3]
        assert values[1] == values[4]


def test_progressive_validation_rolling_and_delayed() -> None:
    rolling = utils.Rolling(metrics.HLoss, window_size=5, taxonomy=ANIMALS)
    states = evaluate.iter_progressive_val_score(
        zip(X, Y, strict=True), naive_bayes.GaussianNB(), rolling, yield_predictions=True
    )
    predicted = [state["Prediction"] for state in states]
    last = [(y, z, 1.0) for y, z in zip(Y, predicted, strict=True)][-5:]
    assert rolling.get() == feed(metrics.HLoss(ANIMALS), last).get() > 0
    metric = metrics.HLoss(ANIMALS)
    evaluate.progressive_val_score(
        zip(X, Y, strict=True), naive_bayes.GaussianNB(), metric, delay=2
    )
    assert 0 < metric.get() < 1


def test_addition() -> None:
    single, multi = models()[0], models()[3]
    both = metrics.HLoss(ANIMALS) + metrics.TreeInducedError(ANIMALS) + river_metrics.Accuracy()
    evaluate.progressive_val_score(single[1], single[0], both)
    alone = metrics.HLoss(ANIMALS)
    evaluate.progressive_val_score(single[1], models()[0][0], alone)
    assert both.get()[0] == alone.get()
    assert both.requires_labels
    assert [type(m) for m in both.clone()] == [type(m) for m in both]
    turned = river_metrics.Accuracy() + metrics.DistanceHistogram(ANIMALS)
    assert turned.works_with(single[0])
    assert not turned.works_with(multi[0]), "River's accuracy is for single labels"
    ours = sum_of([make(name) for name in NAMES])
    assert ours.works_with(multi[0])
    evaluate.progressive_val_score(multi[1], multi[0], ours)
    assert repr(ours).count("\n") > len(NAMES)


def sum_of(parts: list[Any]) -> Any:
    total = parts[0] + parts[1]
    for part in parts[2:]:
        total = total + part
    return total


def test_metrics_print_numbers() -> None:
    stream = [("wolf", "owl", 1.0), ("owl", "owl", 2.0)]
    shown = {name: repr(feed(make(name), stream)) for name in NAMES}
    assert shown["HLoss"] == "HLoss: 0.666667"
    assert shown["TreeInducedError"] == "TreeInducedError: 1.333333"
    assert shown["ZeroOneLoss"] == "ZeroOneLoss: 33.33%"
    assert shown["SymmetricDifferenceLoss"] == "SymmetricDifferenceLoss: 1.866667"
    assert shown["HPrecision"] == "HPrecision: 66.67%"
    assert repr(feed(metrics.HF1(ANIMALS), stream[1:])) == "HF1: 100.00%"
    assert repr(feed(metrics.HLoss(ANIMALS, {"mammal": 199}), stream[:1])) == "HLoss: 200."


def test_metrics_print_tables() -> None:
    stream = [("wolf", "owl", 1500.0), ("wolf", "whale", 2.5), ("bird", "bird", 0.5)]
    assert repr(feed(metrics.HLossByDepth(ANIMALS), stream)).split("\n") == [
        "Depth   False positives   False negatives",
        "    1             1,500             1,500",
        "    2               2.5               2.5",
    ]
    assert repr(feed(metrics.DistanceHistogram(ANIMALS), stream)).split("\n") == [
        "Distance   Weight    Share",
        "       0      0.5    0.03%",
        "       2      2.5    0.17%",
        "       4    1,500   99.80%",
    ]
    assert repr(feed(metrics.DepthAccuracy(ANIMALS), stream)).split("\n") == [
        "Depth   Accuracy    Weight",
        "    1      0.20%     1,503",
        "    2      0.00%   1,502.5",
    ]
    assert repr(metrics.DistanceHistogram(ANIMALS)) == "DistanceHistogram: no examples"
    assert repr(metrics.DepthAccuracy(ANIMALS)) == "DepthAccuracy: no examples"
    assert repr(metrics.HLossByDepth(Taxonomy.flat([]))) == "HLossByDepth: no examples"


def test_a_weight_that_is_no_number() -> None:
    metric = metrics.HLoss(Taxonomy.flat(["a", "b"]))
    with pytest.raises(ValueError, match="`w` must be a finite number of at least 0, got 'x'"):
        metric.update("a", "b", "x")
    assert metric.get() == 0.0
