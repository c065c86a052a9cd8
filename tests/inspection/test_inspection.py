"""Truncated predictions, the most probable paths and explanations, against dicts and loops."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, compose, naive_bayes, preprocessing
from river import linear_model as river_linear_model
from scipy import sparse

import oracles
from river_hier import (
    Taxonomy,
    batch,
    decision,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    inspection,
    kernel,
    linear_model,
    local,
)
from river_hier._core import Example
from support import makers, strategies
from support.hypothesis_settings import n_examples

TREE = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])
X = {"x": 1.0, "y": -0.5, "new": 2.0}


def logistic():
    return river_linear_model.LogisticRegression()


KERNELS = {
    "kernel.Hieron": lambda t: kernel.Hieron(t, kernel.RBF(1.0)),
    "kernel.AveragedHieron": lambda t: kernel.AveragedHieron(t, kernel.RBF(1.0), budget=5),
    "kernel.HRLS": lambda t: kernel.HRLS(t, kernel.Polynomial(2)),
    "kernel.SHRLS": lambda t: kernel.SHRLS(t, oracles.linear_kernel, budget=4),
}
SINGLE, MULTI = makers.SINGLE | {"TreeBayes": makers.TABLE["TreeBayes naive"]}, makers.SEVERAL
EVERY = SINGLE | MULTI
EXPLAINED = [*filter(lambda v: hasattr(EVERY[v](TREE), "weights"), EVERY), "LinearDiscriminant"]


def taught(make, taxonomy=TREE, n=30):
    model = make(taxonomy)
    rng = np.random.default_rng(3)
    labels = taxonomy.nodes[1:]
    for _ in range(n):
        i = int(rng.integers(len(labels)))
        x = {"x": float(rng.normal() + i), "y": float(rng.normal() - (i == 2)), i: 1.0}
        model.learn_one(x, labels[i])
    return model


class FixedClassifier(base.Classifier):
    """A classifier with given probabilities."""

    def __init__(self, taxonomy, p):
        self.taxonomy, self.p = taxonomy, p

    def learn_one(self, x, y): ...

    def predict_proba_one(self, x):
        return self.p

    def predict_one(self, x):
        return max(self.p, key=self.p.__getitem__)


@given(st.data())
@n_examples(60)
def test_truncated_labels_equal_the_oracle(data):
    t = data.draw(strategies.trees())
    parents = strategies.parents_of(t)
    parts = data.draw(st.lists(st.integers(0, 3), min_size=len(t), max_size=len(t)))
    p = {v: part / 32 for v, part in zip(t, parts, strict=True)}  # sums are exact
    model = decision.TreeBayes(FixedClassifier(t, p), t)
    threshold = data.draw(st.integers(0, 32)) / 32
    deepest = oracles.deepest(parents, p, threshold)
    assert model.predict_one({}, threshold=threshold) == deepest
    max_depth = data.draw(st.integers(0, 4))
    cut = oracles.cut(parents, deepest, max_depth)
    assert model.predict_one({}, threshold=threshold, max_depth=max_depth) == cut
    own = oracles.cut(parents, model.predict_one({}), max_depth)
    assert model.predict_one({}, max_depth=max_depth) == own


@pytest.mark.parametrize(
    ("name", "taxonomy"),
    [(v, t) for v in MULTI for t in (TREE, DAG) if t is TREE or "dag" not in MULTI[v].refuses],
)
def test_truncated_multilabels_equal_the_oracle(name, taxonomy):
    model, parents = taught(MULTI[name], taxonomy), strategies.parents_of(taxonomy)
    own = {v for v, on in model.predict_one(X).items() if on}
    p = {v: likely[True] for v, likely in model.predict_proba_one(X).items()}
    for max_depth in range(4):
        answer = model.predict_one(X, max_depth=max_depth)
        assert tuple(answer) == taxonomy.nodes[1:]
        assert {v for v, on in answer.items() if on} == oracles.cut_multilabel(
            parents, own, max_depth
        )
        for threshold in (0.0, 0.2, *p.values(), 1.0):
            enough = oracles.likely_enough(parents, p, threshold)
            answer = model.predict_one(X, threshold=threshold, max_depth=max_depth)
            on = {v for v, yes in answer.items() if yes}
            assert on == oracles.cut_multilabel(parents, enough, max_depth)


def test_truncated_multilabels_are_closed_upward():
    likely = {"a": 0.4, "b": 0.7, "c": 0.9, "d": 0.1, "e": 0.8}  # c and e more than their parents
    answer = decision.HLossBayes(FixedProbabilities(TREE, likely)).predict_one(X, threshold=0.5)
    assert answer == {"a": False, "b": True, "c": False, "d": False, "e": False}


@pytest.mark.parametrize("name", SINGLE)
def test_every_single_label_model_truncates(name):
    model, parents = taught(SINGLE[name]), strategies.parents_of(TREE)
    p, own = model.predict_proba_one(X), model.predict_one(X)
    for threshold in (0.55, 0.7, 0.9, 0.99):
        # No probability equals a threshold, so rounding does not matter.
        assert model.predict_one(X, threshold=threshold) == oracles.deepest(parents, p, threshold)
    for max_depth in range(4):
        assert model.predict_one(X, max_depth=max_depth) == oracles.cut(parents, own, max_depth)
    assert model.predict_one(X, threshold=1.0, max_depth=0) == "r"


@pytest.mark.parametrize("name", EVERY)
def test_keywords_through_a_pipeline_do_not_change_the_model(name):
    model = taught(lambda t: compose.Discard("new") | EVERY[name](t))
    model.predict_one(X)  # some models cache what they look up
    before = pickle.dumps(model)
    alone = model[next(reversed(model.steps))]
    x = {"x": 1.0, "y": -0.5}
    for keywords in ({"max_depth": 1}, {"threshold": 0.7}, {"threshold": 0.4, "max_depth": 1}):
        assert model.predict_one(X, **keywords) == alone.predict_one(x, **keywords)
    assert inspection.top_one(model, X, k=2) == inspection.top_one(alone, x, k=2)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"threshold": 1.5}, ValueError, "`threshold` must be between 0 and 1, got 1.5"),
        ({"threshold": math.nan}, ValueError, "`threshold` must be between 0 and 1, got nan"),
        ({"threshold": "0.5"}, ValueError, "`threshold` must be between 0 and 1, got '0.5'"),
        ({"max_depth": -1}, ValueError, "`max_depth` must be at least 0, got -1"),
        ({"max_depth": 1.0}, TypeError, "`max_depth` must be an integer, got 1.0"),
        ({"max_depth": True}, TypeError, "`max_depth` must be an integer, got True"),
    ],
)
def test_bad_keywords(name, keywords, error, message):
    with pytest.raises(error, match=message):
        EVERY[name](TREE).predict_one(X, **keywords)


def test_max_depth_without_probabilities():
    examples = [({"x": 1.0}, "e"), ({"y": 1.0}, "b"), ({"x": 0.5, "y": 1.0}, "d")]
    for model in (batch.BatchHMinOver(TREE), batch.BatchHMinOver(TREE, kernel=kernel.RBF(1.0))):
        fitted = compose.Discard("new") | model.fit(examples)
        own = {v for v, on in fitted.predict_one(X).items() if on}
        for max_depth in range(4):
            on = {v for v, yes in fitted.predict_one(X, max_depth=max_depth).items() if yes}
            assert on == oracles.cut_multilabel(strategies.parents_of(TREE), own, max_depth)


def test_truncation_in_an_open_taxonomy():
    for model in (linear_model.HAROW(), linear_model.Hieron(), local.PerNode(logistic())):
        for y in ("b", "c"):
            model.learn_one({y: 1.0}, y)
        nothing = model.predict_one({"b": 1.0}, max_depth=0)
        assert nothing in ("root", {"b": False, "c": False})


@pytest.mark.parametrize("name", EVERY)
def test_top_one_equals_the_oracle(name):
    model, parents = taught(EVERY[name]), strategies.parents_of(TREE)
    said = model.predict_proba_one(X)
    p = {v: share[True] for v, share in said.items()} if name in MULTI else said
    for leaves in (False, True):
        for depth in (None, 0, 1, 2, 3, 9):
            for k in (1, 2, 3, 9):
                top = inspection.top_one(model, X, k, leaves=leaves, depth=depth)
                expected = oracles.top(parents, p, k, name in MULTI, leaves, depth)
                assert [path for path, _ in top] == [TREE.path(v) for v, _ in expected]
                assert [share for _, share in top] == pytest.approx([s for _, s in expected])


@given(data=st.data())
@n_examples(80)
def test_top_one_with_ties_equals_the_oracle(data):
    single = data.draw(st.booleans())
    t = data.draw(strategies.trees() if single else strategies.taxonomies())
    parents = strategies.parents_of(t)
    some = data.draw(st.sets(st.sampled_from(t.nodes)))
    p = {v: data.draw(st.integers(0, 3)) / 4 for v in t if v in some}
    fixed = FixedClassifier(t, p) if single else FixedProbabilities(t, p)
    model = decision.TreeBayes(fixed, t) if single else fixed
    k, leaves = data.draw(st.integers(1, 6)), data.draw(st.booleans())
    depth = data.draw(st.none() | st.integers(0, 4))
    top = inspection.top_one(model, {}, k=k, leaves=leaves, depth=depth)
    expected = oracles.top(parents, p, k, not single, leaves, depth)
    assert [(path[-1], share) for path, share in top] == expected
    assert all(set(path) <= t.closure([path[-1]]) for path, _ in top)


class FixedProbabilities(base.MultiLabelClassifier):
    """A user's multilabel model with given probabilities."""

    def __init__(self, taxonomy, p):
        self.taxonomy = self._taxonomy = taxonomy
        self.p = p

    def learn_one(self, x, y): ...

    def predict_one(self, x, **kwargs):
        return {v: p >= 0.5 for v, p in self.p.items()}

    def predict_proba_one(self, x, **kwargs):
        return {v: {True: p, False: 1.0 - p} for v, p in self.p.items()}


