"""Regret and its theoretical bounds, against oracles."""

import itertools
import math
import pickle
import random
import re
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, dummy, naive_bayes, preprocessing, stats
from river import evaluate as river_evaluate
from river import metrics as river_metrics

import oracles
from river_hier import (
    Below,
    Not,
    OpenTaxonomy,
    Taxonomy,
    active,
    evaluate,
    linear_model,
    losses,
    metrics,
)
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.strategies import parents_of, trees

TREE = Taxonomy.from_nested({"animal": {"mammal": {"dog": ["wolf", "fox"]}, "bird": ["owl"]}})
STAR = Taxonomy.flat("abcd")
DAG = Taxonomy([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
LOSSES = [losses.h_loss, losses.zero_one_loss, losses.symmetric_difference_loss]


class Guess(base.MultiLabelClassifier):
    """Switches every node on and off at random; never learns."""

    def __init__(self, taxonomy: Taxonomy, seed: int) -> None:
        self.taxonomy = taxonomy
        self.seed = seed
        self.learned: list[Any] = []

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        self.learned.append((x, y, w))

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        rng = random.Random(f"{self.seed} {x}")
        return {label: rng.random() < 0.5 for label in self.taxonomy.nodes[1:]}


class ClosedGuess(Guess):
    """The same, but it respects the taxonomy."""

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        y = {label for label, on in super().predict_one(x).items() if on}
        on = oracles.truncate(parents_of(self.taxonomy), y)
        return {label: label in on for label in self.taxonomy.nodes[1:]}


class Sign(base.MultiLabelClassifier):
    """The reference classifier of weights under a root."""

    def __init__(self, u: Any) -> None:
        self.u = u

    def learn_one(self, x: Any, y: Any) -> None:
        pass

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        return {i: oracles.dot(u_i, x) >= 0 for i, u_i in self.u.items()}


class Labels(list[Any]):
    """Examples with a taxonomy and no probabilities."""

    taxonomy = TREE


def regrets(*args: Any, **kwargs: Any) -> list[float]:
    return [state["Regret"] for state in evaluate.iter_regret(*args, **kwargs)]


# --- Regret against the same model --------------------------------------------------------------


@pytest.mark.parametrize("make", [linear_model.HPerceptron, linear_model.HRLS])
@pytest.mark.parametrize("loss", [*LOSSES, losses.tree_induced_error, metrics.HLoss(TREE)])
def test_a_model_has_no_regret_against_itself(make: Any, loss: Any) -> None:
    stream = synth.LinearLabels(TREE, n_features=4, seed=1).take(60)
    model = make(TREE)
    assert regrets(stream, model, model, loss) == [0.0] * 60
    assert evaluate.regret(stream, make(TREE), make(TREE).clone(), loss) == 0.0
    assert make(TREE).score_one({0: 1.0}) != model.score_one({0: 1.0})  # it has learned


def test_the_same_object_as_both_learns_once() -> None:
    stream = synth.LinearLabels(TREE, seed=2).take(30)
    both, model, comparator = Guess(TREE, 0), Guess(TREE, 1), Guess(TREE, 2)
    assert evaluate.regret(stream, both, both, losses.h_loss) == 0.0
    evaluate.regret(stream, model, comparator, losses.h_loss)
    assert both.learned == model.learned == comparator.learned
    assert [(x, y) for x, y, _ in both.learned] == list(stream)


def test_single_label_models() -> None:
    stream = synth.PrototypeTree(branching=2, depth=3, noise=0.01, seed=3).take(300)
    model, t = linear_model.Hieron(stream.taxonomy), stream.taxonomy
    assert evaluate.regret(stream, model, model, losses.tree_induced_error) == 0.0
    flat = linear_model.Hieron(t.flatten())
    states = list(evaluate.iter_regret(stream, model.clone(), flat, metrics.TreeInducedError(t)))
    ours, theirs = linear_model.Hieron(t), linear_model.Hieron(t.flatten())
    sums = [0, 0]
    for (x, y), state in zip(stream, states, strict=True):
        for i, learner in enumerate((ours, theirs)):
            sums[i] += t.distance(y, learner.predict_one(x))
            learner.learn_one(x, y)
        assert (state["Loss"], state["Comparator"]) == tuple(sums)
        assert state["Regret"] == sums[0] - sums[1]


def test_pipelines() -> None:
    stream = synth.LinearLabels(TREE, n_features=3, seed=4)
    prefix = stream.take(100)
    model = preprocessing.Normalizer() | linear_model.HPerceptron(TREE)
    bare = linear_model.HPerceptron(TREE)
    assert evaluate.regret(prefix, model, bare, losses.h_loss) == pytest.approx(0, abs=1e-9)
    assert evaluate.regret(prefix, model.clone(), stream.reference, losses.h_loss) > 0
    scaled = preprocessing.StandardScaler() | linear_model.HPerceptron(TREE)
    assert evaluate.regret(prefix, scaled, model.clone(), losses.h_loss) != 0


# --- Expected and sampled -----------------------------------------------------------------------


@given(taxonomy=trees(max_nodes=6), seed=st.integers(0, 10**6))
@n_examples(25)
def test_expected_losses_equal_those_of_the_oracle(taxonomy: Taxonomy, seed: int) -> None:
    stream = synth.LinearLabels(taxonomy, n_features=3, seed=seed, drift_at=2)
    parents = parents_of(taxonomy)
    costs = {label: 1.0 + i for i, label in enumerate(taxonomy.nodes[1:])}
    pairs = [
        (metrics.HLoss(taxonomy), oracles.expected_h_loss),
        (metrics.HLoss(taxonomy, costs), partial(oracles.expected_h_loss, costs=costs)),
        (losses.h_loss, oracles.expected_h_loss),
        (losses.zero_one_loss, oracles.expected_zero_one_loss),
        (losses.symmetric_difference_loss, oracles.expected_symmetric_difference_loss),
        (losses.tree_induced_error, oracles.expected_symmetric_difference_loss),
    ]
    for loss, expected in pairs:
        model, comparator = ClosedGuess(taxonomy, seed), stream.reference
        states = evaluate.iter_regret(stream.take(4), model, comparator, loss)
        total = 0.0
        for step, ((x, _), state) in enumerate(zip(stream, states, strict=False)):
            on = {label for label, yes in model.predict_one(x).items() if yes}
            total += expected(parents, stream.probabilities(x, step), {taxonomy.root} | on)
            assert state["Loss"] == pytest.approx(total)


def test_plain_lists_need_a_metric() -> None:
    stream = synth.LinearLabels(TREE, seed=5)
    examples = list(stream.take(50))
    sampled = evaluate.regret(examples, Guess(TREE, 0), stream.reference, metrics.HLoss(TREE))
    assert sampled == int(sampled)
    y_pred = [Guess(TREE, 0).predict_one(x) for x, _ in examples]
    ours = sum(losses.h_loss(TREE, y, said) for (_, y), said in zip(examples, y_pred, strict=True))
    theirs = sum(losses.h_loss(TREE, y, stream.reference.predict_one(x)) for x, y in examples)
    assert sampled == ours - theirs
    with pytest.raises(ValueError, match=r"losses.h_loss needs a taxonomy.*metrics.HLoss\(taxo"):
        evaluate.regret(examples, Guess(TREE, 0), stream.reference, losses.h_loss)


def test_in_a_dag_losses_are_sampled() -> None:
    stream = synth.LinearLabels(DAG, seed=6)
    value = evaluate.regret(stream.take(50), Guess(DAG, 0), stream.reference, losses.h_loss)
    assert value == int(value)


def test_views_of_a_drifting_stream_have_its_steps() -> None:
    stream = synth.LinearLabels(TREE, n_features=4, seed=1, drift_at=100).take(200)
    run = Guess(TREE, 0), stream.reference, losses.h_loss
    total = pytest.approx(evaluate.regret(stream, *run))
    parts = [stream.where(lambda x, y, on=on: (x[0] > 0) == on) for on in (True, False)]
    assert sum(evaluate.regret(part.take(200), *run) for part in parts) == total
    assert evaluate.regret(stream.shuffle(50, seed=1), *run) == total
    assert evaluate.regret(parts[0].shuffle(seed=1).take(200), *run) == pytest.approx(
        evaluate.regret(parts[0], *run)
    )


# --- Several models, delays and intervals -------------------------------------------------------


@given(seed=st.integers(0, 10**6), delay=st.one_of(st.none(), st.integers(0, 12)))
@n_examples(20)
def test_one_pass_equals_a_plain_loop_for_each_model(seed: int, delay: int | None) -> None:
    """The label of an example arrives before the question `delay` steps later."""
    stream = synth.LinearLabels(TREE, n_features=4, seed=seed, drift_at=9, drift_width=5).take(30)

    def models() -> dict[str, Any]:
        return {"p": linear_model.HPerceptron(TREE), "r": linear_model.HRLS(TREE)}

    before, moving, given = stream.reference.at(0), stream.reference, models()
    comparators = {"before": before, "moving": moving, "r": given["r"]}  # r is both: learns once
    *_, last = evaluate.iter_regret(
        stream, given, comparators, losses.h_loss, step=7, delay=delay, measure_time=True
    )
    sums = dict.fromkeys(("p", "r", "before", "moving"), 0.0)
    learners, waiting = models(), []
    for step, (x, y) in enumerate(stream):
        while waiting and delay is not None and waiting[0][0] + delay <= step:
            _, *old = waiting.pop(0)
            for model in learners.values():
                model.learn_one(*old)
        answers = {name: model.predict_one(x) for name, model in learners.items()}
        answers["before"] = before.predict_one(x)
        answers["moving"] = stream.reference.at(step).predict_one(x)
        for name, answer in answers.items():
            p = stream.probabilities(x, step)
            sums[name] += losses.expected_h_loss(TREE, p, answer)
        waiting.append((step, x, y))
        if delay is None:
            for model in learners.values():
                model.learn_one(x, y)
    assert last["Step"] == 30
    assert last["Loss"] == pytest.approx({name: sums[name] for name in "pr"})
    assert last["Comparator"] == pytest.approx({name: sums[name] for name in comparators})
    for name in "pr":
        for other in comparators:
            assert last["Regret"][name][other] == pytest.approx(sums[name] - sums[other])
    assert last["Regret"]["r"]["r"] == 0.0
    assert last["Time"].total_seconds() > 0
    again = evaluate.regret(stream, models(), moving, losses.h_loss, delay=delay)
    assert again == {name: last["Regret"][name]["moving"] for name in "pr"}


def test_moments_are_those_of_rivers_loop() -> None:
    """Labels that arrive in another order than their questions."""
    stream = synth.LinearLabels(TREE, n_features=3, seed=3)
    examples = [({**x, "at": 3.1 * i}, y) for i, (x, y) in enumerate(stream.take(12))]
    waits = {x["at"]: wait for (x, _), wait in zip(examples, [9.0, 2.5, 0.5] * 4, strict=True)}
    guess, metric = Guess(TREE, 0), metrics.HLoss(TREE)
    evaluate.regret(examples, guess, guess, metric, moment="at", delay=lambda x, y: waits[x["at"]])
    arrived = [x["at"] for x, *_ in guess.learned]
    assert arrived == sorted(waits, key=lambda at: at + waits[at])
    assert arrived != sorted(arrived)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=12), st.booleans())
