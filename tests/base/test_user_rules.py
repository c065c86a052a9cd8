"""Rules that a user writes: which rule is taken, and what it may return."""

import numpy as np
import pandas as pd
import pytest

from river_hier import Taxonomy, base, linear_model

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

    assert Mine._policy is linear_model.HAROW._policy is not None


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

    with pytest.raises(ValueError, match="`compiled` names other parameters"):
        Hieron(Taxonomy.flat(["a"])).learn_one({"x": 1.0}, "a")


def test_a_compiled_policy_of_that_name_must_exist() -> None:
    with pytest.raises(TypeError, match="`compiled=` of Unknown needs a compiled policy"):

        class Unknown(base.TopDownLearner, compiled=()): ...


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


LEARNERS = [(Perceptron, [{"c"}, {"b"}, {"d"}]), (PathPerceptron, ["c", "b", "d"])]


@pytest.mark.parametrize(("learner", "y"), LEARNERS)
@pytest.mark.parametrize("taxonomy", [TREE, None])
def test_a_rule_that_raises_ends_the_batch(learner, y, taxonomy):
    inner = learner(taxonomy)
    model = linear_model.Averaged(inner)
    whole = pd.DataFrame([X, {"p": -1.0, "q": 0.5}, {"p": 2.0, "q": -3.0}])
    torn = pd.DataFrame([X, {"p": -1.0, "q": 0.5}, {"p": 99.0, "q": -3.0}])
    with pytest.raises((ArithmeticError, ValueError), match="too long") as refused:
        model.learn_many(torn, y)
    assert vars(refused.value)["n_learned"] == 2
    model.learn_many(whole, y)
    assert model.model is inner
    again = linear_model.Averaged(learner(taxonomy))
    rows = whole.to_dict("records")
    for x, label in zip(rows[:2], y[:2], strict=True):
        again.learn_one(x, label)
    with pytest.raises((ArithmeticError, ValueError), match="too long"):
        again.learn_one(torn.to_dict("records")[2], y[2])
    for x, label in zip(rows, y, strict=True):
        again.learn_one(x, label)
    assert model.score_one(X) == again.score_one(X)
    assert inner.score_one(X) == again.model.score_one(X)


def test_a_rule_that_returns_nothing() -> None:
    class Silent(base.PathLearner):
        def rule(self, margin, gamma, norm2):
            return None

    model = Silent(Taxonomy.flat(["a", "b"]))
    with pytest.raises(TypeError, match="`rule` of Silent must return a number, got None"):
        model.learn_one({"x": 1.0}, "b")
    assert not model._labels.has_learned
