"""Every learner equals its naive oracle, step by step."""

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, kernel, linear_model
from support.comparison import (
    NEAR,
    assert_coherent,
    assert_near,
    assert_same_weights,
    decided,
    near_the_top,
    untouched,
)
from support.hypothesis_settings import n_examples
from support.makers import TABLE
from support.paths import TESTS
from support.public_api import learners
from support.strategies import (
    features,
    multilabel_streams,
    parents_of,
    sample_weights,
    single_label_streams,
)


def compared(name: str, oracle: Any, x: Any, y: Any) -> dict[Any, float]:
    """What the learner maximises to choose the label that y has to beat."""
    scores: dict[Any, float] = oracles.prototype_scores(oracle.parents, oracle.w, x)
    if name != "AveragedHieron":
        return scores
    return {v: s + oracles.distance(oracle.parents, y, v) ** 0.5 for v, s in scores.items()}


CONSTANT = ("the constant feature",)
intercepts = st.sampled_from([0.0, 0.0, 0.5, 2.0])


def with_constant(x: Any, intercept: float) -> Any:
    return {CONSTANT: intercept, **x} if intercept else x


def assert_same_hypothesis(ours: Any, w: Any, intercept: float) -> None:
    """The weights of the features, and what the constant feature adds to each score."""
    assert_same_weights(ours.weights, {v: w[v] | {CONSTANT: 0.0} for v in ours.weights})
    assert_near(ours.intercepts, {v: intercept * w[v].get(CONSTANT, 0.0) for v in ours.intercepts})


# Learners that are compared with their oracle in a file of their own.
ELSEWHERE = {
    "HMinOver": "test_hminover.py",
    "PathSoftmax": "test_path_softmax.py",
    "HierarchicalSoftmax": "test_path_softmax.py",
}
SINGLE, MULTI = ([v for v in kind if v not in ELSEWHERE] for kind in learners("linear_model"))
# Learners that divide: rounding decides the sign of a score near 0 of a node that has learned.
INEXACT = ("HAROW",)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_others_are_compared_elsewhere(name: str) -> None:
    text = (TESTS / "linear_model" / ELSEWHERE[name]).read_text("utf-8")
    assert f"oracles.{name}" in text, f"{ELSEWHERE[name]} does not compare {name} with its oracle"


def made(name: str, taxonomy: Any, all_rounds: bool, **parameters: Any) -> tuple[Any, Any]:
    """A learner and its oracle; "Averaged X" is X in `Averaged`."""
    averaged, _, name = name.rpartition(" ")
    if name == "AveragedHieron":
        parameters["from_first_round"] = all_rounds
    ours = getattr(linear_model, name)(taxonomy, **parameters)
    parameters.pop("intercept")
    theirs = getattr(oracles, name)(parents_of(taxonomy), **parameters)
    if averaged:
        return linear_model.Averaged(ours, all_rounds), oracles.Averaged(theirs, all_rounds)
    return ours, theirs


@pytest.mark.parametrize("name", [*SINGLE, "Averaged Hieron"])
@given(
    data=single_label_streams(),
    pickle_at=st.integers(0, 25),
    C=st.sampled_from([math.inf, 1.0, 0.1]),
    weights=sample_weights,
    intercept=intercepts,
    all_rounds=st.booleans(),
)
@n_examples(200)
def test_single_label(
    name: str, data: Any, pickle_at: int, C: float, weights: Any, intercept: float, all_rounds: bool
) -> None:
    taxonomy, stream = data
    ours, theirs = made(name, taxonomy, all_rounds, C=C, intercept=intercept)
    last = getattr(theirs, "oracle", theirs)
    for step, (given_x, y) in enumerate(stream):
        x = with_constant(given_x, intercept)
        scores = theirs.scores(x)
        assert_near(ours.score_one(given_x), scores)
        proba = ours.predict_proba_one(given_x)
        assert sum(proba.values()) == pytest.approx(1.0)
        if len(near_the_top(scores)) == 1:
            assert ours.predict_one(given_x) == theirs.predict(x)
            assert max(proba, key=lambda label: proba[label]) == ours.predict_one(given_x)
        rivals = near_the_top(compared(name, last, x, y))
        if len(rivals) > 1 and not rivals <= untouched(last):
            return  # rounding decides whom the step is for: from here on both may be right
        ours.learn_one(given_x, y, w=weights[step])
        theirs.learn(x, y, weights[step])
        # The average is that of all hypotheses, by brute force.
        w = theirs.average() if name == "AveragedHieron" else theirs.w
        assert_same_hypothesis(ours, w, intercept)
        if last is not theirs:
            assert_same_hypothesis(ours.last, last.w, intercept)
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