@n_examples(60)
def test_adaptive_regret_is_that_of_the_worst_interval(gains: Any, several: bool) -> None:
    curves = [[0, *itertools.accumulate(gain)] for gain in zip(*gains, strict=True)]
    curves = (curves or [[0], [0]])[: 1 + several]
    states = [
        {"Step": step, "Loss": 0, "Regret": dict(enumerate(values)) if several else values[0]}
        for step, values in enumerate(zip(*curves, strict=True))
        if step
    ]
    found = evaluate.adaptive_regret(states)
    worst = max(
        curve[b] - curve[a] for curve in curves for b in range(len(curve)) for a in range(b + 1)
    )
    assert found["Regret"] == worst
    assert any(curve[found["To"]] - curve[found["From"]] == worst for curve in curves)


def test_adaptive_regret_of_several_losses_and_models() -> None:
    stream = synth.LinearLabels(TREE, n_features=4, seed=1, drift_at=60).take(120)
    models = {"p": linear_model.HPerceptron(TREE), "r": linear_model.HRLS(TREE)}
    moments = {"before": stream.reference.at(0), "after": stream.reference.at(60)}
    given = {"h": losses.h_loss, "0-1": losses.zero_one_loss}
    states = list(evaluate.iter_regret(stream, models, moments, given, step=20))
    found = evaluate.adaptive_regret(iter(states))
    for loss, name in itertools.product(given, models):
        alone = [
            {"Step": s["Step"], "Loss": 0.0, "Regret": s["Regret"][loss][name]} for s in states
        ]
        assert found[loss][name] == evaluate.adaptive_regret(alone)
    assert 0 < found["h"]["p"]["Regret"] != found["h"]["r"]["Regret"] > 0


# --- Losses -------------------------------------------------------------------------------------

RIVERS: dict[str, Any] = {
    "accuracy": river_metrics.Accuracy,
    "F1": river_metrics.MicroF1,
    "precision": river_metrics.MicroPrecision,
    "recall": river_metrics.MicroRecall,
    "log": river_metrics.CrossEntropy,
}


