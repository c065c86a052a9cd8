"""Rules that a user writes: which rule is taken, and what it may return."""

import numpy as np
import pandas as pd
import pytest

from river_hier import Taxonomy, base, linear_model
from support.backends import both, native_only, running_on

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
@both
def test_the_rule_of_a_mixin_is_taken(backend, mixin, learner, y):
    with running_on(backend):
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
@both
def test_a_rival_must_be_a_node(backend, node):
    class Lost(linear_model.Hieron):
        def rival(self, score, y):
            return node

    with running_on(backend), pytest.raises(ValueError, match=f"`rival` of Lost .* got {node}"):
        Lost(TREE).learn_one(X, "c")


@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        (lambda y: (0.5, 0.1), r"a step for each of the 4 .* \(\)"),
        (lambda y: (y[:, None], y), r"a step for each of the 4 .* \(4, 1\)"),
        (lambda y: (y, 0.1), r"a confidence for each of the 4 .* \(\)"),
    ],
)
@both
def test_a_second_order_rule_gives_two_numbers_a_node(backend, returned, complaint):
    class Rule(base.TopDownLearner):
        second_order = True

        def rule(self, score, y, norm2, variance):
            return returned(y)

    with running_on(backend):
        model = Rule(TREE)
        with pytest.raises(ValueError, match=complaint):
            model.learn_one(X, {"c"})
        assert not any(model.weights.values())


@both
def test_a_second_order_rule_may_return_integers_and_lists(backend):
    class Rule(base.TopDownLearner):
        second_order = True

        def rule(self, score, y, norm2, variance):
            return y.astype(int), [0] * len(y)

    with running_on(backend):
        model = Rule(TREE)
        model.learn_one(X, {"b"})
        assert model.weights["b"] == X


@both
def test_learns_is_a_mask_and_a_rule_is_asked_about_some_nodes(backend):
    class Rule(base.TopDownLearner):
        def learns(self, score, y):
            return (y * score < 1.0).astype(int)  # not indices

        def rule(self, score, y, norm2):
            return y * (2.0 + score.max())  # not of an empty array

    class OneForAll(Rule):
        def learns(self, score, y):
            return True

    with running_on(backend):
        model = Rule(TREE)
        for _ in range(3):
            model.learn_one(X, {"b"})
        assert model.weights["b"] == {"p": 2.0, "q": 4.0}
        with pytest.raises(ValueError, match="`learns` of OneForAll must return a bool for each"):
            OneForAll(TREE).learn_one(X, {"b"})


@native_only
@pytest.mark.parametrize("names", [(), ("C", "dtype")])
def test_other_parameters_than_those_of_the_policy_are_refused(names: tuple[str, ...]) -> None:
    class Hieron(base.PathLearner, compiled=names):
        C = 1.0

        def rule(self, margin: float, gamma: float, norm2: float) -> float:
            return 1.0

    wrong = pytest.raises(ValueError, match="`compiled` names other parameters")
    with running_on("native"), wrong:
        Hieron(Taxonomy.flat(["a"])).learn_one({"x": 1.0}, "a")