def test_top_one_of_scores_and_of_wrappers():
    examples = [({"x": 1.0}, "e"), ({"y": 1.0}, "b"), ({"x": 0.5, "y": 1.0}, "d")]
    model = batch.HSVM(TREE).fit(examples)  # it has no probabilities
    scores = model.score_one(X)
    top = inspection.top_one(model, X, k=3)
    expected = oracles.top(strategies.parents_of(TREE), scores, 3, True)
    assert [(path[-1], score) for path, score in top] == expected
    for make in (linear_model.Hieron, linear_model.HAROW):
        inner = taught(make)
        (paths, p), (inner_paths, inner_p) = (
            zip(*inspection.top_one(each, X), strict=True)
            for each in (drift.BranchReset(inner), inner)
        )
        assert paths == inner_paths
        assert p == pytest.approx(inner_p, 1e-13)


def test_top_one_of_ties_and_of_a_dag():
    ties = linear_model.HRLS(TREE)  # P(on) of all children of the root is 1/2
    assert [path for path, _ in inspection.top_one(ties, X, k=2)] == [("r", "a"), ("r", "b")]
    sure = local.PerNode(naive_bayes.GaussianNB(), TREE)
    sure.learn_one({"x": 1.0}, "e")
    assert inspection.top_one(sure, {"x": 1.0}, k=1) == [(("r", "a", "c", "e"), 1.0)]
    paths = [path for path, _ in inspection.top_one(taught(linear_model.HRLS, DAG), X, k=4)]
    assert ("r", "a", "c", "d") in paths
    assert inspection.top_one(decision.TreeBayes(naive_bayes.GaussianNB(), TREE), X) == []