@pytest.mark.parametrize("delay", [None, 5])
def test_rivers_metrics_in_one_pass(delay: int | None) -> None:
    stream = synth.PrototypeTree(branching=2, depth=2, noise=0.1, seed=1)
    t, examples = stream.taxonomy, list(stream.take(100))

    def models() -> list[Any]:
        return [linear_model.PathSoftmax(t), linear_model.PathSoftmax(t.flatten())]

    given = {name: metric() for name, metric in RIVERS.items()}
    given["log"].update("a", {"a": 0.1})  # the metric itself is neither read nor changed
    *_, last = evaluate.iter_regret(examples, *models(), given, step=7, delay=delay)
    for name, metric in RIVERS.items():
        ours = []
        for model in models():
            score = river_evaluate.progressive_val_score(examples, model, metric(), delay=delay)
            ours.append(100 * (1 - score.get() if score.bigger_is_better else score.get()))
        assert [last["Loss"][name], last["Comparator"][name]] == pytest.approx(ours), name
        assert last["Regret"][name] == pytest.approx(ours[0] - ours[1])
        assert evaluate.regret(examples, *models(), metric(), delay=delay) == last["Regret"][name]
    assert given["log"].get() == -math.log(0.1)


def test_two_classes_and_rivers_multilabels() -> None:
    stream = synth.LinearLabels(Taxonomy.flat(["on"]), n_features=3, seed=1)
    binary = [(x, y["on"]) for x, y in stream.take(50)]
    model, other = naive_bayes.GaussianNB(), dummy.PriorClassifier()
    found = evaluate.regret(binary, model, other, river_metrics.LogLoss())
    scores = [
        river_evaluate.progressive_val_score(binary, m.clone(), river_metrics.LogLoss()).get()
        for m in (model, other)
    ]
    assert found == pytest.approx(49 * (scores[0] - scores[1]))  # the first answer is {}
    exact, several = river_metrics.multioutput.ExactMatch(), list(stream.take(50))
    run = linear_model.HPerceptron(stream.taxonomy), stream.reference
    assert evaluate.regret(several, *run, exact) == evaluate.regret(
        several, run[0].clone(), run[1], metrics.ZeroOneLoss(stream.taxonomy)
    )


def test_scores_and_probabilities_of_several_labels() -> None:
    """Models are asked for what the metric takes; those of River's loop must be wrapped."""
    stream = synth.LinearLabels(TREE, n_features=4, seed=1)
    given = {"log": metrics.LogLoss(TREE), "rank": metrics.RankingLoss(TREE), "h": losses.h_loss}
    learner = preprocessing.Normalizer() | linear_model.HRLS(TREE)
    *_, last = evaluate.iter_regret(stream.take(400), learner, stream.reference, given)
    for name, view in (("log", evaluate.Probabilities), ("rank", evaluate.Ranked)):
        for key, model in (("Loss", learner), ("Comparator", stream.reference)):
            metric, fresh = given[name].clone(), view(model.clone())
            river_evaluate.progressive_val_score(stream.take(400), fresh, metric)
            assert last[key][name] == pytest.approx(400 * metric.get())
            wrapped = evaluate.regret(stream.take(20), fresh, fresh, metric.clone())
            assert wrapped == 0.0
    assert last["Regret"]["log"] > 0 < last["Regret"]["h"]
    with pytest.raises(TypeError, match="`model` must be a multilabel classifier, got Hieron"):
        evaluate.regret([], linear_model.Hieron(TREE), stream.reference, given["log"])


def test_a_function_of_ones_own() -> None:
    stream = synth.PrototypeTree(branching=2, depth=2, noise=0.1, seed=1).take(100)
    model, flat = (linear_model.Hieron(t) for t in (stream.taxonomy, stream.taxonomy.flatten()))
    own = evaluate.regret(stream, model, flat, lambda y, said: 3.0 * (y != said))
    right = evaluate.regret(stream, model.clone(), flat.clone(), river_metrics.Accuracy())
    assert own == 3 * right != 0


def test_labels_below_a_node_and_open_taxonomies() -> None:
    below = [({"x": 1.0}, Below("mammal")), ({"x": -1.0}, "owl"), ({"x": 1.0}, "fox")] * 5
    model, root = linear_model.PathSoftmax(TREE), dummy.NoChangeClassifier()
    root.predict_one = lambda x: "animal"
    root.learn_one = lambda x, y: None
    *_, last = evaluate.iter_regret(below, model, root, metrics.TreeInducedError(TREE))
    metric = metrics.TreeInducedError(TREE)
    river_evaluate.progressive_val_score(below, model.clone(), metric)
    assert last["Loss"] == pytest.approx(15 * metric.get())
    assert last["Comparator"] == 5 * (1 + 2 + 3)
    for part in (Below("mammal"), Not("owl")):
        with pytest.raises(
            TypeError, match=rf"Accuracy needs whole labels, got {re.escape(str(part))}"
        ):
            evaluate.regret([({"x": 1.0}, part)] * 2, model, root, river_metrics.Accuracy())
    new = [({"x": 1.0}, ("a", "b")), ({"x": -1.0}, ("a", "c"))] * 5
    grows, metric = linear_model.Hieron(OpenTaxonomy()), metrics.TreeInducedError(OpenTaxonomy())
    river_evaluate.progressive_val_score(new, grows.clone(), metric)
    *_, last = evaluate.iter_regret(new, grows, grows, metrics.TreeInducedError(OpenTaxonomy()))
    assert last["Loss"] == pytest.approx(9 * metric.get()) != 0  # at first there is no answer


@pytest.mark.parametrize("delay", [None, 3])
def test_samplers_learn_what_they_ask_for(delay: int | None) -> None:
    stream = synth.PrototypeTree(branching=2, depth=2, noise=0.05, seed=1)
    t, examples = stream.taxonomy, [(x, y, {}) for x, y in stream.take(200)]

    def sampler() -> Any:
        scaled = preprocessing.Normalizer()
        return scaled | active.MarginSampler(linear_model.PathSoftmax(t), budget=0.2)

    given = {"path": metrics.TreeInducedError(t), "log": river_metrics.CrossEntropy()}
    ours, all_labels = sampler(), linear_model.PathSoftmax(t)
    *_, last = evaluate.iter_regret(examples, ours, all_labels, given, delay=delay)
    theirs, waiting, total = sampler(), [], 0
    for step, (x, y, _) in enumerate(examples):
        while waiting and waiting[0][0] + (delay or 0) <= step:
            theirs.learn_one(*waiting.pop(0)[1:])
        y_pred, ask = theirs.predict_one(x)
        total += t.distance(y, y_pred)
        waiting += [(step, x, y)] if ask else []
    assert last["Loss"]["path"] == total
    assert last["Regret"]["log"] > 0
    for _, x, y in waiting:
        theirs.learn_one(x, y)
    last_x = examples[0][0]
    assert ours.predict_proba_one(last_x) == theirs.predict_proba_one(last_x)