@pytest.mark.parametrize("name", ["Hieron", "AveragedHieron"])
def test_the_very_first_prediction_is_the_root(name: str) -> None:
    taxonomy = Taxonomy([("r", "a"), ("a", "b")])
    assert getattr(linear_model, name)(taxonomy).predict_one({"x": 1.0}) == "r"


@pytest.mark.parametrize("name", [*MULTI, "Averaged HPerceptron", "Averaged HAROW"])
@given(
    data=multilabel_streams(),
    pickle_at=st.integers(0, 25),
    c=st.sampled_from([0.5, 1.0, 3.0]),
    weights=sample_weights,
    intercept=intercepts,
    all_rounds=st.booleans(),
    forgetting=st.sampled_from([1.0, 0.1, 0.9, 0.99]),
)
@n_examples(160)
def test_multilabel(
    name: str,
    data: Any,
    pickle_at: int,
    c: float,
    weights: Any,
    intercept: float,
    all_rounds: bool,
    forgetting: float,
) -> None:
    taxonomy, stream = data
    inner = name.split()[-1]
    varied = [key for values in TABLE[inner].varied for key in values]
    parameters = dict.fromkeys(varied[:1], c)
    if inner == "HAROW":  # the others that forget: test_forgetting.py
        parameters["forgetting"] = forgetting
    ours, theirs = made(name, taxonomy, all_rounds, **parameters, intercept=intercept)
    last = getattr(theirs, "oracle", theirs)
    # Sums of halves are exact, solutions of equations are not, unless nothing has been stored.
    inexact = inner in INEXACT or last is not theirs
    learned = theirs.stored if name.endswith("RLS") else lambda label: inexact
    for step, (given_x, y) in enumerate(stream):
        x = with_constant(given_x, intercept)
        scores = theirs.scores(x)
        assert_near(ours.score_one(given_x), scores)
        answer = ours.predict_one(given_x)
        assert list(answer) == list(taxonomy.nodes[1:])
        if decided(scores, learned):
            assert answer == theirs.predict(x)
        on = {label for label, yes in answer.items() if yes}
        assert taxonomy.closure(on) == {taxonomy.root, *on}, "closed upward"
        assert_coherent(ours.predict_proba_one(given_x), taxonomy)
        edge = last.scores(x).values()
        if inner == "HAROW" and any(abs(abs(score) - 1.0) < NEAR for score in edge):
            return  # rounding decides whether the margin is met
        ours.learn_one(given_x, y, w=weights[step])
        theirs.learn(x, y, weights[step])
        if name == "SHRLS":
            assert ours.n_stored == {v: theirs.stored(v) for v in taxonomy.nodes[1:]}
        nodes = taxonomy.nodes[1:]
        w = {v: theirs.w(v) for v in nodes} if name.endswith("RLS") else theirs.w
        assert_same_hypothesis(ours, w, intercept)
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


@pytest.mark.parametrize("l2", [0.1, 1.0, 10.0])
@given(data=multilabel_streams(), threshold=st.sampled_from([0.05, 0.1, 1.0, 20.0]))
@n_examples(40)
def test_the_threshold_of_shrls(l2: float, data: Any, threshold: float) -> None:
    """Also where a rule spares a solve."""
    taxonomy, stream = data
    ours = linear_model.SHRLS(taxonomy, threshold=threshold, l2=l2)
    theirs = oracles.SHRLS(parents_of(taxonomy), threshold=threshold, l2=l2)
    for x, y in [*stream, *stream]:
        ours.learn_one(x, y)
        theirs.learn(x, y)
        assert ours.n_stored == {v: theirs.stored(v) for v in taxonomy.nodes[1:]}


@given(
    stream=st.lists(
        st.tuples(
            st.dictionaries(st.integers(0, 300), st.sampled_from([0.5, 1.0, -0.25]), min_size=3),
            st.sets(st.sampled_from(["a", "b", "c", "d"])),
        ),
        min_size=60,
        max_size=80,
    )
)
@n_examples(5)
def test_many_features_stay_in_dual_variables(stream: Any) -> None:
    taxonomy = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    ours, theirs = linear_model.HRLS(taxonomy), oracles.HRLS(parents_of(taxonomy))
    for x, y in stream:
        ours.learn_one(x, y)
        theirs.learn(x, y)
    assert_same_weights(ours.weights, {v: theirs.w(v) for v in taxonomy.nodes[1:]})