def test_top_one_errors():
    model = linear_model.HAROW(TREE)
    for depth, error in ((-1, ValueError), (2.0, TypeError), (True, TypeError)):
        with pytest.raises(error, match="`depth` must be"):
            inspection.top_one(model, X, depth=depth)
    for k, error in ((0, ValueError), (2.0, TypeError), (None, TypeError)):
        with pytest.raises(error, match="`k` must be"):
            inspection.top_one(model, X, k=k)
    ranked = evaluate.Ranked(linear_model.HMinOver(TREE))  # which predicts scores, for metrics
    for wrong in (naive_bayes.GaussianNB(), linear_model.HAROW, ranked, None):
        with pytest.raises(TypeError, match="`model` must be a model in a taxonomy"):
            inspection.top_one(wrong, X)


@pytest.mark.parametrize("name", ["HPerceptron", "HAROW", "Hieron", "AveragedHieron"])
def test_parts_are_weights_times_features(name):
    model, parents = taught(EVERY[name]), strategies.parents_of(TREE)
    w = {"r": {}, **model.weights}
    for label, why in model.explain_one(X).items():
        path = oracles.path(parents, label) if name in SINGLE else [label]
        expected = oracles.parts([w[v] for v in path], X)
        if name == "HAROW":
            expected["intercept"] = model.intercepts[label]
        assert dict(why.contributions) == pytest.approx(expected, abs=1e-9)
        assert why.score == pytest.approx(sum(expected.values()), abs=1e-9)


