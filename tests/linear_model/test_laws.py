"""What the papers prove, as properties of the learners."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from river_hier import Taxonomy, evaluate, kernel, linear_model
from support.hypothesis_settings import n_examples
from support.public_api import learners
from support.strategies import features, multilabel_streams, reals, single_label_streams, trees

SINGLE, MULTI = learners("linear_model")


@given(data=single_label_streams(), x=features(numbers=reals))
def test_hieron_moves_only_where_the_paths_differ_and_meets_its_margin(data: Any, x: Any) -> None:
    taxonomy, stream = data
    model = linear_model.Hieron(taxonomy, C=math.inf)
    for example in stream:
        model.learn_one(*example)
    y = taxonomy.nodes[-1]
    before, answer, scores = model.weights, model.predict_one(x), model.score_one(x)
    assume(sum(v * v for v in x.values()) > 1e-3)
    model.learn_one(x, y)
    moved = {label for label, w in model.weights.items() if w != before[label]}
    if answer == y:
        assert not moved, "conservative"
        return
    assert moved == set(taxonomy.path(y)) ^ set(taxonomy.path(answer))
    after = model.score_one(x)
    margin = math.sqrt(taxonomy.distance(y, answer))
    assert scores[y] <= scores[answer]
    assert after[y] - after[answer] == pytest.approx(margin, abs=1e-6)


def moved(before: dict[Any, Any], after: dict[Any, Any]) -> float:
    """The norm of what has been added to the weights of all nodes."""
    names = {(v, name) for w in (before, after) for v in w for name in w[v]}
    steps = [after[v].get(name, 0.0) - before[v].get(name, 0.0) for v, name in names]
    return math.hypot(*steps)


@given(data=single_label_streams(), C=st.floats(1e-3, 1.0))
@n_examples(60)
def test_a_capped_step_is_a_short_one(data: Any, C: float) -> None:
    taxonomy, stream = data
    model = linear_model.Hieron(taxonomy, C=C)
    for x, y in stream:
        before, scores, answer = model.weights, model.score_one(x), model.predict_one(x)
        model.learn_one(x, y)
        gamma, norm = taxonomy.distance(y, answer), math.hypot(*x.values())
        step = moved(before, model.weights)
        assert step <= C * norm * math.sqrt(gamma) + 1e-9
        loss = scores[answer] - scores[y] + math.sqrt(gamma)
        if norm and loss > C * gamma * norm**2:  # then it is no shorter
            assert step == pytest.approx(C * norm * math.sqrt(gamma), abs=1e-9)


@pytest.mark.parametrize("name", ["Hieron", "AveragedHieron"])
@given(data=single_label_streams())
@n_examples(30)
def test_a_cap_beyond_every_step_changes_nothing(name: str, data: Any) -> None:
    taxonomy, stream = data
    plain = getattr(linear_model, name)(taxonomy, C=math.inf)
    steps = [0.0]
    for x, y in stream:
        before = (plain if name == "Hieron" else plain.last).weights
        plain.learn_one(x, y)
        after = (plain if name == "Hieron" else plain.last).weights
        largest = max((abs(v) for v in x.values()), default=0.0)
        cells = [abs(after[v].get(n, 0.0) - before[v].get(n, 0.0)) for v in after for n in x]
        steps.append(max(cells, default=0.0) / (largest or 1.0))
    capped = getattr(linear_model, name)(taxonomy, C=max(steps) * (1 + 1e-6) + 1e-9)
    for x, y in stream:
        capped.learn_one(x, y)
    assert pickle.dumps(capped.weights) == pickle.dumps(plain.weights)


@pytest.mark.parametrize("module", [linear_model, kernel])
@pytest.mark.parametrize("name", ["Hieron", "AveragedHieron"])
def test_a_short_example_with_a_wrong_label_undoes_nothing(name: str, module: Any) -> None:
    model = getattr(module, name)(Taxonomy.flat(range(8)))
    examples = [({str(y): 0.8, f"{y} {i}": 0.6}, y) for i in range(5) for y in range(8)]
    for x, y in examples:
        model.learn_one(x, y)
    model.learn_one(dict.fromkeys(map(str, range(8)), 1e-4), 7)
    assert all(model.predict_one(x) == y for x, y in examples)


@pytest.mark.parametrize("size", [1e-4, 1e4])
def test_the_margin_is_met_whatever_the_norm(size: float) -> None:
    model = linear_model.Hieron(Taxonomy.flat(["a", "b"]), C=math.inf)
    x = {"x": size}
    model.learn_one(x, "a")
    model.learn_one(x, "b")
    scores = model.score_one(x)
    assert scores["b"] - scores["a"] == pytest.approx(math.sqrt(2))


@given(taxonomy=trees(min_nodes=3), seed=st.integers(0, 10_000))
@n_examples(30)
def test_corollary_1_on_separable_streams(taxonomy: Taxonomy, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = len(taxonomy)
    # An orthogonal w^v per node separates x = W^y: W^v . x counts the nodes shared by the paths.
    examples = []
    for _ in range(60):
        y = taxonomy.nodes[int(rng.integers(n))]
        x = {taxonomy.index(u): 1.0 for u in taxonomy.path(y)[1:]}
        x |= {-v: -1.0 for v in range(1, n) if v not in x}
        examples.append((x, y))
    omega = {
        label: {v: 2.0, -v: 2.0} for v, label in enumerate(taxonomy) if v
    }  # +2 where v is on the path of y, -2 where it is not
    bound = evaluate.hieron_bound(taxonomy, omega, examples)
    model = linear_model.Hieron(taxonomy, C=math.inf)
    error = loss2 = 0.0
    for x, y in examples:
        answer, scores = model.predict_one(x), model.score_one(x)
        if distance := taxonomy.distance(y, answer):
            error += distance
            loss2 += (scores[answer] - scores[y] + math.sqrt(distance)) ** 2
        model.learn_one(x, y)
    assert error <= loss2 + 1e-9
    assert loss2 <= bound + 1e-9


def test_hrls_learns_the_label_model() -> None:
    """With many examples the scores come near the true u . x: a bound alone could be vacuous."""
    from river_hier.datasets import synth

    taxonomy = Taxonomy([("r", "a"), ("a", "b"), ("a", "c")])
    stream = synth.LinearLabels(taxonomy, n_features=4, seed=1)
    model = linear_model.HRLS(taxonomy)
    for x, y in stream.take(8000):
        model.learn_one(x, y)
    for label, u in stream.weights.items():
        w = model.weights[label]
        assert math.dist([w[i] for i in u], list(u.values())) < 0.1


@pytest.mark.parametrize(
    "name", ["Hieron", "AveragedHieron", "HPerceptron", "HAROW", "HRLS", "SHRLS"]
)
@given(x=st.sampled_from([{}, {"a": 0.0}, {"a": 1e-200}, {"unheard": 0}]))
def test_a_zero_example_has_a_defined_prediction_and_moves_nothing(name: str, x: Any) -> None:
    taxonomy = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
    model = getattr(linear_model, name)(taxonomy, intercept=0.0)
    for example in [({"a": 1.0, "b": -1.0}, "b"), ({"a": -1.0}, "c"), ({"b": 0.5}, "a")]:
        model.learn_one(*example)
    before = model.score_one({"a": 1.0, "b": 0.25})
    if name.endswith("Hieron"):
        assert model.predict_one(x) == "r"
    else:
        assert model.predict_one(x) == {"a": True, "b": True, "c": True}
    model.learn_one(x, "c")
    if name != "AveragedHieron":  # there is one more round in the average
        assert model.score_one({"a": 1.0, "b": 0.25}) == before


def variances(model: Any) -> Any:
    """Of each node but the root, those of the features in the order of their arrival."""
    *_, (start, nodes, _, less_one), _, _ = model._state.saved()
    found = np.ones((len(model._features), len(model._taxonomy)))
    found[np.repeat(np.arange(len(start) - 1), np.diff(start)), nodes] += less_one
    return found.T[1:]


@given(data=multilabel_streams(), r=st.sampled_from([0.1, 1.0, 10.0]))
@n_examples(60)
def test_the_variances_of_harow_only_fall(data: Any, r: float) -> None:
    taxonomy, stream = data
    model = linear_model.HAROW(taxonomy, r=r)
    for x, y in stream:
        before, weights = variances(model), model.weights
        on = taxonomy.closure(y)
        model.learn_one(x, y)
        after = variances(model)
        known = before.shape[1]
        assert (after <= 1.0).all()
        assert (after > 0.0).all()
        assert (after[:, :known] <= before).all()
        for v, label in enumerate(taxonomy.nodes[1:]):
            if not on.issuperset(taxonomy.parents(label)):
                assert model.weights[label] == weights[label], "it was not trained"
                assert (after[v, :known] == before[v]).all()
                assert (after[v, known:] == 1.0).all()


@given(data=multilabel_streams(), r=st.sampled_from([0.1, 1.0]))
@n_examples(40)
def test_harow_brings_the_margin_of_a_repeated_example_to_one(data: Any, r: float) -> None:
    taxonomy, stream = data
    model = linear_model.HAROW(taxonomy, r=r)
    for example in stream:
        model.learn_one(*example)
    x, y = {"fresh": 1.0, "a": 0.5}, taxonomy.nodes[-1]
    on = taxonomy.closure(y)
    trained = [v for v in taxonomy.nodes[1:] if on.issuperset(taxonomy.parents(v))]
    before = {v: s if v in on else -s for v, s in model.score_one(x).items()}
    for _ in range(400):
        model.learn_one(x, y)
        margins = {v: s if v in on else -s for v, s in model.score_one(x).items()}
        for v in trained:
            assert before[v] - 1e-9 <= margins[v], "nearer each time"
            assert margins[v] <= max(1.0, before[v]) + 1e-9, "and never beyond"
        before = margins
    # The n-th step leaves r / (n + r) of what was missing, if nothing else has been learned.
    assert all(margins[v] > 0.8 for v in trained)


def test_the_weights_of_siblings_are_computed_at_once() -> None:
    """Otherwise explanations would take a time quadratic in the number of siblings."""
    model = linear_model.HRLS(Taxonomy.flat(["a", "b", "c"]))
    model.learn_one({"x": 1.0, "y": 2.0}, {"a"})
    first, *rest = model._weights([1, 2, 3])
    assert all(np.shares_memory(w.base, first.base) for w in rest)
    assert [w.tolist() for w in (first, *rest)] == [
        list(w.values()) for w in model.weights.values()
    ]


# --- Each law has a mutant that breaks it -------------------------------------------------------


def rule(name: str, change: Any) -> Any:
    """A learner with another rule; `change` takes the model and what the rule takes."""
    return type(name, (getattr(linear_model, name),), {"rule": change})


def step(model: Any, margin: float, gamma: float, norm2: float) -> float:
    return (math.sqrt(gamma) - margin) / (gamma * norm2)


class CopiedWeights(linear_model.HRLS):
    def _weights(self, nodes: Any) -> Any:
        return [w.copy() for w in super()._weights(nodes)]


def double_step(model: Any, *given: float) -> float:
    return 2 * step(model, *given)


def soft_step(model: Any, margin: float, gamma: float, norm2: float) -> float:
    """That of PA-II, on which every C has an effect."""
    return (math.sqrt(gamma) - margin) / (gamma * norm2 + 0.5 / model.C)


MUTANTS: dict[Any, Any] = {
    test_hieron_moves_only_where_the_paths_differ_and_meets_its_margin: (
        {"Hieron": rule("Hieron", double_step)},
        (),
    ),
    test_a_capped_step_is_a_short_one: ({"Hieron": rule("Hieron", step)}, ()),
    test_a_cap_beyond_every_step_changes_nothing: (
        {"Hieron": rule("Hieron", soft_step)},
        ("Hieron",),
    ),
    test_a_short_example_with_a_wrong_label_undoes_nothing: (
        {"Hieron": rule("Hieron", step)},
        ("Hieron", linear_model),
    ),
    test_the_margin_is_met_whatever_the_norm: (
        {"Hieron": rule("Hieron", lambda model, *given: 1.0)},
        (1e4,),
    ),
    test_corollary_1_on_separable_streams: (
        {"Hieron": rule("Hieron", lambda model, *given: 10 * step(model, *given))},
        (),
    ),
    test_hrls_learns_the_label_model: ({"HRLS": linear_model.HPerceptron}, ()),
    test_a_zero_example_has_a_defined_prediction_and_moves_nothing: (
        {"Hieron": lambda t, intercept: RIGHT["Hieron"](t, intercept=1.0)},
        ("Hieron",),
    ),
    test_the_variances_of_harow_only_fall: (
        {"HAROW": lambda t, r: RIGHT["HAROW"](t, r=r, forgetting=0.5)},
        (),
    ),
    test_harow_brings_the_margin_of_a_repeated_example_to_one: (
        {"HAROW": lambda t, r: RIGHT["HPerceptron"](t)},
        (),
    ),
    test_the_weights_of_siblings_are_computed_at_once: ({"HRLS": CopiedWeights}, ()),
}
RIGHT = dict(vars(linear_model))


def test_each_law_has_a_mutant() -> None:
    laws = {f for name, f in globals().items() if name.startswith("test_") and "mutant" not in name}
    assert set(MUTANTS) == laws


@pytest.mark.slow  # hypothesis looks for the smallest example
@pytest.mark.parametrize("law", MUTANTS, ids=lambda law: law.__name__)
def test_a_mutant_breaks_its_law(law: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mutants, arguments = MUTANTS[law]
    for name, mutant in mutants.items():
        monkeypatch.setattr(linear_model, name, mutant)
    with pytest.raises((AssertionError, ExceptionGroup)):
        law(*arguments)
