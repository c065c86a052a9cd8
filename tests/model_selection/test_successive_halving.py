"""Successive halving: the oracle, metrics, rounds, taxonomies that change, refusals."""

from __future__ import annotations

import itertools
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import compose, evaluate, naive_bayes, preprocessing, utils
from river import metrics as river_metrics

import oracles
import river_hier.evaluate
from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    decision,
    drift,
    inspection,
    linear_model,
    local,
    metrics,
    model_selection,
)
from river_hier.datasets import synth
from river_hier.feature_extraction import LogTFIDF, RandomFourierFeatures
from river_hier.model_selection import SuccessiveHalving
from river_hier.stream import Replayed
from support.hypothesis_settings import n_examples
from support.strategies import features, multilabel_streams, trees

T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f"]}, "g": ["h", "i"]}})
HAROW, HPerceptron = linear_model.HAROW, linear_model.HPerceptron


def calibrated(t: Any, r: float = 1.0) -> Any:
    return decision.Calibrated(HAROW(t, r=r))


def multi(t: Any) -> list[Any]:
    """Multilabel models in any taxonomy."""
    return [
        HPerceptron(t),
        HAROW(t),
        decision.SymmetricDifferenceBayes(calibrated(t)),
        drift.BranchReset(HAROW(t)),
        preprocessing.StandardScaler() | HAROW(t),
        preprocessing.StandardScaler() | decision.SymmetricDifferenceBayes(calibrated(t, 0.1)),
        RandomFourierFeatures(n_components=4) | HPerceptron(t),
    ]


def single(t: Any) -> list[Any]:
    return [
        linear_model.Hieron(t),
        decision.Tempered(linear_model.Hieron(t)),
        linear_model.AveragedHieron(t),
        preprocessing.StandardScaler() | linear_model.Hieron(t, intercept=1.0),
    ]


def loss_by(metric: Any) -> Any:
    """The loss of pairs of truth and prediction, by a metric."""

    def loss(pairs: Any) -> float:
        here = metric.clone()
        for y, y_pred in pairs:
            here.update(y, y_pred)
        value: float = here.get()
        return -value if metric.bigger_is_better else value

    return loss


def learned(model: Any, examples: Any) -> Any:
    for x, y in examples:
        model.learn_one(x, y)
    return model


# The oracle


def compare(some: list[Any], metric: Any, window: int, examples: list[Any]) -> None:
    alone = [model.clone() for model in some]
    oracle = oracles.SuccessiveHalving(alone, loss_by(metric), window)
    model = SuccessiveHalving(some, metric, window)
    for x, y in examples:
        assert model.predict_one(x) == oracle.predict(x)
        model.learn_one(x, y)
        oracle.learn(x, y)
        assert [id(m) for m in model.learning_models] == [
            id(model.models[i]) for i in oracle.learning
        ]
        assert model.best_model is model.models[oracle.best]


@given(data=st.data())
@n_examples(30)
def test_multilabels_as_the_oracle(data: Any) -> None:
    t, examples = data.draw(multilabel_streams())
    n, window = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 5))
    some = data.draw(st.permutations(multi(t)))[:n]
    metric = data.draw(
        st.sampled_from([metrics.ZeroOneLoss(t), metrics.HLoss(t), metrics.HFBeta(t, beta=1.0)])
    )
    compare(some, metric, window, examples * 2)


@given(data=st.data())
@n_examples(30)
def test_single_labels_as_the_oracle(data: Any) -> None:
    t = data.draw(trees())
    example = st.tuples(features(), st.sampled_from(t.nodes))
    examples = data.draw(st.lists(example, max_size=25))
    n, window = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    some = data.draw(st.permutations(single(t)))[:n]
    metric = data.draw(st.sampled_from([metrics.TreeInducedError(t), river_metrics.Accuracy()]))
    compare(some, metric, window, examples * 2)


# Objects


