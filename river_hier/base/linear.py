"""Linear learners: what `TopDownLearner` and `PathLearner` share.

A linear learner has a weight vector at every node and is defined by its *rule*: how far each node
moves along x. The rule is a method of the learner, in numpy. Learners of the library also have a
compiled policy of the same name and shape (`_backend/native`), which is used if the extension is
installed, unless a subclass defines its own rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MethodType
from typing import Any

from river.base.estimator import EstimatorMeta
from scipy import sparse

from .._backend import (
    Batch,
    FeatureHasher,
    FeatureIndex,
    FeatureMap,
    Labels,
    Multilabels,
    Vectors,
    of_averages,
    policies,
    remap_clocks,
    remap_weights,
)
from ..taxonomy import Taxonomy
from .checks import check_intercept, check_power_of_two
from .dataframes import at_row
from .turns import SLICE, Rows


class LearnerType(EstimatorMeta):
    """The type of linear learners, whose rule cannot be replaced where a policy computes it."""

    def __setattr__(cls, name: str, value: Any) -> None:  # noqa: N805
        if getattr(cls, "_compiled", "") and name in getattr(cls, "_rule_methods", ()):
            raise AttributeError(_not_replaced(cls, name))
        super().__setattr__(name, value)


class CompiledMethod:
    """A method that a compiled policy computes: another one for an instance is an error."""

    def __init__(self, name: str, method: Any) -> None:
        self.name = name
        self.method = method

    def __get__(self, learner: Any, cls: type) -> Any:
        return self.method if learner is None else MethodType(self.method, learner)

    def __set__(self, learner: Any, value: Any) -> None:
        raise AttributeError(_not_replaced(type(learner), self.name))


def _not_replaced(cls: type, name: str) -> str:
    return (
        f"`{name}` of {cls.__name__} cannot be replaced, because a compiled policy computes it; "
        f"define a subclass: `class Mine({cls.__name__})` with a `{name}` of its own"
    )


def find_compiled(cls: Any, parameters: tuple[str, ...] | None) -> None:
    """Set the compiled policy that computes the rule of a class, if there is one.

    It has the name of the class and takes the attributes `parameters`. A subclass without
    parameters inherits it, unless it or a mixin overrides a method of the rule.
    """
    methods = {name: getattr(cls, name) for name in cls._rule_methods}
    if parameters is not None:
        if policies and cls.__name__ not in policies:
            raise TypeError(
                f"`compiled=` of {cls.__name__} needs a compiled policy of that name, and the "
                f"native backend has {', '.join(sorted(policies))}; add it to `linear_learners` in "
                "_backend/native/bindings/learners.cpp, and install again with `pip install -v -e "
                ".`, which shows errors of the C++ compiler"
            )
        for name, method in methods.items():
            if callable(method):
                setattr(cls, name, CompiledMethod(name, method))
        cls._parameters = property(attrgetter(*parameters)) if parameters else None
        cls._compiled_rule = methods
        cls._compiled = cls.__name__
    elif cls._compiled and cls._compiled_rule != methods:
        cls._compiled = ""


# Methods of both kinds of learners, which assign them to their names


def learn_compiled(model: Any, x: Mapping[Any, Any], y: Any, w: float, learner: Any = None) -> bool:
    """Learn in a single call of the compiled policy, if there is one.

    The policy is that of `learner`: for an average, its inner model; else the model itself.
    """
    learner = model if learner is None else learner
    if (policy := policies.get(learner._compiled)) is None:
        return False
    parameters = learner._parameters
    policy.learn_one(  # one by one, as a tuple in between takes a tenth of the time of a short x
        model._w, model._lag, model._clocks, model._features, model._labels, x, y, w, parameters
    )
    return True


def learn(model: Any, x: Mapping[Any, Any], y: Any, w: float, learner: Any = None) -> None:
    """Learn by the compiled policy of `learner`, or by its rule."""
    if not learn_compiled(model, x, y, w, learner):
        state = model._w, model._lag, model._clocks, model._features, model._labels
        model._learn_by_rule(model if learner is None else learner, *state, x, y, w)


def learn_many(model: Any, X: Batch, y: Any, turns: Rows, learner: Any = None) -> None:
    """Learn from a mini-batch, by the compiled policy or row by row."""
    learner = model if learner is None else learner
    policy = policies.get(learner._compiled)
    if policy is None:
        rows = y.labels(model._labels) if isinstance(y, Multilabels) else y.tolist()
        for i, (x, labels, w) in enumerate(zip(X, rows, X.each_weight(), strict=True)):
            with at_row(X.number(i)):
                learn(model, x, labels, w, learner)
            turns.learned(i + 1)
        return
    state = model._w, model._lag, model._clocks, model._features, model._labels
    vectors, first = Vectors(model._features, X, True), 0
    while first < X.n:
        rows = vectors, first, y[first : first + SLICE]
        first = policy.learn_many(*state, *rows, learner._parameters, turns.seconds)
        turns.learned(first)


def feature_map(n_features: int | None, intercept: float) -> FeatureMap:
    """An index of all names of features or, with `n_features`, a hash table of that many rows."""
    check_intercept(intercept)
    if n_features is None:
        return FeatureIndex(float(intercept))
    check_power_of_two("n_features", n_features)
    return FeatureHasher(int(n_features), float(intercept))


def remap(model: Any, onto: sparse.csr_array, sources: Sequence[tuple[int, ...]]) -> None:
    """Move the weights to the nodes of another taxonomy."""
    w, lag, clocks = remap_weights(model._w, onto), model._lag, model._clocks
    if lag is not None:
        clocks = remap_clocks(clocks, sources)
        lag = remap_weights(lag, of_averages(onto, model._clocks, clocks))
    model._w, model._lag, model._clocks = w, lag, clocks


def add_nodes(model: Any, before: int, after: Taxonomy) -> None:
    """Make room for new nodes."""
    model._w.add_nodes(len(after))
    if model._lag is not None:
        model._lag.add_nodes(len(after))
        model._clocks.add_nodes(len(after))


def undo_growth(model: Any, taxonomy: Taxonomy, unlearned: frozenset[int]) -> None:
    """Remove the nodes that are not in a taxonomy, the last ones, which have learned nothing."""
    labels = Labels(taxonomy, None, unlearned)
    model._add_nodes(len(taxonomy), taxonomy)
    model._labels, model._taxonomy, model._unlearned = labels, taxonomy, unlearned


def check_many(model: Any, X: Batch) -> None:
    """Raise an error if the weights cannot move along a row: those of single precision may not."""
    check_norms(model, X, math.inf if model.dtype == "float64" else 0.0)


def check_norms(model: Any, X: Batch, safe_norm2: float) -> None:
    """Raise an error if a model cannot learn from a row, as the longest row tells."""
    if X.n and X.most_norm2 > safe_norm2:
        longest = int(Vectors(model._features, X).norms2.argmax())
        with at_row(X.number(longest)):
            model._check(X.row(longest))