@given(
    stream=st.lists(st.tuples(features(), st.sampled_from(["a", "b", 3])), max_size=25),
    probe=features(),
)
@n_examples(60)
def test_an_open_taxonomy_equals_the_closed_flat_one(stream: Any, probe: Any) -> None:
    arrived = list(dict.fromkeys(y for _, y in stream))
    opened, closed = linear_model.Hieron(), linear_model.Hieron(Taxonomy.flat(arrived))
    for x, y in stream:
        opened.learn_one(x, y)
        closed.learn_one(x, y)
    assert opened.taxonomy is None
    assert_near(opened.score_one(probe), closed.score_one(probe))


@pytest.mark.parametrize("make", [linear_model.HRLS, lambda t: kernel.HRLS(t, kernel.RBF())])
@given(
    stream=st.lists(st.tuples(features(), st.sets(st.sampled_from(["a", "b", 3]))), max_size=25),
    probe=features(),
)
@n_examples(60)
def test_an_open_hrls_takes_labels_to_have_been_off_before(
    make: Any, stream: Any, probe: Any
) -> None:
    arrived = list(dict.fromkeys(label for _, y in stream for label in y))
    opened, closed = make(None), make(Taxonomy.flat(arrived))
    for x, y in stream:
        opened.predict_one(probe)  # an explicit w made here must not outlive a new label
        opened.learn_one(x, y)
        closed.learn_one(x, y)
    if arrived:
        assert_near(opened.score_one(probe), closed.score_one(probe))


def test_a_label_may_arrive_when_an_open_hrls_is_in_primal_variables() -> None:
    opened, closed = linear_model.HRLS(), linear_model.HRLS(Taxonomy.flat(["a", "late"]))
    for i in range(30):
        y = {"a": i % 2 == 0} | ({"late": i % 3 == 0} if i > 20 else {})
        x = {"p": 1.0, "q": float(i % 5) - 2.0}
        opened.learn_one(x, y)
        closed.learn_one(x, y)
    assert_same_weights(opened.weights, closed.weights)
    assert_near(opened.score_one({"p": 1.0, "q": 0.3}), closed.score_one({"p": 1.0, "q": 0.3}))


@pytest.mark.parametrize("module", [linear_model, kernel])
def test_a_zero_example_counts_as_a_round_of_shrls(module: Any) -> None:
    stored = []
    for n_zeros in (0, 50):
        model = module.SHRLS(Taxonomy.flat(["a"]), threshold=0.1)
        for x in [{"x": 1.0}, *[{}] * n_zeros, {"x": 1.0}]:
            model.learn_one(x, "a")
        # The score is (1/2) / (1 + 1/2) = 1/3; the rule asks for sqrt(0.1 ln t) or less.
        stored.append(model.n_stored["a"])
    assert stored == [1, 2]


def test_probabilities_are_products_along_the_path() -> None:
    taxonomy = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
    examples = [({"x": 1.0}, "b"), ({"x": -1.0, "y": 0.5}, "c"), ({"y": 1.0}, "a")]
    probe = {"x": 0.5, "y": 0.25}
    for name, link in {
        "HPerceptron": lambda score: 1 / (1 + math.exp(-score)),
        "HAROW": lambda score: 1 / (1 + math.exp(-score)),
        "HRLS": lambda score: min(max((1 + score) / 2, 0.0), 1.0),
        "SHRLS": lambda score: min(max((1 + score) / 2, 0.0), 1.0),
    }.items():
        model = getattr(linear_model, name)(taxonomy)
        for x, y in examples:
            model.learn_one(x, y)
        score, proba = model.score_one(probe), model.predict_proba_one(probe)
        assert proba["a"][True] == pytest.approx(link(score["a"]))
        assert proba["b"][True] == pytest.approx(link(score["a"]) * link(score["b"]))


@pytest.mark.parametrize("module", [linear_model, kernel])
def test_the_last_hypothesis_goes_its_own_way(module: Any) -> None:
    model = module.AveragedHieron(Taxonomy.flat(["a", "b"]))
    model.learn_one({"x": 1.0}, "a")
    last = model.last
    before = last.score_one({"x": 1.0, "y": 1.0})
    model.learn_one({"x": 1.0, "y": 2.0}, "b")
    assert last.score_one({"x": 1.0, "y": 1.0}) == before
    last.learn_one({"z": 1.0}, "b")
    assert model.score_one({"z": 1.0})["b"] == 0.0 < last.score_one({"z": 1.0})["b"]