# --- Comparators that stop, and that switch -----------------------------------------------------


def test_a_fixed_model_does_not_learn_while_the_model_does() -> None:
    stream = synth.LinearLabels(TREE, n_features=4, seed=2)
    model = linear_model.HRLS(TREE)
    for x, y in stream.take(30):
        model.learn_one(x, y)
    rest, frozen = list(stream.take(100))[30:], model.clone(include_attributes=True)
    *_, last = evaluate.iter_regret(rest, model, evaluate.fixed(model), metrics.HLoss(TREE))
    assert last["Comparator"] == sum(losses.h_loss(TREE, y, frozen.predict_one(x)) for x, y in rest)
    assert last["Loss"] != last["Comparator"]
    assert model.score_one({0: 1.0}) != frozen.score_one({0: 1.0})


@pytest.mark.parametrize("keep", [lambda x, y: True, lambda x, y: sum(x.values()) > 0.0])
def test_models_and_comparators_adopt_the_edits_of_a_stream(keep: Any) -> None:
    """Each as a loop that edits it; in a view, when the stream has reached the edit."""
    whole = synth.PrototypeTree(branching=3, depth=2, noise=0.2, seed=1)
    first = whole.taxonomy.edit([{"move": "1.1", "to": "2"}])
    second = first.after.edit([{"merge": ["3.1", "3.2"], "to": "3.1"}])
    stream = synth.Edited(synth.Edited(whole, first, 60), second, 90).where(keep).take(120)
    started = linear_model.PathSoftmax(whole.taxonomy)
    for x, y in whole.take(50):
        started.learn_one(x, y)
    model, other = started.clone(), linear_model.Hieron(whole.taxonomy)
    loop = [model.clone(), other.clone(), started.clone(include_attributes=True)]
    expected = [0.0, 0.0, 0.0]
    edits = [(60, first), (90, second)]
    for step, (x, y) in stream._numbered():
        while edits and step >= edits[0][0]:
            for each in loop:
                each.adopt(edits[0][1])
            del edits[0]
        expected = [
            total + losses.tree_induced_error(second.after, y, each.predict_one(x))
            for total, each in zip(expected, loop, strict=True)
        ]
        for each in loop[:2]:
            each.learn_one(x, y)
    comparators = {"other": other, "fixed": evaluate.fixed(started)}
    *_, last = evaluate.iter_regret(stream, model, comparators, losses.tree_induced_error)
    assert last["Loss"] == expected[0]
    assert [*last["Comparator"].values()] == expected[1:]
    assert model.taxonomy_ == other.taxonomy_ == second.after
    assert started.taxonomy_ == whole.taxonomy


@given(st.data(), st.integers(1, 3), st.integers(0, 3), st.integers(1, 6))
@n_examples(40)
def test_the_best_sequence_of_comparators(data: Any, n: int, switches: int, steps: int) -> None:
    table = data.draw(st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=steps))
    stream = [({"t": t}, "a") for t in range(len(table))][:steps]

    class Says(base.Classifier):
        def __init__(self, member: int) -> None:
            self.member = member

        def learn_one(self, x: Any, y: Any) -> None: ...

        def predict_one(self, x: Any, **kwargs: Any) -> Any:
            return table[x["t"]][self.member] if self.member >= 0 else 9

    family = [Says(member) for member in range(n)]
    comparators = {"best": evaluate.best(family, switches), "single": evaluate.best(family)}
    *_, last = evaluate.iter_regret(stream, Says(-1), comparators, lambda y, said: said)
    totals = {"best": [], "single": []}
    for chosen in itertools.product(range(n), repeat=len(stream)):
        changes = sum(a != b for a, b in itertools.pairwise(chosen))
        for name, most in (("best", switches), ("single", 0)):
            if changes <= most:
                totals[name].append(sum(table[t][v] for t, v in enumerate(chosen)))
    assert last["Comparator"] == {name: min(of) for name, of in totals.items()}
    assert last["Regret"] == {name: 9 * len(stream) - min(of) for name, of in totals.items()}


def test_wrong_families() -> None:
    with pytest.raises(ValueError, match="`comparators` must hold models, got none"):
        evaluate.best([])
    with pytest.raises(ValueError, match="`switches` must be at least 0"):
        evaluate.best([Guess(TREE, 0)], switches=-1)
    with pytest.raises(TypeError, match=r"`comparator` must be a classifier.*, got None"):
        evaluate.regret([], Guess(TREE, 0), evaluate.best([None]), metrics.HLoss(TREE))


# --- Comparators that cannot be beaten ----------------------------------------------------------


@pytest.mark.parametrize("drift", [{}, {"drift_at": 30}, {"drift_at": 10, "drift_width": 40}])
@pytest.mark.parametrize("loss", LOSSES)
def test_below_the_root_the_reference_classifier_is_the_best(loss: Any, drift: Any) -> None:
    stream = synth.LinearLabels(STAR, n_features=3, seed=7, **drift)
    for model in (Guess(STAR, 0), linear_model.HPerceptron(STAR), linear_model.HRLS(STAR)):
        values = [0.0, *regrets(stream.take(80), model, stream.reference, loss)]
        assert all(a <= b + 1e-9 for a, b in itertools.pairwise(values))
        assert values[-1] > 0


def test_a_reference_may_be_used_twice() -> None:
    stream = synth.LinearLabels(STAR, n_features=3, seed=7, drift_at=30)
    reference = stream.reference
    first, second = (
        evaluate.regret(stream.take(80), Guess(STAR, 0), reference, losses.h_loss) for _ in range(2)
    )
    assert first == second > 0.0


# --- The loop -----------------------------------------------------------------------------------


def test_steps() -> None:
    stream = synth.LinearLabels(TREE, seed=9)

    def states(k: int, step: int) -> Any:
        guess = Guess(TREE, 0)
        return list(
            evaluate.iter_regret(stream.take(k), guess, stream.reference, losses.h_loss, step)
        )

    every = states(25, 1)
    assert [state["Step"] for state in every] == list(range(1, 26))
    assert states(25, 10) == [every[9], every[19], every[24]]
    assert states(20, 10) == [every[9], every[19]]
    assert states(25, 100) == [every[24]]
    assert states(0, 1) == []
    assert list(every[0]) == ["Step", "Loss", "Comparator", "Regret"]
    value = evaluate.regret(stream.take(25), Guess(TREE, 0), stream.reference, losses.h_loss)
    assert value == every[24]["Regret"]
    assert type(value) is float
    assert evaluate.regret([], Guess(TREE, 0), stream.reference, metrics.HLoss(TREE)) == 0.0