def test_an_object_that_would_learn_twice_is_refused() -> None:
    harow, scaler = HAROW(T), preprocessing.StandardScaler()
    for models in (
        [harow, harow],
        [harow, decision.HLossBayes(decision.Calibrated(harow))],
        [SuccessiveHalving([harow]), preprocessing.StandardScaler() | drift.BranchReset(harow)],
        [scaler | HAROW(T), scaler | HAROW(T)],
    ):
        with pytest.raises(ValueError, match="same object inside, which would learn every example"):
            SuccessiveHalving(models)


def test_a_shared_transformer_stands_in_front() -> None:
    words = [("a b", {"c"}), ("b c", {"h"}), ("a a", {"d"})] * 20
    alone = [LogTFIDF() | HAROW(T, r=r) for r in (1.0, 0.1)]
    model = LogTFIDF() | SuccessiveHalving([HAROW(T, r=r) for r in (1.0, 0.1)], window=1000)
    for one in (model, *alone):
        learned(one, words)
    for ours, theirs in zip(model["SuccessiveHalving"].models, alone, strict=True):
        assert ours.weights == theirs["HAROW"].weights


# Metrics


VIEWS = {
    "labels": lambda model: model,
    "scores": river_hier.evaluate.Ranked,
    "probabilities": river_hier.evaluate.Probabilities,
}


@pytest.mark.parametrize(
    "metric",
    [
        metrics.HLoss(T),
        metrics.HFBeta(T, beta=2.0),
        metrics.SymmetricDifferenceLoss(T),
        metrics.LogLoss(T),
        metrics.PooledAUPRC(T),
        metrics.CalibrationError(T),
        metrics.AveragePrecision(T),
        metrics.RankingLoss(T),
    ],
    ids=lambda metric: type(metric).__name__,
)
def test_every_kind_of_metric(metric: Any) -> None:
    """As River's loop with the wrappers of `evaluate`, which return what the metric reads."""
    examples = list(synth.LinearLabels(T, n_features=4, seed=3).take(40))
    candidates = [HPerceptron(T), HAROW(T), HAROW(T, r=0.01)]
    values = []
    for candidate in candidates:
        view = VIEWS[metric._reads](candidate.clone())
        values.append(evaluate.progressive_val_score(examples, view, metric.clone()).get())
    model = learned(SuccessiveHalving(candidates, metric, window=40), examples)
    assert [m.get() for m in model.metrics] == pytest.approx(values)
    best = max(values) if metric.bigger_is_better else min(values)
    assert model.best_model is model.models[values.index(best)]


def test_probabilities_of_single_labels() -> None:
    examples = list(synth.PrototypeTree(branching=2, depth=2, noise=0.09, seed=1).take(50))
    t = synth.PrototypeTree(branching=2, depth=2, seed=1).taxonomy
    candidates = [linear_model.AveragedHieron(t), linear_model.PathSoftmax(t)]
    for metric in (river_metrics.CrossEntropy(), metrics.TopLabelCalibrationError(t)):
        values = [
            evaluate.progressive_val_score(examples, m.clone(), metric.clone()).get()
            for m in candidates
        ]
        model = learned(SuccessiveHalving(candidates, metric, window=50), examples)
        assert [m.get() for m in model.metrics] == pytest.approx(values)
        candidates = [m.clone() for m in candidates]


def test_weights_count_in_models_and_metric() -> None:
    examples = list(synth.LinearLabels(T, n_features=4, seed=3).take(20))
    weights = [1.0, 0.0, 2.5, 0.25] * 5
    model = SuccessiveHalving([HAROW(T), HAROW(T, r=0.01)], metrics.HLoss(T), window=100)
    alone, metric = HAROW(T), metrics.HLoss(T)
    for (x, y), w in zip(examples, weights, strict=True):
        metric.update(y, alone.predict_one(x), w)
        alone.learn_one(x, y, w)
        model.learn_one(x, y, w)
    assert model.metrics[0].get() == pytest.approx(metric.get())
    assert model.models[0].weights == alone.weights
    assert model._n == 15


