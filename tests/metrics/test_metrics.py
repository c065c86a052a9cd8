"""Every metric against its oracle, as a River metric, and its error messages.

A new metric needs one row of `ROWS`.
"""

import functools
import inspect
import math
import operator
import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, dummy, linear_model, naive_bayes, preprocessing
from river import evaluate as river_evaluate
from river import metrics as river_metrics

import oracles
from river_hier import Taxonomy, evaluate, losses, metrics
from river_hier import linear_model as ours_linear
from river_hier.metrics.base import plus
from river_hier.taxonomy import UnknownLabelError
from support.hypothesis_settings import n_examples
from support.predictions import ANIMALS, P_ANIMALS, answers, truths
from support.rankings import candidates_of, listed
from support.strategies import parents_of, taxonomies

# --- A row a metric: its value in plain Python, and its parameters for hypothesis -----------------


class Row:
    """`oracle` takes the taxonomy, its parents, the examples and the parameters that are drawn."""

    def __init__(self, oracle, needs=None, **drawn):
        self.oracle = oracle
        self.needs = needs or {}  # parameters without a default
        self.drawn = drawn


def mean(loss):
    """The weighted mean of a loss of one example."""

    def value(t, parents, examples, **params):
        total = sum(w for *_, w in examples)
        each = sum(w * loss(parents, y, p, **params) for y, p, w in examples)
        return each / total if total else 0.0

    return value


def ranking(loss, on_tree=False):
    """The weighted mean of a loss of one ranking."""

    def value(t, parents, examples, candidates, **costs):
        asked = listed(t, candidates)

        def one(parents, y, scores):
            ranked = {v: (scores or {}).get(v, -math.inf) for v in asked}
            args = (ranked, oracles.relevant(parents, asked, y), *costs.values())
            return loss(parents, *args) if on_tree else loss(*args)

        return mean(one)(t, parents, examples)

    return value


def decisions(t, examples, candidates, missing):
    return [
        ((said or {}).get(v, missing), v in y, w)
        for y, said, w in examples
        for v in candidates or t.nodes[1:]
    ]


def precision_recall(parents, examples):
    """In whole numbers of examples, as the oracle takes no weights; weights are quarters here."""
    pairs = [(y, p) for y, p, w in examples for _ in range(round(4 * w))]
    return oracles.precision_recall(parents, pairs)


def f_beta(t, parents, examples, beta=1.0):
    p, r = precision_recall(parents, examples)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p * r else 0.0


def h_loss_by_depth(t, parents, examples):
    sums = {d: [0.0, 0.0] for d in range(1, t.height + 1)}
    for true, pred, w in examples:
        for i in t.nodes[1:]:
            above = oracles.ancestors(parents, i) - {t.root}
            if oracles.differs(i, true, pred) and not any(
                oracles.differs(j, true, pred) for j in above
            ):
                sums[oracles.depth(parents, i)][i in true] += w
    return {d: tuple(both) for d, both in sums.items()}


def top_label_error(t, parents, examples, n_bins, depth):
    each = []
    for y, said, w in examples:
        if depth is not None:
            y = {v for v in y if oracles.depth(parents, v) <= depth}
            sums = {}
            for v in t.nodes:  # of equals, the first in the taxonomy
                below = {u for u in said or {} if v in {u, *oracles.ancestors(parents, u)}}
                if oracles.depth(parents, v) < depth:
                    below &= {v}
                if below and oracles.depth(parents, v) <= depth:
                    sums[v] = sum(said[u] for u in below)
            said = sums
        top = [v for v in said or {} if said[v] == max(said.values())][:1]
        right = bool(top) and oracles.closure(parents, top) == y
        each.append((said[top[0]] if top else 0.0, right, w))
    return oracles.calibration_error(each, n_bins)


def depth_of(t):
    one_parent = all(len(t.parents(v)) == 1 for v in t.nodes[1:])
    return st.none() | st.integers(1, 3) if one_parent else st.none()


def costs_of(t):
    return st.none() | st.dictionaries(st.sampled_from(t.nodes), st.floats(0.01, 100))


def factors(t):
    return st.floats(0, 10)


def numbers_of_bins(t):
    return st.integers(1, 12)


def binned(oracle):
    def value(t, parents, examples, candidates, n_bins):
        return oracle(decisions(t, examples, candidates, 0.0), n_bins)

    return Row(value, n_bins=numbers_of_bins, candidates=candidates_of)