@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_parts_of_least_squares_are_shares_of_the_score(name):
    model = taught(EVERY[name])
    for label, why in model.explain_one(X).items():
        whole = oracles.parts([model.weights[label]], X)
        ratios = [part / whole[feature] for feature, part in why.contributions]
        assert set(dict(why.contributions)) == set(whole)
        assert ratios == pytest.approx([ratios[0]] * len(ratios))
        assert 0.0 < ratios[0] < 1.0  # 1 / (1 + r)


@pytest.mark.parametrize("name", [*EXPLAINED, *KERNELS])
def test_a_reason_agrees_with_the_model(name):
    model = taught({**EVERY, **KERNELS}[name])
    before, scores = pickle.dumps(model), model.score_one(X)
    nothing = model.score_one({}) if name == "LinearDiscriminant" else dict.fromkeys(scores, 0.0)
    reasons, answer = model.explain_one(X), model.predict_one(X)
    single = not isinstance(answer, dict)
    on = set(TREE.path(answer)) if single else {v for v, yes in answer.items() if yes}
    assert {label for label, why in reasons.items() if why.on} == on
    for label, why in reasons.items():
        sizes = [abs(part) for _, part in why.contributions]
        assert why.score == pytest.approx(scores[label])
        assert sum(part for _, part in why.contributions) + nothing[label] == pytest.approx(
            why.score
        )
        assert sizes == sorted(sizes, reverse=True)
        assert all(sizes)
        p = model.predict_proba_one(X)
        likely = sum(p[v] for v in (label, *TREE.descendants(label))) if single else p[label][True]
        assert why.probability == pytest.approx(likely)
        if single and not why.on:
            rivals = set(TREE.children(TREE.parent(label))) - on
            assert scores[label] == max(scores[v] for v in rivals)
        if not single:
            assert set(TREE.parents(label)) <= on | {"r"}
    lines = model.debug_one(X).splitlines()
    assert len(lines) == 1 + len(reasons)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("budget", [None, 4])
def test_parts_of_least_squares_with_a_kernel_are_shares_of_the_score(budget):
    model = taught(lambda t: kernel.HRLS(t, kernel.RBF(1.0), budget=budget))
    scores, r = model._rls.solve(Example(*model._instances.row(X)), len(TREE))
    held = [model._rls.instances_of(s) for s in range(len(model._rls.nodes))]
    for label, why in model.explain_one(X).items():
        v = TREE.index(label)
        terms = [part * (1 + r[v]) for _, part in why.contributions]
        assert sum(terms) == pytest.approx(scores[v])
        (s,) = (s for s, nodes in enumerate(model._rls.nodes) if v in nodes)
        ids, _, _, c, _ = held[s]
        of_node = c[:, model._rls.nodes[s].index(v)]
        parts = model._instances.row(X).values[ids] * of_node
        assert sorted(terms) == pytest.approx(sorted(part for part in parts if part))
    assert any(w0.any() for *_, w0 in held) == (budget is not None)


