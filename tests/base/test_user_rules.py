"""Rules that a user writes: which rule is taken, and what it may return."""

import pickle

import numpy as np
import pandas as pd
import pytest

from river_hier import Taxonomy, base, linear_model
from support.public_api import public

TREE = Taxonomy([("all", "a"), ("all", "b"), ("a", "c"), ("a", "d")])
X = {"p": 1.0, "q": 2.0}


class Still:
    def rule(self, *args):
        return 0.0 * np.asarray(args[0])


class Certain:
    def learns(self, score, y):
        return np.zeros(len(score), dtype=bool)


@pytest.mark.parametrize(
    ("mixin", "learner", "y"),
    [
        (Still, linear_model.Hieron, "c"),
        (Still, linear_model.AveragedHieron, "c"),
        (Still, linear_model.HPerceptron, {"b"}),
        (Certain, linear_model.HPerceptron, {"b"}),
        (Certain, linear_model.HAROW, {"b"}),
    ],
)
def test_the_rule_of_a_mixin_is_taken(mixin, learner, y):
    mixed = type("Mixed", (mixin, learner), {})
    for cls in (mixed, type("Sub", (mixed,), {})):
        model = cls(TREE)
        model.learn_one(X, y)
        model.learn_many(pd.DataFrame([X]), [y])
        assert not any(model.weights.values())


def test_a_subclass_with_the_same_rule_keeps_the_compiled_one():
    class Mine(linear_model.HAROW):
        def predict_one(self, x, **kwargs):
            return super().predict_one(x, **kwargs)

    assert Mine._compiled is linear_model.HAROW._compiled is not None


@pytest.mark.parametrize("node", [-1, 5])
def test_a_rival_must_be_a_node(node):
    class Lost(linear_model.Hieron):
        def rival(self, score, y):
            return node

    with pytest.raises(ValueError, match=f"`rival` of Lost .* got {node}"):
        Lost(TREE).learn_one(X, "c")


@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        (lambda y: (0.5, 0.1), r"a step for each of the 4 .* \(\)"),
        (lambda y: (y[:, None], y), r"a step for each of the 4 .* \(4, 1\)"),
        (lambda y: (y, 0.1), r"a confidence for each of the 4 .* \(\)"),
    ],
)
def test_a_second_order_rule_gives_two_numbers_a_node(returned, complaint):
    class Rule(base.TopDownLearner):
        second_order = True

        def rule(self, score, y, norm2, variance):
            return returned(y)

    model = Rule(TREE)
    with pytest.raises(ValueError, match=complaint):
        model.learn_one(X, {"c"})
    assert not any(model.weights.values())


def test_a_second_order_rule_may_return_integers_and_lists():
    class Rule(base.TopDownLearner):
        second_order = True

        def rule(self, score, y, norm2, variance):
            return y.astype(int), [0] * len(y)

    model = Rule(TREE)
    model.learn_one(X, {"b"})
    assert model.weights["b"] == X


def test_learns_is_a_mask_and_a_rule_is_asked_about_some_nodes():
    class Rule(base.TopDownLearner):
        def learns(self, score, y):
            return (y * score < 1.0).astype(int)  # not indices

        def rule(self, score, y, norm2):
            return y * (2.0 + score.max())  # not of an empty array

    class OneForAll(Rule):
        def learns(self, score, y):
            return True

    model = Rule(TREE)
    for _ in range(3):
        model.learn_one(X, {"b"})
    assert model.weights["b"] == {"p": 2.0, "q": 4.0}
    with pytest.raises(ValueError, match="`learns` of OneForAll must return a bool for each"):
        OneForAll(TREE).learn_one(X, {"b"})


@pytest.mark.parametrize("names", [(), ("C", "dtype")])
def test_other_parameters_than_those_of_the_policy_are_refused(names: tuple[str, ...]) -> None:
    class Hieron(base.PathLearner, compiled=names):
        C = 1.0

        def rule(self, margin: float, gamma: float, norm2: float) -> float:
            return 1.0

    wrong = pytest.raises(ValueError, match="`compiled` names other parameters")
    with wrong:
        Hieron(Taxonomy.flat(["a"])).learn_one({"x": 1.0}, "a")