COSTS = {"volumes": costs_of, "missed": factors, "spurious": factors}
ROWS = {
    "ZeroOneLoss": Row(mean(oracles.zero_one_loss)),
    "HLoss": Row(mean(oracles.h_loss), costs=costs_of),
    "SymmetricDifferenceLoss": Row(mean(oracles.symmetric_difference_loss), **COSTS),
    "TreeInducedError": Row(mean(oracles.symmetric_difference_loss)),
    "HLossByDepth": Row(h_loss_by_depth),
    "HPrecision": Row(lambda t, parents, examples: precision_recall(parents, examples)[0]),
    "HRecall": Row(lambda t, parents, examples: precision_recall(parents, examples)[1]),
    "HF1": Row(f_beta),
    "HFBeta": Row(f_beta, {"beta": 2.0}, beta=lambda t: st.floats(0.1, 10)),
    "OneAccuracy": Row(ranking(oracles.one_accuracy), candidates=candidates_of),
    "ParentOneAccuracy": Row(
        ranking(oracles.parent_one_accuracy, on_tree=True), candidates=candidates_of
    ),
    "AveragePrecision": Row(ranking(oracles.average_precision), candidates=candidates_of),
    "RankingLoss": Row(ranking(oracles.ranking_loss), candidates=candidates_of),
    "MaximalLoss": Row(
        ranking(oracles.maximal_loss, on_tree=True), candidates=candidates_of, **COSTS
    ),
    "PooledAUPRC": Row(  # which draws its stretches in 400 steps
        lambda t, parents, examples, candidates: oracles.pooled_auprc(
            decisions(t, examples, candidates, -math.inf), steps=400
        ),
        candidates=candidates_of,
    ),
    "Reliability": binned(oracles.reliability),
    "CalibrationError": binned(oracles.calibration_error),
    "TopLabelCalibrationError": Row(top_label_error, n_bins=numbers_of_bins, depth=depth_of),
    "LogLoss": Row(mean(lambda parents, y, said: oracles.log_loss(parents, said or {}, y))),
}
NAMES = [name for name in ROWS if getattr(metrics, name)._reads == "labels"]
OTHERS = [name for name in ROWS if name not in NAMES]
each_metric = pytest.mark.parametrize("name", ROWS)


def test_every_metric_has_a_row():
    assert set(ROWS) == set(metrics.__all__)


def make(name, taxonomy=ANIMALS, **params):
    return getattr(metrics, name)(taxonomy, **(ROWS[name].needs | params))


def feed(metric, stream):
    for example in stream:
        metric.update(*example)
    return metric


weights = st.sampled_from([1.0, 1.0, 0.5, 0.25, 3.0, 0.0])
any_weights = st.one_of(weights, st.sampled_from([0.1, 0.2, 0.3, 1e-6, 1e9]), st.floats(1e-6, 1e6))
halves = st.integers(-4, 4).map(lambda i: i / 2)  # so that ties come often
chances = st.floats(0, 1) | st.integers(0, 10).map(lambda i: i / 10)


@st.composite
def streams(draw, name, kind=taxonomies, weights=weights):
    """A taxonomy, examples as the metric takes them, and as the oracles do."""
    taxonomy = draw(kind())
    reads = getattr(metrics, name)._reads
    if reads == "labels":
        said = answers(taxonomy)
    else:
        values = halves if reads == "scores" or name == "PooledAUPRC" else chances
        scores = st.dictionaries(st.sampled_from(taxonomy.nodes), values, max_size=9)
        said = (st.none() | scores).map(lambda s: (s, s))
    drawn = draw(st.lists(st.tuples(truths(taxonomy), said, weights), max_size=7))
    ours = [(y_true, y_pred, w) for (y_true, _), (y_pred, _), w in drawn]
    return taxonomy, ours, [(true, pred, w) for (_, true), (_, pred), w in drawn]


