"""Metrics that grow with the labels: the same values as in the final, closed taxonomy."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import utils

from river_hier import OpenTaxonomy, Taxonomy, metrics
from river_hier.taxonomy import UnknownLabelError
from support.hypothesis_settings import n_examples

CANDIDATES = [("a",), ("a", "b"), ("b",), ("b", "a", "a")]
RANKING = {"candidates": CANDIDATES}
PARAMS = {
    "HFBeta": {"beta": 2.0},
    "HLoss": {"costs": {("a", "b"): 2.5, ("c", "a"): 0.5}},
    "SymmetricDifferenceLoss": {"volumes": {("b", "a"): 7.0}, "spurious": 0.25},
    "MaximalLoss": {"volumes": {("b", "a"): 7.0}, **RANKING},
    **dict.fromkeys(["AveragePrecision", "OneAccuracy", "ParentOneAccuracy"], RANKING),
    **dict.fromkeys(["RankingLoss", "PooledAUPRC", "Reliability", "CalibrationError"], RANKING),
}
SCORES = {"LogLoss", "TopLabelCalibrationError"}
TABLES = {"HLossByDepth", "Reliability"}
paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
scores = st.dictionaries(paths, st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=4)
multilabels = st.one_of(
    paths, st.sets(paths, max_size=3), st.lists(paths, max_size=3), st.just(()), st.just([])
)


def examples(name):
    ranks = takes_scores(name)
    answers = scores if ranks else st.one_of(multilabels, st.dictionaries(paths, st.booleans()))
    weights = st.sampled_from([1.0, 0.25, 3.0])
    drawn = st.tuples(multilabels, st.one_of(st.none(), answers), weights)
    return st.lists(drawn, max_size=8)


def takes_scores(name):
    return name in SCORES or "candidates" in PARAMS.get(name, {})


def labels_in(y):
    return [] if y is None else [y] if isinstance(y, tuple) else list(y)


@pytest.mark.parametrize("name", metrics.__all__)
@given(data=st.data())
@n_examples(40)
def test_the_value_is_that_in_the_final_taxonomy(name, data):
    stream = data.draw(examples(name))
    params = PARAMS.get(name, {})
    there = OpenTaxonomy()
    seen = [label for y, guess, _ in stream for label in labels_in(y) + labels_in(guess)]
    given = [values for values in params.values() if not isinstance(values, float)]
    named = [label for labels in given for label in labels]
    final = there.with_labels(Taxonomy.flat([], root=()), named + seen)
    metric = getattr(metrics, name)(there, **params)
    closed = getattr(metrics, name)(final, **params)
    fresh = metric.clone()
    for y, guess, w in stream:
        metric.update(y, guess, w)
        closed.update(y, guess, w)
        if name not in TABLES:
            assert metric.get() == pytest.approx(closed.get())
    if name in TABLES:
        assert metric.get() == closed.get()
    assert metric.taxonomy == there
    assert set(metric.taxonomy_) == set(final)
    assert set(metric.taxonomy_.edges) == set(final.edges)
    # copies have the same state and grow on their own; clones start again
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert other.get() == metric.get()
        other.update(("x", "y"), {("a",): 0.5} if takes_scores(name) else ("x",))
        assert ("x", "y") in other.taxonomy_
    assert ("x", "y") not in metric.taxonomy_
    assert metric.clone().get() == fresh.get()
    assert metric.clone().taxonomy_ == fresh.taxonomy_
    # reverting some examples leaves the others
    kept = data.draw(st.lists(st.booleans(), min_size=len(stream), max_size=len(stream)))
    for keep, (y, guess, w) in zip(kept, stream, strict=True):
        if not keep:
            metric.revert(y, guess, w)
        elif name != "PooledAUPRC":
            fresh.update(y, guess, w)
    if name not in TABLES | {"PooledAUPRC"}:
        assert metric.get() == pytest.approx(fresh.get())


@pytest.mark.parametrize("name", metrics.__all__)
def test_bad_examples_change_nothing(name):
    ranks = takes_scores(name)
    metric = getattr(metrics, name)(OpenTaxonomy(), **PARAMS.get(name, {}))
    guess = {("a",): 0.5} if ranks else ("a",)
    metric.update(("a", "b"), guess)
    before = pickle.dumps(metric)
    for y, bad, w in (
        (("n", "", "o"), guess, 1.0),
        (None, guess, 1.0),
        ("not a tuple", guess, 1.0),
        (("new",), guess, -1.0),
        (("new",), {("new", "too"): True, ("a",): "?"}, 1.0),
        (("new",), {("new", None, "too"): 1.0}, 1.0),
    ):
        with pytest.raises((ValueError, TypeError)):
            metric.update(y, bad, w)
        assert pickle.dumps(metric) == before
    with pytest.raises(UnknownLabelError):
        metric.revert(("never", "seen"), guess)
    assert pickle.dumps(metric) == before


@pytest.mark.parametrize("name", [name for name in PARAMS if "candidates" in PARAMS[name]])
def test_rankings_need_candidates(name):
    with pytest.raises(ValueError, match="`candidates` must be given with an OpenTaxonomy"):
        getattr(metrics, name)(OpenTaxonomy())
    with pytest.raises(TypeError, match="`candidates` must be a collection of labels"):
        getattr(metrics, name)(OpenTaxonomy("/"), candidates="a/b")


def test_rolling_and_iterators():
    rolling = utils.Rolling(metrics.TreeInducedError, window_size=2, taxonomy=OpenTaxonomy("/"))
    for y, guess in (("a/b", "a/c"), ("d", "e"), ("a/b", "a"), ("f/g/h", "f/g")):
        rolling.update(y, guess)
    assert rolling.get() == 1.0
    metric = metrics.HLoss(OpenTaxonomy("/"))
    metric.update(iter(["a/b", "c"]), iter(["a", "c/d"]))
    assert metric.get() == 2.0