def test_the_default_metric_is_the_zero_one_loss() -> None:
    model = SuccessiveHalving([HAROW(T), HAROW(T, r=2.0)])
    assert type(model.metrics[0]) is metrics.ZeroOneLoss
    assert model.metric is None


# Rounds


@pytest.mark.parametrize(
    ("n_models", "round_length"), [(1, None), (2, 40), (3, 160), (4, 200), (5, 480), (8, 680)]
)
def test_the_cost_of_a_round(n_models: int, round_length: int | None) -> None:
    """Half of the models drop out in each window; 1.25 learn on average."""
    model = SuccessiveHalving([HAROW(T, r=1.0 + i) for i in range(n_models)], window=10)
    counts = []
    for i in range(round_length or 50):
        counts.append(len(model.learning_models))
        assert model.best_model in model.learning_models
        model.learn_one({"x": float(i % 3)}, {"a"})
    windows = [(n, len(list(same))) for n, same in itertools.groupby(counts)]
    if round_length is None:
        assert windows == [(1, 50)]
        return
    length = 10
    for (n, size), (following, _) in itertools.pairwise(windows):
        assert size == length
        assert following == (n + 1) // 2
        length *= 2
    assert sum(counts) / len(counts) == 1.25
    assert len(model.learning_models) == n_models


def test_it_follows_drift() -> None:
    """The labels of two models are right in turns; each takes over within a round."""

    class Constant(HPerceptron):
        """Predicts one label."""

        def __init__(self, taxonomy: Any = None, label: Any = None) -> None:
            super().__init__(taxonomy)
            self.label = label

        def _nodes_on(self, x: Any) -> list[int]:
            return [self._taxonomy.index(self.label)]

        _learned_nodes_on = _nodes_on

        def _answer(self, x: Any) -> Any:
            return self._dictionary(x)

    t = Taxonomy.flat(["a", "b", "c", "d"])
    model = SuccessiveHalving([Constant(t, label) for label in "abcd"], window=10)
    for label in "abcdca":
        for _ in range(400):
            model.learn_one({"x": 1.0}, {label})
        assert model.best_model.label == label
        assert model.predict_labels_one({}) == [label]


# Taxonomies that change