def test_an_endless_stream_can_be_followed() -> None:
    stream = synth.LinearLabels(TREE, seed=10)
    states = evaluate.iter_regret(stream, Guess(TREE, 0), stream.reference, losses.h_loss)
    seen = [state["Step"] for state in itertools.islice(states, 5)]
    assert seen == [1, 2, 3, 4, 5]


def test_the_metric_is_not_updated() -> None:
    stream = synth.LinearLabels(TREE, seed=11)
    loss = metrics.HLoss(TREE, costs={"owl": 2.0})
    loss.update({"owl"}, {"mammal"})
    before = pickle.dumps(loss)
    evaluate.regret(stream.take(20), Guess(TREE, 0), stream.reference, loss)
    evaluate.regret(list(stream.take(20)), Guess(TREE, 0), stream.reference, loss)
    assert pickle.dumps(loss) == before


def test_weights_reach_the_models_that_take_them() -> None:
    stream = synth.LinearLabels(TREE, seed=12)
    weighted = [(x, y, {"w": float(i)}) for i, (x, y) in enumerate(stream.take(10))]
    model, plain = Guess(TREE, 0), stream.reference
    evaluate.regret(weighted, model, plain, metrics.HLoss(TREE))
    assert [w for *_, w in model.learned] == [float(i) for i in range(10)]
    assert pickle.dumps(plain) == pickle.dumps(stream.reference)


@pytest.mark.parametrize("silence", [None, {}])
def test_a_missing_prediction_counts_for_neither(silence: Any) -> None:
    stream = synth.LinearLabels(TREE, seed=13, drift_at=8)
    examples = [(x, y, {}) for x, y in stream.take(20)]

    class Quiet(Guess):
        def predict_one(self, x: Any, **kwargs: Any) -> Any:
            return super().predict_one(x) if len(self.learned) % 2 else silence

    stream_like = Labels(examples)
    shy, always = Quiet(TREE, 0), Guess(TREE, 1)
    for left, right in ((shy, always), (always, shy)):
        left, right = left.clone(), right.clone()
        *_, last = evaluate.iter_regret(stream_like, left, right, losses.h_loss)
        heard = examples[1::2]
        for said, total in ((left, last["Loss"]), (right, last["Comparator"])):
            answers = Guess(TREE, said.seed)
            assert total == sum(losses.h_loss(TREE, y, answers.predict_one(x)) for x, y, _ in heard)
        assert len(left.learned) == len(right.learned) == 20


# --- Errors -------------------------------------------------------------------------------------


def test_an_endless_stream_has_no_final_regret() -> None:
    stream = synth.LinearLabels(TREE, seed=14)
    message = r"LinearLabels is endless; give a prefix of it, such as .take\(1000\)"
    for endless in (stream, stream.shuffle(seed=1)):
        with pytest.raises(ValueError, match=message):
            evaluate.regret(endless, Guess(TREE, 0), stream.reference, losses.h_loss)
    with pytest.raises(ValueError, match=message):
        evaluate.hrls_bound(TREE, stream.weights, stream)
    with pytest.raises(ValueError, match="PrototypeTree is endless"):
        evaluate.hieron_bound(TREE, {}, synth.PrototypeTree(2, 2))


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (metrics.HLoss, TypeError, "`loss` must be a metric .* got HLoss$"),
        (metrics.HF1(TREE), TypeError, "got HF1$"),
        (river_metrics.F1(), TypeError, "got F1$"),
        (river_metrics.RMSE(), TypeError, "got RMSE$"),
        (river_metrics.MicroJaccard(), TypeError, "got MicroJaccard$"),
        (metrics.HLoss(TREE) + metrics.ZeroOneLoss(TREE), TypeError, "got Metrics$"),
        (losses.expected_h_loss, TypeError, "got expected_h_loss$"),
        (lambda t, y, said: 0.0, TypeError, "got <lambda>$"),
        ("h_loss", TypeError, "such as metrics.HLoss.*, got str$"),
        (None, TypeError, "got NoneType$"),
    ],
)
def test_wrong_losses(loss: Any, error: type[Exception], message: str) -> None:
    stream = synth.LinearLabels(TREE, seed=15)
    with pytest.raises(error, match=message):  # at the call, not at the first step
        evaluate.iter_regret(stream, Guess(TREE, 0), stream.reference, loss)


def test_wrong_models() -> None:
    stream = synth.LinearLabels(TREE, seed=16)
    regressor = dummy.StatisticRegressor(stats.Mean())
    with pytest.raises(TypeError, match=r"`model` must be a classifier, .* got StatisticRegressor"):
        evaluate.iter_regret(stream, regressor, stream.reference, losses.h_loss)
    with pytest.raises(TypeError, match=r"`comparator` must be a classifier, .*, got None"):
        evaluate.iter_regret(stream, stream.reference, None, losses.h_loss)


@pytest.mark.parametrize("step", [0, -1, 1.5, True, None])
def test_wrong_steps(step: Any) -> None:
    stream = synth.LinearLabels(TREE, seed=17)
    with pytest.raises((TypeError, ValueError), match=r"`step` must be (an integer|at least 1)"):
        evaluate.iter_regret(stream, Guess(TREE, 0), stream.reference, losses.h_loss, step)


# --- Bounds that a broken learner exceeds -------------------------------------------------------

Learn = Callable[[Any, Any], None]
BROKEN: dict[str, Callable[[Learn, Any], Learn]] = {
    "no": lambda learn, other: learn,
    "it learns nothing": lambda learn, other: lambda x, y: None,
    "its sign is wrong": lambda learn, other: lambda x, y: learn(x, other(y)),
}


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("depth", [1, 2])
def test_theorem_2_of_hrls_says_something(depth: int, broken: str) -> None:
    """With wide margins the bound is below the loss of a learner that always errs."""
    t = Taxonomy([("root", "a"), ("a", "b")][:depth])
    margin, T = {1: (0.9, 1000), 2: (0.8, 4000)}[depth]
    stream = synth.LinearLabels(t, n_features=2, seed=0)
    clear = stream.where(lambda x, y: min(map(abs, stream.scores(x).values())) >= margin)
    examples = clear.take(T)
    model: Any = linear_model.HRLS(t)
    model.learn_one = BROKEN[broken](model.learn_one, lambda y: dict.fromkeys(y, not y["a"]))
    found = evaluate.regret(examples, model, Sign(stream.weights), losses.h_loss)
    bound = evaluate.hrls_bound(t, stream.weights, examples)
    assert 0 < bound < T / 2
    assert (found <= bound) == (broken == "no"), (found, bound)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("broken", BROKEN)