def test_a_compiled_policy_of_that_name_must_exist() -> None:
    def define() -> None:
        class Unknown(base.TopDownLearner, compiled=()): ...

    if backend == "numpy":  # where no class has one
        define()
    else:
        with pytest.raises(TypeError, match="`compiled=` of Unknown needs a compiled policy"):
            define()


def test_learners_that_name_a_compiled_policy_have_it() -> None:
    named = {cls._compiled for _, cls in public() if getattr(cls, "_compiled", "")}
    assert len(named) >= 5
    missing = named - set(_core.policies)
    assert not missing, f"bindings/learners.cpp: add to `linear_learners`: {missing}"


class Perceptron(base.TopDownLearner):
    def rule(self, score, y, norm2):
        if norm2 > 100.0:
            raise ArithmeticError("too long")
        return y * ((score >= 0) != (y > 0))


class PathPerceptron(base.PathLearner):
    def rule(self, margin, gamma, norm2):
        if norm2 > 100.0:
            raise ValueError("too long")
        return 1.0


AVERAGES = [
    (linear_model.Averaged, Perceptron, [{"c"}, {"b"}, {"d"}]),
    (linear_model.Averaged, PathPerceptron, ["c", "b", "d"]),
]


@pytest.mark.parametrize(("average", "learner", "y"), AVERAGES)
@pytest.mark.parametrize("taxonomy", [TREE, None])
def test_a_rule_that_raises_leaves_an_average_as_it_was(average, learner, y, taxonomy):
    inner = learner(taxonomy)
    model = average(inner)
    whole = pd.DataFrame([X, {"p": -1.0, "q": 0.5}, {"p": 2.0, "q": -3.0}])
    torn = pd.DataFrame([X, {"p": -1.0, "q": 0.5}, {"p": 99.0, "q": -3.0}])
    model.learn_many(whole[:2], y[:2])
    before = pickle.dumps(model)
    with pytest.raises((ArithmeticError, ValueError), match="too long"):
        model.learn_many(torn, y)
    assert pickle.dumps(model) == before
    model.learn_many(whole, y)
    assert model.model is inner
    again = average(learner(taxonomy))
    rows = whole.to_dict("records")
    for x, label in zip([*rows[:2], *rows], [*y[:2], *y], strict=True):
        again.learn_one(x, label)
    assert model.score_one(X) == again.score_one(X)
    assert inner.score_one(X) == again.model.score_one(X)


@pytest.mark.parametrize(
    ("learner", "method"),
    [
        (linear_model.HPerceptron, "rule"),
        (linear_model.HPerceptron, "learns"),
        (linear_model.HAROW, "rule"),
        (linear_model.Hieron, "rule"),
        (linear_model.AveragedHieron, "rival"),
    ],
)
def test_a_rule_that_a_policy_computes_is_not_replaced(learner, method):
    """It would be ignored without a word."""
    refused = pytest.raises(AttributeError, match=f"`{method}` of {learner.__name__} cannot be rep")
    model, kept = learner(TREE), getattr(learner, method)
    with refused:
        setattr(model, method, lambda *args: 0.0)
    with refused:
        setattr(learner, method, lambda *args: 0.0)
    assert getattr(learner, method) is kept
    assert getattr(model, method).__func__ is kept


@pytest.mark.parametrize(("average", "learner", "y"), AVERAGES)
def test_a_rule_in_python_may_be_replaced(average, learner, y):
    def nothing(score, *args):
        return 0.0 * np.asarray(score)

    alone, inner = learner(TREE), learner(TREE)
    alone.rule = inner.rule = nothing
    sub = type("Sub", (learner,), {})
    sub.rule = lambda self, *args: nothing(*args)
    for model in (alone, average(inner), sub(TREE)):
        for label in y:
            model.learn_one(X, label)
        assert not any(model.weights.values())


def test_the_rule_of_an_average_is_that_of_its_inner_model():
    inner = Perceptron(TREE)
    averaged = linear_model.Averaged(inner)
    averaged.rule = lambda score, y, norm2: 0.0 * score
    assert inner.rule is averaged.rule
    averaged.learn_one(X, {"b"})
    assert not any(averaged.weights.values())
    compiled = linear_model.Averaged(linear_model.HAROW(TREE))
    with pytest.raises(AttributeError, match="`rule` of HAROW cannot be replaced"):
        compiled.rule = inner.rule