def close(a, b, abs_tol=1e-9):
    """Values of two metrics, numbers or dicts of numbers."""
    if isinstance(a, dict):
        return list(a) == list(b) and all(close(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return all(map(close, a, b))
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=abs_tol)


# --- Values ---------------------------------------------------------------------------------------


@each_metric
@given(data=st.data())
@n_examples(60)
def test_the_value_is_that_of_the_oracle(name, data):
    taxonomy, ours, theirs = data.draw(streams(name))
    row = ROWS[name]
    params = {key: data.draw(drawn(taxonomy)) for key, drawn in row.drawn.items()}
    value = row.oracle(taxonomy, parents_of(taxonomy), theirs, **params)
    metric = feed(getattr(metrics, name)(taxonomy, **params), ours)
    assert close(metric.get(), value, 2e-3 if name == "PooledAUPRC" else 1e-9)


def test_borders_belong_to_the_upper_bin_and_1_to_the_last():
    metric = metrics.Reliability(ANIMALS, n_bins=4, candidates=["wolf"])
    for p in (0.0, 0.25, 0.5, 1.0):
        metric.update("wolf" if p else set(), {"wolf": p})
    found = (0.0, 0.0, 1.0), (0.25, 1.0, 1.0), (0.5, 1.0, 1.0), (1.0, 1.0, 1.0)
    assert metric.get() == dict(enumerate(found))


def test_the_first_of_the_most_probable_labels_counts():
    for first, error in (("wolf", 0.25), ("whale", 0.75)):  # in the order of the prediction
        metric = metrics.TopLabelCalibrationError(ANIMALS)
        metric.update("wolf", dict.fromkeys([first, "wolf", "whale"], 0.75))
        assert metric.get() == error


@pytest.mark.parametrize("name", [name for name in OTHERS if name != "TopLabelCalibrationError"])
def test_the_root_alone_has_no_candidates(name):
    metric = make(name, Taxonomy.flat([]))
    metric.update(set(), {})
    assert metric.get() in (0.0, 1.0, {})


def test_expected_losses():
    volumes = {"wolf": 7.0}
    p = (ANIMALS, P_ANIMALS, "wolf")
    for metric, expected in (
        (metrics.HLoss(ANIMALS), losses.expected_h_loss(*p)),
        (metrics.HLoss(ANIMALS, volumes), losses.expected_h_loss(*p, volumes)),
        (metrics.ZeroOneLoss(ANIMALS), losses.expected_zero_one_loss(*p)),
        (
            metrics.SymmetricDifferenceLoss(ANIMALS, volumes, 2.0, 3.0),
            losses.expected_symmetric_difference_loss(*p, volumes, 2.0, 3.0),
        ),
        (metrics.TreeInducedError(ANIMALS), losses.expected_symmetric_difference_loss(*p)),
    ):
        assert metric.expected(P_ANIMALS, "wolf") == expected
        assert metric.get() == 0, "expecting is not updating"


@each_metric
def test_no_answer(name):
    """It is the root, or a ranking without scores, and not silent."""
    with pytest.warns(UserWarning, match="y_pred is None, which counts as the root or no label"):
        make(name).update("wolf", None)
    nothing = (None, "animal", [], set(), (), {}, {"mammal": False, "bird": False})
    for y_true in ("wolf", {"wolf", "owl"}, ["bird"], ("bird", "whale"), "animal"):
        said = nothing if name in NAMES else (None, {})
        values = [feed(make(name), [(y_true, y_pred)]).get() for y_pred in said]
        assert values == values[:1] * len(values)


# --- Sums that can be reverted --------------------------------------------------------------------


@each_metric
@n_examples(40)
@given(data=st.data())
def test_reverting_some_leaves_the_others(name, data):
    taxonomy, ours, _ = data.draw(streams(name, weights=any_weights))
    gone = data.draw(st.lists(st.booleans(), min_size=len(ours), max_size=len(ours)))
    metric = feed(make(name, taxonomy), ours)
    for i in data.draw(st.permutations(range(len(ours)))):
        if gone[i]:
            metric.revert(*ours[i])
    rest = [example for example, out in zip(ours, gone, strict=True) if not out]
    fresh = feed(make(name, taxonomy), rest)
    assert metric.get() == fresh.get()
    assert repr(metric) == repr(fresh)


@given(xs=st.lists(st.floats(-1e12, 1e12)))
def test_sums_are_exact(xs):
    total = ()
    for x in xs:
        total = plus(total, x)
    assert math.fsum(total) == math.fsum(xs)
    for x in xs:
        total = plus(total, -x)
    assert total == ()


def test_weights_of_low_precision_do_not_lower_it():
    metric = metrics.HPrecision(ANIMALS)
    metric.update("wolf", "wolf", 1e9 + 1)
    metric.update("wolf", "owl", np.float32(1.0))
    metric.update("wolf", "owl", np.float32(1.0))
    metric.revert("wolf", "wolf", 1e9 + 1)
    metric.update("wolf", "wolf", 1.0)
    assert metric.get() == 1 / 3


# --- Refusals -------------------------------------------------------------------------------------

WEIGHT = r"`w`, the weight of the example, must be between 0 and 1e\+12, got"
BAD_WEIGHTS = [
    (ValueError, f"{WEIGHT} {re.escape(repr(w)[:4])}", w)
    for w in (-1.0, math.nan, math.inf, "1", 1e308, 10**400)
]
UNKNOWN = (UnknownLabelError, "'wolff' is not in .* did you mean 'wolf'")
BAD_LABELS = [
    ({"wolff"}, UNKNOWN),
    ({"wolf": 0.7}, (ValueError, "'wolf' is 0.7: it must be True or False")),
]
BAD_SCORES = [
    ({"wolff": 0.5}, UNKNOWN),
    ({"wolf": math.nan}, (ValueError, "the (score|probability) of 'wolf' is nan, not a number")),
    ({"wolf": True}, (ValueError, "the (score|probability) of 'wolf' is True")),
    ({"wolf": "high"}, (ValueError, "the (score|probability) of 'wolf' is 'high'")),
    ({"wolf": None}, (ValueError, "the (score|probability) of 'wolf' is None")),
    ({"wolf": {True: 0.5}}, (ValueError, r"of 'wolf' is \{True: 0.5\}, .*; does the model return")),
    (["wolf"], (TypeError, r"must be {label: (score|p)}, got list; evaluate\.")),
    ("wolf", (TypeError, r"must be {label: (score|p)}, got str; evaluate\.")),
]
BAD_CHANCES = [
    ({"wolf": p}, (ValueError, f"of 'wolf' is {p!r}, not a number between 0 and 1; does the model"))
    for p in (1.5, -0.1, math.inf, -math.inf)
]


@each_metric
@pytest.mark.parametrize("w", [1.0, 0.1])
def test_a_refused_example_changes_nothing(name, w):
    metric = make(name)
    good = {"wolf", "owl"} if name in NAMES else {"wolf": 0.75, "owl": 0.5}
    metric.update("wolf", good, w)
    before, value = pickle.dumps(metric), metric.get()
    bad = [("wolf", good, weight, *why) for *why, weight in BAD_WEIGHTS]
    bad += [
        ("wolff", good, 1.0, *UNKNOWN),
        (None, good, 1.0, ValueError, "y is None"),
        (
            *({"mammal": False, "wolf": True}, good, 1.0),
            *(ValueError, "'wolf' is on but its ancestor 'mammal' is"),
        ),
    ]
    said = BAD_LABELS if name in NAMES else BAD_SCORES
    if metric._reads == "probabilities" and name != "PooledAUPRC":
        said = said + BAD_CHANCES
    bad += [("wolf", y_pred, 1.0, *why) for y_pred, why in said]
    for y_true, y_pred, weight, error, message in bad:
        for change in (metric.update, metric.revert):
            with pytest.raises(error, match=message):
                change(y_true, y_pred, weight)
            assert pickle.dumps(metric) == before
    for other in (metric, make(name)):  # updated with less, updated with nothing
        same = pickle.dumps(other)
        with pytest.raises(ValueError, match=r"cannot revert an example of weight .* not updated"):
            other.revert("wolf", good, 2 * w)
        assert pickle.dumps(other) == same
    assert metric.get() == value


@each_metric
def test_a_metric_wants_a_taxonomy(name):
    for taxonomy in (None, ["wolf"], {"wolf": "mammal"}):
        with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got"):
            make(name, taxonomy)


POSITIVE = [0, -1.0, math.nan, math.inf, "2", None, True]
FACTORS = [-1.0, math.nan, math.inf, "2", None]
BAD_PARAMETERS = {
    "average": [("samples", ValueError, '`average` must be "micro" or "macro", got')],
    "depth": [(0, ValueError, "`depth` must be"), (1.5, TypeError, "`depth` must be")],
    "zero_division": [(2, ValueError, "`zero_division` must be 0, 1 or nan, got 2")],
    "beta": [(v, ValueError, "`beta` must be a positive finite number, got") for v in POSITIVE],
    "n_bins": [
        (0, ValueError, "`n_bins` must be at least 1, got 0"),
        (2.5, TypeError, "`n_bins` must be an integer, got 2.5"),
    ],
    "candidates": [
        (["owl", "x"], ValueError, "label 'x' is not in the taxonomy"),
        ([], ValueError, "`candidates` must not be empty; name labels, or leave it out"),
        (["animal", "owl"], ValueError, "`candidates` must not hold the root, 'animal'"),
        ("owl", TypeError, "`candidates` must be a collection of labels, .*, got 'owl'"),
        (iter("owl"), TypeError, "`candidates` must be a collection of labels"),
    ],
} | {
    name: [(v, ValueError, f"`{name}` must be a finite number of at least 0") for v in FACTORS]
    for name in ("missed", "spurious")
}
for name in ("costs", "volumes"):  # all are looked at, though none is charged yet
    BAD_PARAMETERS[name] = [
        ({"wolf": 1.0, "owl": v}, ValueError, rf"`{name}\['owl'\]` must be a positive finite")
        for v in POSITIVE
    ]
    BAD_PARAMETERS[name] += [
        ({"owll": 1.0}, UnknownLabelError, "'owll' is not in .* did you mean 'owl'"),
        ([1.0], TypeError, f"`{name}` must be {{label: number}}, got list"),
    ]


@each_metric
def test_bad_parameters(name):
    for parameter in list(inspect.signature(getattr(metrics, name)).parameters)[1:]:
        for value, error, message in BAD_PARAMETERS[parameter]:
            with pytest.raises(error, match=message):
                make(name, **{parameter: value})


# --- River ----------------------------------------------------------------------------------------


@each_metric
def test_clone_and_pickle(name):
    metric = make(name)
    right, wrong = "wolf", "bird"  # at another depth, too
    if name not in NAMES:
        right, wrong = {"mammal": 0.8, "wolf": 0.9}, {"owl": 0.9}
    metric.update("wolf", {"wolf", "owl"} if name in NAMES else wrong, 0.3)
    assert isinstance(metric, river_metrics.base.ClassificationMetric)
    clone = metric.clone()
    assert type(clone) is type(metric)
    assert clone.taxonomy is metric.taxonomy
    assert clone.get() == make(name).get()
    assert clone._get_params() == metric._get_params() == make(name)._get_params()
    again = pickle.loads(pickle.dumps(metric))
    assert again.get() == metric.get()
    assert repr(again) == repr(metric) == str(metric)
    assert again.requires_labels == (name != "TopLabelCalibrationError")
    assert again.works_with_weights
    assert again.bigger_is_better == metric.bigger_is_better
    if not isinstance(metric.get(), dict):
        right, wrong = (feed(make(name), [("wolf", y_pred)]) for y_pred in (right, wrong))
        assert right.get() != wrong.get()
        better = right.is_better_than(wrong) and not wrong.is_better_than(right)
        assert better, f"the smaller the better? set `bigger_is_better = False` in {name}"
    both = make(name) + metrics.HLoss(ANIMALS) + river_metrics.Accuracy()
    assert [type(m) for m in both.clone()] == [type(m) for m in both]


class MultiLabelOfOne(base.MultiLabelClassifier):
    """A River multilabel classifier: what one single-label classifier says."""

    def __init__(self, model):
        self.model = model

    def learn_one(self, x, y):
        self.model.learn_one(x, next(label for label, on in y.items() if on))

    def predict_one(self, x):
        said = self.model.predict_one(x)
        return {} if said is None else {v: v == said for v in ("bird", "wolf", "whale")}


X = [{"size": 3.0}, {"size": 1.0}, {"size": 30.0}, {"size": 2.0}, {"size": 25.0}] * 4
Y = ["wolf", "bird", "whale", "wolf", "whale"] * 4


def models():
    single = list(zip(X, Y, strict=True))
    multi = [(x, {v: v == y for v in ("bird", "wolf", "whale")}) for x, y in single]
    scaled = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
    return [
        (naive_bayes.GaussianNB(), single),
        (scaled, single),
        (dummy.PriorClassifier(), single),
        (MultiLabelOfOne(naive_bayes.GaussianNB()), multi),
        (preprocessing.StandardScaler() | MultiLabelOfOne(naive_bayes.GaussianNB()), multi),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_progressive_validation(name):
    values = []
    for model, dataset in models():
        metric = make(name)
        assert metric.works_with(model)
        river_evaluate.progressive_val_score(dataset, model, metric)
        assert metric.get() != make(name).get()
        values.append(metric.get())
    assert not metric.works_with(linear_model.LinearRegression())
    assert not metric.works_with(preprocessing.StandardScaler())
    if name != "HLossByDepth":  # {"wolf": True} says nothing of mammals, which are filled in
        assert values[0] == values[3]
        assert values[1] == values[4]


@pytest.mark.parametrize("name", OTHERS)
def test_progressive_validation_of_scores(name):
    metric = make(name)
    stream = list(zip(X, Y, strict=True))
    model = ours_linear.Hieron(ANIMALS)
    if name != "TopLabelCalibrationError":
        stream = [(x, {y}) for x, y in stream]
        wrap = evaluate.Ranked if metric._reads == "scores" else evaluate.Probabilities
        model = wrap(ours_linear.HAROW(ANIMALS))
    assert metric.works_with(model)
    river_evaluate.progressive_val_score(stream, model, metric)
    assert metric.get() != make(name).get()


def test_addition():
    single, multi = models()[0], models()[3]
    both = metrics.HLoss(ANIMALS) + metrics.TreeInducedError(ANIMALS) + river_metrics.Accuracy()
    river_evaluate.progressive_val_score(single[1], single[0], both)
    alone = metrics.HLoss(ANIMALS)
    river_evaluate.progressive_val_score(single[1], models()[0][0], alone)
    assert both.get()[0] == alone.get()
    assert both.requires_labels
    turned = river_metrics.Accuracy() + metrics.HLoss(ANIMALS)
    assert turned.works_with(single[0])
    assert not turned.works_with(multi[0]), "River's accuracy is for single labels"
    ours = functools.reduce(operator.add, map(make, NAMES))
    assert ours.works_with(multi[0])
    river_evaluate.progressive_val_score(multi[1], multi[0], ours)
    assert repr(ours).count("\n") > len(NAMES)


def test_metrics_print_tables():
    stream = [("wolf", "owl", 1500.0), ("wolf", "whale", 2.5), ("bird", "bird", 0.5)]
    assert repr(feed(metrics.HLossByDepth(ANIMALS), stream)).split("\n") == [
        "Depth   False positives   False negatives",
        "    1             1,500             1,500",
        "    2               2.5               2.5",
    ]
    assert repr(make("Reliability")) == "Reliability: no examples"
    assert repr(metrics.HLossByDepth(Taxonomy.flat([]))) == "HLossByDepth: no examples"


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("depth", [None, 1, 2])
def test_averages_of_precision_and_recall(average, depth):
    """Against their definitions; the mean over examples is what HiClass calls macro."""
    t = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
    rng, closures = random.Random(3), []
    found = [
        cls(t, average=average, depth=depth, zero_division=zero)
        for cls in (metrics.HPrecision, metrics.HRecall, metrics.HF1)
        for zero in (0, 1, math.nan)
    ]
    for _ in range(200):
        true, pred = rng.choice(t.nodes), rng.choice(t.nodes)
        both = map(t.closure, (true, pred))
        closures.append([{v for v in y - {"r"} if depth in (None, t.depth(v))} for y in both])
        for metric in found:
            metric.update(true, pred)
    for metric in found:
        metric.update("b", "c", 0.5)
        metric.revert("b", "c", 0.5)
    groups = [[pair] for pair in closures] if average == "macro" else [closures]
    expected = []
    for which in range(3):
        values = []
        for group in groups:
            both = sum(len(true & pred) for true, pred in group)
            n_true, n_pred = (sum(len(pair[i]) for pair in group) for i in (0, 1))
            over = (n_pred, n_true, (n_true + n_pred) / 2 if both else 0)[which]
            values.append(both / over if over else None)
        for zero in (0, 1, None):
            some = [zero if value is None else value for value in values]
            kept = [value for value in some if value is not None]
            expected.append(sum(kept) / len(kept))
    assert [metric.get() for metric in found] == pytest.approx(expected)