def test_the_theorems_on_hieron_say_something(broken: str) -> None:
    """Two leaves, unit x within 45 degrees of an axis: few errors in all, and .3 expected."""
    t, m, omega = Taxonomy.flat("ab"), 10_000, math.sqrt(2)
    rng = random.Random(0)
    examples = []
    for _ in range(m):
        y, angle = rng.choice("ab"), rng.uniform(-math.pi / 4, math.pi / 4)
        examples.append(({0: math.cos(angle) * (1 if y == "a" else -1), 1: math.sin(angle)}, y))
    weights = {"a": {0: omega}, "b": {0: -omega}}
    bound = evaluate.hieron_bound(t, weights, examples)
    assert bound == pytest.approx(8)
    batch_bound = evaluate.hieron_risk_bound(t, weights, examples, bound)
    lambda_ = 3 * 2 * 2  # k B^2 gamma_max
    formula = (bound + lambda_) / (m + 1) + lambda_ * math.sqrt(2 * math.log(20) / m)
    assert batch_bound == pytest.approx(formula)
    assert batch_bound < 0.3
    assert evaluate.hieron_risk_bound(t, weights, [*examples, ({0: 1.0}, "b")], bound) == math.inf
    batch: Any = linear_model.AveragedHieron(t, math.inf, from_first_round=True)
    online: Any = linear_model.Hieron(t, math.inf)
    errors = 0
    for model in (batch, online):
        model.learn_one = BROKEN[broken](model.learn_one, {"a": "b", "b": "a"}.__getitem__)
    for x, y in examples:
        errors += t.distance(y, online.predict_one(x))
        online.learn_one(x, y)
        batch.learn_one(x, y)
    expected = np.mean([t.distance(y, batch.predict_one(x)) for x, y in examples[-1000:]])
    assert (errors <= bound) == (expected <= batch_bound) == (broken == "no")


# --- Hieron's bound -----------------------------------------------------------------------------


Stream = list[tuple[Any, Any]]


def random_weights(taxonomy: Taxonomy, rng: random.Random, size: float = 1.0) -> Any:
    return {v: {i: rng.gauss(0, size) for i in range(3)} for v in taxonomy.nodes[1:]}


def noisy(taxonomy: Taxonomy, rng: random.Random, m: int) -> Stream:
    """Labels that mostly, but not always, follow some weights."""
    omega = {taxonomy.root: {}} | random_weights(taxonomy, rng)
    examples = []
    for _ in range(m):
        x = {i: rng.gauss(0, 1) for i in range(3)}
        y = oracles.argmax(oracles.prototype_scores(parents_of(taxonomy), omega, x))
        examples.append((x, y if rng.random() < 0.8 else rng.choice(taxonomy.nodes)))
    return examples


def largest_losses(taxonomy: Taxonomy, omega: Any, examples: Stream) -> list[dict[Any, float]]:
    """The loss (Eq. 5) of omega against each other label."""
    full = {v: omega.get(v, {}) for v in taxonomy}
    parents = parents_of(taxonomy)
    return [
        {r: oracles.hieron_loss(parents, full, x, y, r) for r in taxonomy if r != y}
        for x, y in examples
    ]


def naive_hieron_bound(taxonomy: Taxonomy, omega: Any, examples: Stream, C: float) -> float:
    far = max(taxonomy.distance(u, v) for u in taxonomy for v in taxonomy)
    R2 = max(oracles.dot(x, x) for x, _ in examples)
    norm2 = sum(oracles.dot(w, w) for w in omega.values())
    losses_ = largest_losses(taxonomy, omega, examples)
    if math.inf > C:
        hinge = sum(max(each.values()) for each in losses_)
        return max(far * R2, math.sqrt(far) / C) * (norm2 + 2 * C * hinge)
    L2 = sum(
        max(loss**2 / taxonomy.distance(y, r) for r, loss in each.items()) / oracles.dot(x, x)
        for (x, y), each in zip(examples, losses_, strict=True)
    )
    return far * R2 * (math.sqrt(L2) + math.sqrt(L2 + norm2)) ** 2


@pytest.mark.parametrize("C", [math.inf, 1.0, 0.05])
@given(taxonomy=trees(min_nodes=2), seed=st.integers(0, 10**6), m=st.integers(1, 40))
@n_examples(30)
def test_no_weights_make_the_bound_less_than_hierons_error(
    C: float, taxonomy: Taxonomy, seed: int, m: int
) -> None:
    """Of any data and any weights, those found in hindsight included."""
    rng = random.Random(seed)
    examples = noisy(taxonomy, rng, m)
    model, error = oracles.Hieron(parents_of(taxonomy), C), 0.0
    for x, y in examples:
        answer = model.predict(x)
        loss = oracles.hieron_loss(model.parents, model.w, x, y, answer)
        assert losses.hieron_loss(taxonomy, y, model.scores(x)) == pytest.approx(loss)
        error += taxonomy.distance(y, answer)
        model.learn(x, y)
    found = evaluate.hieron_weights(taxonomy, examples, C if math.inf > C else 1.0, n_passes=10)
    for omega in ({}, found, *(random_weights(taxonomy, rng, size) for size in (0.3, 1, 3))):
        bound = evaluate.hieron_bound(taxonomy, omega, examples, C)
        assert bound == pytest.approx(naive_hieron_bound(taxonomy, omega, examples, C))
        assert error <= bound + 1e-9


@given(taxonomy=trees(min_nodes=2), seed=st.integers(0, 10**6))
@n_examples(20)
def test_hieron_weights_are_best_in_hindsight(taxonomy: Taxonomy, seed: int) -> None:
    """None near them, or far, have a smaller norm and loss."""
    rng = random.Random(seed)
    examples, C = noisy(taxonomy, rng, 12), 10 ** rng.uniform(-2, 1)

    def cost(omega: Any) -> float:
        hinge = sum(max(each.values()) for each in largest_losses(taxonomy, omega, examples))
        return float(sum(oracles.dot(w, w) for w in omega.values()) / 2 + C * hinge)

    found = evaluate.hieron_weights(taxonomy, examples, C, n_passes=300)
    least = cost(found) * (1 - 2e-3)
    for size in (0.0, 1e-3, 0.03, 1.0):
        for shrink in (0.9, 0.99, 1.01):
            other = random_weights(taxonomy, rng, size)
            near = {
                v: {i: shrink * w[i] + other[v][i] for i in w if i < 3} for v, w in found.items()
            }
            assert cost(near) >= least


def test_hieron_weights_meet_all_margins_if_any_do() -> None:
    stream = synth.PrototypeTree(branching=2, depth=2, noise=1e-4, seed=1)
    t, examples = stream.taxonomy, list(stream.take(100))
    found = evaluate.hieron_weights(t, examples, n_passes=500)
    assert max(map(max, (e.values() for e in largest_losses(t, found, examples)))) < 1e-3
    bound, u = evaluate.hieron_bound(t, found, examples), stream.prototypes
    origin = u[t.root]
    known = {
        v: {i: 2.2 * (u[v][i] - u[p][i]) - 1.1 * origin[i] for i in origin} for p, v in t.edges
    }
    assert max(map(max, (e.values() for e in largest_losses(t, known, examples)))) == 0
    assert bound < 0.9 * evaluate.hieron_bound(t, known, examples)