@pytest.mark.parametrize("taxonomy", [None, OpenTaxonomy("/")])
def test_all_models_learn_new_labels(taxonomy: Any) -> None:
    labels = ["a", "b", "c", "d"] if taxonomy is None else ["a", "a/b", "a/b/c", "d/e"]
    candidates = [HAROW(taxonomy, r=r) for r in (1.0, 2.0, 3.0)]
    candidates += [decision.SymmetricDifferenceBayes(decision.Calibrated(HAROW(taxonomy, r=4.0)))]
    model = SuccessiveHalving(candidates, window=3)
    for i in range(100):
        y = labels[i % (1 + i // 20) % 4]
        model.learn_one({"x": float(i % 5)}, {y})
        for candidate in model.models:
            assert candidate.taxonomy_ == model.taxonomy_
        assert y in model.taxonomy_
    assert set(model.predict_one({"x": 1.0})) == set(model.taxonomy_.nodes[1:])
    if taxonomy is not None:
        named = SuccessiveHalving(
            [m.clone() for m in candidates], metrics.HLoss(taxonomy), window=3
        )
        learned(named, [({"x": 1.0}, {label}) for label in labels * 9])


@pytest.mark.parametrize("steps", [0, 5, 25, 60])
def test_adopt_and_forget_in_all_models(steps: int) -> None:
    candidates = multi(T)
    alone = [candidate.clone() for candidate in candidates]
    model = SuccessiveHalving(candidates, metrics.ZeroOneLoss(T), window=1000)
    examples = list(synth.LinearLabels(T, n_features=4, seed=3).take(steps))
    for x, y in examples:
        for one in (model, *alone):
            one.learn_one(x, y)
    t = T.extend([("e", "new")])
    model.adopt(t)
    model.forget("b")
    for one in alone:
        last = one[list(one.steps)[-1]] if isinstance(one, compose.Pipeline) else one
        last.adopt(t)
        last.forget("b")
    assert model.taxonomy is t
    assert len(model.learning_models) == len(candidates)
    for x, y in synth.LinearLabels(T, n_features=4, seed=4).take(20):
        y = {label for label, on in y.items() if on}
        for ours, theirs in zip(model.models, alone, strict=True):
            assert ours.predict_one(x) == theirs.predict_one(x)
        for one in (model, *alone):
            one.learn_one(x, y)
    assert model.metrics[0].taxonomy == t


def test_a_refused_change_of_taxonomy_changes_nothing() -> None:
    dag = T.extend([("b", "new"), ("c", "new")])
    model = SuccessiveHalving([HAROW(T), decision.HLossBayes(HAROW(T, r=2.0))], window=5)
    learned(model, [({"x": 1.0}, {"c"})] * 8)
    before = pickle.dumps(model)
    for change, message in (
        (lambda: model.adopt(dag), "HLossBayes|tree"),
        (lambda: model.adopt(Taxonomy.flat(["a"])), "not in the new taxonomy|missing|gone"),
        (lambda: model.forget("unknown"), "unknown"),
    ):
        with pytest.raises(ValueError, match=message):
            change()
        assert pickle.dumps(model) == before


def test_a_selection_inside_another_one() -> None:
    """All models of the inner one change and learn."""
    inner = SuccessiveHalving([HAROW(T), HAROW(T, r=2.0)], window=3)
    model = SuccessiveHalving([HPerceptron(T), Replayed(inner, seed=1), inner.clone()], window=5)
    t = T.extend([("e", "new")])
    learned(model, [({"x": 1.0}, {"c"})] * 8)
    model.adopt(t)
    learned(model, [({"y": 1.0}, {"new"})] * 8)
    for candidate in (*model.models, *model.models[1].model.models, *model.models[2].models):
        assert candidate.taxonomy_ is t
    assert model.predict_labels_one({"y": 1.0}) == ["a", "e", "new"]


class Fixed(HPerceptron):
    """Keeps its taxonomy."""

    def _forget(self, nodes: Any) -> None:
        raise ValueError("fixed")

    def _add_nodes(self, before: int, after: Any) -> None:
        raise ValueError("fixed")


def test_a_change_that_one_model_refuses_changes_no_other() -> None:
    model = SuccessiveHalving([HAROW(T), decision.Calibrated(HAROW(T, r=2.0)), Fixed(T)], window=9)
    learned(model, [({"x": 1.0}, {"c"})] * 8)
    weights = [model.models[0].weights, model.models[1].model.weights]
    for change in (lambda: model.adopt(T.extend([("a", "z")])), lambda: model.forget("c")):
        with pytest.raises(ValueError, match="fixed"):
            change()
        assert all(candidate.taxonomy_ == T for candidate in model.models)
        assert [model.models[0].weights, model.models[1].model.weights] == weights
        assert model.best_model in model.models
        learned(model, [({"x": 0.0}, {"c"})])


# Refusals


def test_bad_arguments() -> None:
    flat = Taxonomy.flat(["a"])
    for arguments, error, message in [
        (([],), ValueError, "`models` must have at least one model, got []"),
        (([naive_bayes.GaussianNB()],), TypeError, "must be a model in a taxonomy"),
        (([HAROW],), TypeError, "must be a model in a taxonomy"),
        (([HAROW(T), linear_model.Hieron(T)],), TypeError, "all predict multilabels, or all of"),
        (([HAROW(T), HAROW(flat)],), ValueError, "must have the same taxonomy, got Taxonomy("),
        (([HAROW(T), HAROW()],), ValueError, "must have the same taxonomy"),
        (([HAROW(T)], river_metrics.MAE()), TypeError, "`metric` must be a metric for HAROW"),
        (([HAROW(T)], river_metrics.Accuracy()), TypeError, "`metric` must be a metric for"),
        (([HAROW(T)], "accuracy"), TypeError, "or of River, got 'accuracy'; for a rolling"),
        (
            ([HAROW(T)], utils.Rolling(metrics.HLoss, window_size=3, taxonomy=T)),
            TypeError,
            "for a rolling metric, use `window`",
        ),
        (
            ([HAROW(T)], metrics.HLoss(T) + metrics.ZeroOneLoss(T)),
            ValueError,
            "`metric` must have a single value to compare, got Metrics",
        ),
        (
            ([decision.Calibrated(HAROW(T))], metrics.RankingLoss(T)),
            TypeError,
            "reads scores, but Calibrated(HAROW) has no `score_one`",
        ),
        (([HAROW(T)], None, 0), ValueError, "`window` must be at least 1, got 0"),
        (([HAROW(T)], None, 2.5), TypeError, "`window` must be an integer, got 2.5"),
    ]:
        with pytest.raises(error, match=re.escape(message)):
            SuccessiveHalving(*arguments)


@pytest.mark.parametrize("steps", [0, 3, 12])
def test_a_refused_example_changes_nothing(steps: int) -> None:
    model = SuccessiveHalving(
        [HAROW(T), decision.SymmetricDifferenceBayes(calibrated(T, 0.1)), HPerceptron(T)], window=4
    )
    learned(model, [({"x": 1.0}, {"c"})] * steps)
    before = pickle.dumps(model)
    for x, y, w, message in [
        ({"x": float("nan")}, {"c"}, 1.0, "is nan"),
        ({"x": 1.0}, {"unknown"}, 1.0, "unknown"),
        ({"x": 1.0}, {"c": True, "b": False}, 1.0, "'b'"),
        ({"x": 1.0}, {"c"}, -1.0, "`w`"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.learn_one(x, y, w)
        assert pickle.dumps(model) == before


# With the rest of River and of this library


def test_batches_and_other_functions() -> None:
    pandas = pytest.importorskip("pandas")
    stream = synth.LinearLabels(T, n_features=4, seed=3)
    examples = list(stream.take(60))
    X = pandas.DataFrame([x for x, _ in examples])
    ys = [{label for label, on in y.items() if on} for _, y in examples]
    model = SuccessiveHalving(multi(T), window=5)
    loop = model.clone()
    for x, y in zip(X.to_dict("records"), ys, strict=True):
        loop.learn_one(x, y)
    model.learn_many(X, ys)
    assert model.models.index(model.best_model) == loop.models.index(loop.best_model)
    assert model.predict_many(X).to_dict("records") == [
        loop.predict_one(x) for x in X.to_dict("records")
    ]
    x = X.to_dict("records")[0]
    assert inspection.top_one(model, x, 3) == inspection.top_one(loop.best_model, x, 3)
    assert model.predict_proba_one(x) == loop.predict_proba_one(x)


def test_single_labels_have_no_list_of_labels() -> None:
    model = SuccessiveHalving(single(T))
    with pytest.raises(TypeError, match="predicts one label: call `predict_one`"):
        model.predict_labels_one({})
    assert model._multiclass


def test_river_classifiers_in_a_taxonomy() -> None:
    t = synth.PrototypeTree(branching=2, depth=2, seed=1).taxonomy
    candidates = [local.PerParent(naive_bayes.GaussianNB(), t), linear_model.Hieron(t)]
    grid = utils.expand_param_grid(linear_model.AveragedHieron(t), {"C": [0.1, 1.0]})
    model = model_selection.SuccessiveHalving([*candidates, *grid], window=100)
    metric = metrics.TreeInducedError(t)
    stream = synth.PrototypeTree(branching=2, depth=2, noise=0.09, seed=1)
    losses = [
        evaluate.progressive_val_score(stream.take(500), m.clone(), metric.clone()).get()
        for m in (*candidates, model)
    ]
    assert losses[-1] < 1.2 * min(losses)