def test_parts_of_a_kernel_are_stored_examples():
    model = kernel.Hieron(TREE, kernel.Linear())
    for x, y in [({"x": 1.0}, "e"), ({"y": 2.0}, "b")]:
        model.learn_one(x, y)
    why = model.explain_one({"x": 1.0, "y": 1.0})["a"]
    assert {tuple(example) for example, _ in why.contributions} <= {("x",), ("y",)}
    assert {"x": 1.0} in [example for example, _ in why.contributions]


def test_parts_that_cancel_stay():
    model = linear_model.HRLS(Taxonomy.flat(["a"]))
    model.learn_one({"x": 1.0, "y": -1.0}, "a")
    (why,) = model.explain_one({"x": 1.0, "y": 1.0}).values()
    assert why.score == pytest.approx(0.0)
    assert sorted(part for _, part in why.contributions) == pytest.approx([-1 / 3, 1 / 3])


def test_reasons_through_a_pipeline():
    model = preprocessing.Normalizer() | linear_model.HAROW(TREE)
    for _ in range(3):
        model.learn_one({"x": 3.0, "y": 4.0}, "c")
    inside = model["HAROW"].explain_one({"x": 0.6, "y": 0.8})
    assert inspection.explain_one(model, {"x": 3.0, "y": 4.0}) == inside
    assert inspection.explain_one(model["HAROW"], {"x": 0.6, "y": 0.8}) == inside
    for wrong in (local.PerNode(logistic(), TREE), linear_model.HAROW, None):
        with pytest.raises(TypeError, match="`model` must have an `explain_one`"):
            inspection.explain_one(wrong, X)
    wrapped = decision.HLossBayes(decision.Calibrated(model))
    assert inspection.explain_one(wrapped, {"x": 3.0, "y": 4.0}) == inside
    behind = preprocessing.Normalizer() | decision.Calibrated(model["HAROW"])
    assert inspection.explain_one(behind, {"x": 3.0, "y": 4.0}) == inside
    with pytest.raises(TypeError, match=r"got LogarithmicPool.*; give one of its `models`$"):
        inspection.explain_one(ensemble.LogarithmicPool([model]), X)


# Batches


@pytest.mark.parametrize("name", [*SINGLE, *MULTI])
def test_batches_are_answered_as_their_rows(name):
    model = taught((SINGLE | MULTI)[name])
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(5, len(X))), columns=list(X), index=range(3, 8))
    rows = frame.to_dict("records")
    for keywords in (
        {"threshold": 0.3},
        {"threshold": 0.9, "max_depth": 1},
        {"max_depth": 1},
        {"max_depth": 0},
    ):
        answers = model.predict_many(frame, **keywords)
        assert list(answers.index) == [*range(3, 8)]
        for x, (_, y) in zip(
            rows, answers.iterrows() if name in MULTI else answers.items(), strict=True
        ):
            expected = model.predict_one(x, **keywords)
            assert (y.to_dict() if name in MULTI else y) == expected
    for k, leaves, depth in ((2, False, None), (3, True, None), (9, False, 1)):
        top = inspection.top_many(model, frame, k, leaves, depth)
        assert list(top.index) == [*range(3, 8)]
        for x, (_, row) in zip(rows, top.iterrows(), strict=True):
            expected = inspection.top_one(model, x, k, leaves, depth)
            labels, values = row.iloc[::2].tolist(), row.iloc[1::2].tolist()
            n = len(expected)
            assert values[:n] == pytest.approx([value for _, value in expected])
            assert set(labels[:n]) == {path[-1] for path, _ in expected}
            assert all(label is None or label != label for label in labels[n:])