def test_hieron_bound_errors() -> None:
    t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    w = {"wolf": {"howls": 1.0, "hoots": -1.0}, "owl": {"howls": -1.0, "hoots": 1.0}}
    good = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0, "new": 2.0}, "owl")]
    assert evaluate.hieron_bound(t, w, good) == 4 * 2 * 5
    assert evaluate.hieron_bound(t, w, []) == 0.0
    for never_learned in ([*good, ({}, "wolf")], [({}, "wolf")]):
        assert evaluate.hieron_bound(t, w, never_learned) == math.inf
    assert evaluate.hieron_bound(Taxonomy.flat([], root="alone"), {}, [({}, "alone")]) == 0.0
    lambda_ = 3 * 2 * 5 * 2
    found = evaluate.hieron_risk_bound(t, w, good, loss=40.0)
    assert found == pytest.approx((40 + lambda_) / 3 + lambda_ * math.sqrt(math.log(20)))
    assert math.isnan(evaluate.hieron_bound(t, w, [({"howls": math.nan}, "wolf")]))
    for arguments, message in (
        ((t, w, [({"howls": 1.0}, "fox")]), "label 'fox' is not in the taxonomy"),
        ((t, {"wolff": {}}, good), r"label 'wolff' is not in .*; did you mean 'wolf'"),
        ((t, w, good, 0), r"`C` must be positive, or math.inf for no cap, got 0"),
        ((DAG, {}, []), "node 'd' has 2 parents"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate.hieron_bound(*arguments)
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got dict"):
        evaluate.hieron_bound({}, {}, [])


def test_hieron_bound_keeps_nothing_for_each_label() -> None:
    """Labels on a circle: two features separate any number of them."""
    n = 1000
    angles = [2 * math.pi * v / n for v in range(n)]
    scale = 2 / (1 - math.cos(angles[1]))
    X = [{"x": math.cos(a), "y": math.sin(a)} for a in angles]
    weights = {v: {name: scale * value for name, value in x.items()} for v, x in enumerate(X)}
    t = Taxonomy.flat(range(n))
    tracemalloc.start()
    try:
        bound = evaluate.hieron_bound(t, weights, zip(X, range(n), strict=True))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bound == pytest.approx(n * scale**2 * 2)
    assert peak < 2e6 < n * n * 8


# --- H-RLS's bound ------------------------------------------------------------------------------


def naive_hrls_bounds(
    taxonomy: Taxonomy, u: Any, examples: Any, costs: Any
) -> tuple[float, float, float]:
    """Theorem 2, Remark 6, and the bound on the loss."""
    theorem = remark = total = 0.0
    for i in taxonomy.nodes[1:]:
        C = sum((costs or {}).get(k, 1.0) for k in (i, *taxonomy.descendants(i)))
        Delta = min(abs(oracles.dot(u[i], x)) for x, _ in examples)
        seen = [(list(x.values()), y) for x, y in examples if y.get(taxonomy.parent(i), True)]
        A, Sv = np.eye(len(examples[0][0])), np.zeros(len(examples[0][0]))
        for row, y in seen:
            z = np.array(row)
            A, Sv = A + np.outer(z, z), Sv + z * (1 if y[i] else -1)
            remark += C * (z @ np.linalg.inv(A) @ z) / oracles.dot(u[i], dict(enumerate(row))) ** 2
        logs = sum(map(math.log, np.linalg.eigvalsh(A)))
        theorem += C / Delta**2 * logs
        best = np.linalg.solve(A, Sv)
        fit = sum(((1 if y[i] else -1) - best @ np.array(row)) ** 2 for row, y in seen)
        total += (costs or {}).get(i, 1.0) * (best @ best + fit + logs)
    factor = 16 * (1 + 1 / math.e)
    return factor * theorem, factor * remark, total


@given(taxonomy=trees(), seed=st.integers(0, 10**6), m=st.integers(1, 12), d=st.integers(2, 8))
@n_examples(60)
def test_hrls_bound_is_theorem_2(taxonomy: Taxonomy, seed: int, m: int, d: int) -> None:
    stream = synth.LinearLabels(taxonomy, n_features=d, seed=seed)
    examples = list(stream.take(m))
    for costs in (None, {label: 0.5 + i for i, label in enumerate(taxonomy.nodes[1:])}):
        given_ = taxonomy, stream.weights, stream.take(m), costs
        theorem, remark, loss = naive_hrls_bounds(taxonomy, stream.weights, examples, costs)
        assert evaluate.hrls_bound(*given_) == pytest.approx(theorem)
        assert evaluate.hrls_bound(*given_, each_round=True) == pytest.approx(remark)
        assert evaluate.hrls_loss_bound(taxonomy, examples, costs) == pytest.approx(loss)
        assert remark <= theorem


def naive_hperceptron_bound(taxonomy: Taxonomy, u: Any, examples: Any, costs: Any) -> float:
    total = 0.0
    for i in taxonomy.nodes[1:]:
        seen = [(x, y[i]) for x, y in examples if y.get(taxonomy.parent(i), True)]
        L = sum(max(0.0, 1 - (1 if on else -1) * oracles.dot(u[i], x)) for x, on in seen)
        R2 = max((oracles.dot(x, x) for x, _ in seen), default=0.0)
        half = math.sqrt(R2 * oracles.dot(u[i], u[i])) / 2
        total += costs[i] * (half + math.sqrt(half**2 + L)) ** 2
    return total


@given(taxonomy=trees(min_nodes=2), seed=st.integers(0, 10**6), m=st.integers(1, 60))
@n_examples(40)
def test_losses_on_any_sequence(taxonomy: Taxonomy, seed: int, m: int) -> None:
    """H-PERC and H-RLS stay below their bounds, whatever the labels, the norms and the weights.

    So do the other losses, with the costs that the module names.
    """
    rng = random.Random(seed)
    stream = synth.LinearLabels(taxonomy, n_features=3, seed=seed)
    sized = [(rng.uniform(0.3, 3), x, y) for x, y in stream.take(m)]
    examples = [({i: scale * a for i, a in x.items()}, y) for scale, x, y in sized]
    sizes = {v: 1.0 + len(taxonomy.descendants(v)) for v in taxonomy.nodes[1:]}
    drawn = {v: rng.uniform(0.1, 3) for v in taxonomy.nodes[1:]}
    measures: list[tuple[Any, Any]] = [
        (metrics.HLoss(taxonomy, drawn), drawn),
        (metrics.ZeroOneLoss(taxonomy), None),
        (metrics.SymmetricDifferenceLoss(taxonomy), sizes),
    ]
    for learner in (linear_model.HPerceptron, linear_model.HRLS):
        model, totals = learner(taxonomy), [0.0] * len(measures)
        for t, (x, y) in enumerate(examples):
            y_pred = model.predict_one(x)
            for k, (metric, _) in enumerate(measures):
                totals[k] += metric._eval(y, y_pred) * (t > 0)
            model.learn_one(x, y)
        for total, (_, costs) in zip(totals, measures, strict=True):
            if learner is linear_model.HRLS:
                assert total <= evaluate.hrls_loss_bound(taxonomy, examples, costs) + 1e-9
                continue
            for size in (0.1, 1, 3):
                u = random_weights(taxonomy, rng, size)
                bound = evaluate.hperceptron_bound(taxonomy, u, examples, costs)
                ones = dict.fromkeys(taxonomy.nodes, 1.0)
                assert bound == pytest.approx(
                    naive_hperceptron_bound(taxonomy, u, examples, costs or ones)
                )
                assert total <= bound + 1e-9


@pytest.mark.slow
@given(taxonomy=trees(min_nodes=2), seed=st.integers(0, 10**6))
@n_examples(20)
def test_hperceptron_weights_are_best_in_hindsight(taxonomy: Taxonomy, seed: int) -> None:
    """At every node, none near them, or far, have a smaller norm and hinge loss."""
    rng = random.Random(seed)
    stream = synth.LinearLabels(taxonomy, n_features=3, seed=seed)
    examples, C = list(stream.take(15)), 10 ** rng.uniform(-2, 1)
    found = evaluate.hperceptron_weights(taxonomy, examples, C, n_passes=1000)
    for i in taxonomy.nodes[1:]:
        seen = [(x, y[i]) for x, y in examples if y.get(taxonomy.parent(i), True)]

        def cost(u: Any, seen: Any = seen) -> float:
            hinges = (max(0.0, 1 - (1 if on else -1) * oracles.dot(u, x)) for x, on in seen)
            return float(oracles.dot(u, u) / 2 + C * sum(hinges))

        least = cost(found[i]) * (1 - 2e-3)
        for size, shrink in itertools.product((0.0, 1e-3, 0.03, 1.0), (0.9, 0.99, 1.01)):
            assert cost({j: shrink * a + rng.gauss(0, size) for j, a in found[i].items()}) >= least


def test_hperceptron_weights_meet_all_margins_if_any_do() -> None:
    t, x = Taxonomy.flat("ab"), [{"x": 1.0}, {"y": 0.5}, {}]
    examples = [(x[0], {"a"}), (x[1], {"b"})]
    found = evaluate.hperceptron_weights(t, examples)
    assert found == {"a": {"x": 1.0, "y": -2.0}, "b": {"x": -1.0, "y": 2.0}}
    assert evaluate.hperceptron_bound(t, found, examples) == pytest.approx(2 * 5)
    assert evaluate.hperceptron_weights(t, [(x[2], {"a"})], C=1.0) == {"a": {}, "b": {}}
    with pytest.raises(ValueError, match=r"`C` must be positive, or math.inf for no cap, got 0"):
        evaluate.hperceptron_weights(t, examples, C=0)


@pytest.mark.parametrize("broken", BROKEN)
def test_the_bounds_of_any_sequence_say_something(broken: str) -> None:
    """Where labels are almost certain, broken learners exceed them."""
    t = Taxonomy([("root", "a"), ("a", "b")])
    stream = synth.LinearLabels(t, n_features=2, seed=0)
    u = {v: {i: 2 * a for i, a in w.items()} for v, w in stream.weights.items()}
    clear = stream.where(lambda x, y: min(map(abs, stream.scores(x).values())) >= 0.8)
    sure = []
    for x, _ in clear.take(1000):
        scores = stream.scores(x)
        sure.append((x, {"a": scores["a"] > 0, "b": min(scores.values()) > 0}))
    for learner, bound in (
        (linear_model.HPerceptron, evaluate.hperceptron_bound(t, u, sure)),
        (linear_model.HRLS, evaluate.hrls_loss_bound(t, sure)),
    ):
        model: Any = learner(t)
        model.learn_one = BROKEN[broken](model.learn_one, lambda y: dict.fromkeys(y, not y["a"]))
        total = 0.0
        for i, (x, y) in enumerate(sure):
            total += losses.h_loss(t, y, model.predict_one(x)) * (i > 0)
            model.learn_one(x, y)
        assert bound < 50
        assert (total <= bound) == (broken == "no")


def test_hrls_bound_on_the_decision_boundary() -> None:
    t = Taxonomy([("a", "b"), ("b", "c")])
    u = {"b": {0: 1.0}, "c": {1: 1.0}}
    assert evaluate.hrls_bound(t, u, [({0: 1.0}, {"b"})]) == math.inf
    # c is never trained, so its boundary does not matter: C_b = 2, Delta_b = 1, one eigenvalue 1.
    bound = evaluate.hrls_bound(t, u, [({0: 1.0}, {"b": False, "c": False})])
    assert bound == pytest.approx(16 * (1 + 1 / math.e) * 2 * math.log(2))
    assert evaluate.hrls_bound(t, u, []) == 0.0
    # Features without a weight still count in S.
    x = {0: 0.6, "other": 0.8}
    bound = evaluate.hrls_bound(t, u, [(x, ())])
    assert bound == pytest.approx(16 * (1 + 1 / math.e) * 2 / 0.36 * math.log(2))


def test_hrls_bound_errors() -> None:
    t = Taxonomy([("a", "b"), ("b", "c")])
    u = {"b": {0: 1.0}, "c": {1: 1.0}}
    x = {0: 1.0}
    for weights, examples, costs, message in (
        ({"b": {0: 1.0}}, [(x, "b")], None, "the weights of 'c' must have norm 1, got 0;"),
        ({**u, "b": {0: 2.0}}, [(x, "b")], None, "the weights of 'b' must have norm 1, got 2;"),
        (u, [(x, "b"), ({0: 0.5}, "b")], None, "example 1 must have norm 1, got 0.5; the theorem"),
        (u, [({0: math.nan}, "b")], None, "example 0 must have norm 1, got nan"),
        (u, [(x, "z")], None, "label 'z' is not in the taxonomy"),
        ({**u, "z": x}, [(x, "b")], None, "label 'z' is not in the taxonomy"),
        (u, [(x, "b")], {"z": 1.0}, "label 'z' is not in the taxonomy"),
        (u, [(x, "b")], {"c": -1}, r"`costs\['c'\]` must be a positive finite number, got -1"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate.hrls_bound(t, weights, examples, costs)
    with pytest.raises(ValueError, match="node 'd' has 2 parents"):
        evaluate.hrls_bound(DAG, {}, [])
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got NoneType"):
        evaluate.hrls_bound(None, {}, [])