def test_best_labels_of_rows_of_other_kinds():
    model = feature_extraction.LogTFIDF() | linear_model.PathSoftmax(TREE)
    for _ in range(3):
        model.learn_one("one two", "b")
        model.learn_one("three", "c")
    texts = pd.Series(["three two", "one"], index=[7, 9])
    top = inspection.top_many(model, texts, k=2, leaves=True)
    for text, (_, row) in zip(texts, top.iterrows(), strict=True):
        assert row["label_1"] == inspection.top_one(model, text, k=1, leaves=True)[0][0][-1]
    last = linear_model.PathSoftmax(TREE)
    array = np.array([[1.0, 0.0], [0.0, 2.0]])
    last.learn_many(array, ["b", "c"])
    best = inspection.top_many(last, array, k=1)
    assert best["value_1"].tolist() == pytest.approx(
        [inspection.top_one(last, row, k=1)[0][1] for row in array]
    )
    named = linear_model.PathSoftmax(TREE)
    frame = pl.DataFrame(array, schema=["0", "1"])
    named.learn_many(frame, ["b", "c"])
    framed = inspection.top_many(named, frame, k=1)
    assert isinstance(framed, pl.DataFrame)
    assert framed.columns == ["label_1", "value_1"]
    matrix = inspection.top_many(last, sparse.csr_array(array), k=1)
    assert matrix["label_1"].tolist() == best["label_1"].tolist()
    assert len(inspection.top_many(linear_model.Hieron(), array)) == 2  # no label yet


@pytest.mark.parametrize("name", ["pool of views", "wrapper of a pipeline", "wrapper of texts"])
def test_top_many_of_models_around_pipelines(name):
    rows = [{"title": "red boots", "n": 1.0}, {"title": "wool hat", "n": 2.0}] * 3
    t, on = Taxonomy.flat(["boots", "hats"]), None if name == "wrapper of texts" else "title"
    pipeline = feature_extraction.LogTFIDF(on=on) | linear_model.PathSoftmax(t)
    views = ensemble.make_views(t, texts=["title"], numbers=["n"])
    model = views if name == "pool of views" else drift.BranchReset(pipeline)
    X = [row["title"] for row in rows] if on is None else pd.DataFrame(rows)
    model.learn_many(X, ["boots", "hats"] * 3)
    best = inspection.top_many(model, X, k=1)
    for x, found in zip(X if on is None else rows, best.itertuples(), strict=True):
        ((path, p),) = inspection.top_one(model, x, k=1)
        assert (found.label_1, found.value_1) == (path[-1], pytest.approx(p))


def test_labels_through_a_pipeline():
    model = feature_extraction.LogTFIDF() | linear_model.HAROW(TREE)
    model.learn_one("one two", {"b"})
    x = model.transform_one("one")
    for keywords in ({}, {"threshold": 0.1}, {"max_depth": 1}):
        expected = model["HAROW"].predict_labels_one(x, **keywords)
        assert inspection.labels_one(model, "one", **keywords) == expected
    for wrong in (linear_model.Hieron(TREE), linear_model.HAROW):
        with pytest.raises(TypeError, match="must be a multilabel model of this library"):
            inspection.labels_one(wrong, {})


def test_explanations_are_summed():
    model = linear_model.HAROW(TREE)
    for i in range(20):
        model.learn_one({"x": i % 3 - 1.0, "y": 1.0}, {"c"} if i % 2 else {"b"})
    frame = pd.DataFrame([{"x": 1.0, "y": -0.5}, {"x": -1.0, "y": 2.0}, {"x": 0.0, "y": 1.0}])
    sums = {}
    for x in frame.to_dict("records"):
        for label, why in model.explain_one(x).items():
            for name, part in why.contributions:
                sums[label, name] = sums.get((label, name), 0.0) + part
    found = inspection.explain_many(model, frame)
    terms = {(label, name): part for label, parts in found.items() for name, part in parts}
    assert terms == pytest.approx({term: part for term, part in sums.items() if part})
    for parts in found.values():
        assert [p for _, p in parts] == sorted((p for _, p in parts), key=lambda p: -abs(p))
