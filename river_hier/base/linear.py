"""Linear learners: what `TopDownLearner` and `PathLearner` share.

A linear learner has a weight vector at every node and is defined by its *rule*: how far each node
moves along x. The rule is a method of the learner, in numpy. Learners of the library also have a
compiled policy of the same name and shape (`_backend/native`), which is used if the extension is
installed, unless a subclass defines its own rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

import numpy as np
from scipy import sparse

from .._backend import (
    Batch,
    FeatureHasher,
    FeatureIndex,
    FeatureMap,
    Vectors,
    policies,
    remap_weights,
)
from ..taxonomy import Label
from .checks import check_power_of_two
from .dataframes import at_row
from .explanation import Floats

# Reads the parameters of a policy from a learner: a number, or a tuple of several.
Reader = Callable[[Any], Any]


def find_compiled(cls: Any, parameters: tuple[str, ...] | None, *rule: str) -> None:
    """Set the compiled policy that computes the rule of a class, if there is one.

    It has the name of the class and takes the attributes `parameters`. A subclass without
    parameters inherits it, unless it or a mixin overrides a method of the rule.
    """
    methods = tuple(getattr(cls, method) for method in rule)
    if parameters is not None:
        cls._compiled = cls.__name__
        cls._parameters = staticmethod(attrgetter(*parameters) if parameters else lambda _: None)
        cls._compiled_rule = methods
    elif cls._compiled and cls._compiled_rule != methods:
        cls._compiled = ""


def learn_many(model: Any, X: Batch, y: Any, rows: Callable[[], Iterable[Any]]) -> None:
    """Learn from a mini-batch by the compiled policy or row by row; `rows` are the labels of y."""
    # An average of multilabels applies the rule of its inner model.
    learner = averaged_learner(model) if hasattr(model, "_lag_taxonomy") else model
    policy = policies.get(learner._compiled)
    if policy is None:
        for x, labels in zip(X, rows(), strict=True):
            model._learn(x, labels)
        return
    state = model._w, model._lag, model._m + 1, model._features, model._labels
    policy.learn_many(*state, X, y, learner._parameters(learner))
    if model._lag is not None:
        model._m += X.n


def feature_map(n_features: int | None) -> FeatureMap:
    """An index of all names of features or, with `n_features`, a hash table of that many rows."""
    if n_features is None:
        return FeatureIndex()
    check_power_of_two("n_features", n_features)
    return FeatureHasher(int(n_features))


def weights_by_label(model: Any) -> dict[Label, dict[Any, float]]:
    """The weight vector of each node but the root: `{label: {feature: weight}}`.

    Zero weights are left out. Computed at each call, in O(features * nodes). If features are
    hashed, their rows are used as names.
    """
    names = model._features.names()
    weights = {}
    for v, label in enumerate(model._taxonomy.nodes[1:], start=1):
        w = model._weights(v, len(names))
        weights[label] = {names[i]: float(w[i]) for i in np.flatnonzero(w)}
    return weights


def weight_column(model: Any, v: int, n_features: int) -> Floats:
    """The weight vector of one node, or the average of its hypotheses."""
    w: Floats = model._w.column(v, n_features)
    return w if model._lag is None else w - model._lag.column(v, n_features) / (model._m + 1)


def remap(model: Any, onto: sparse.csr_array) -> None:
    """Move the weights to the nodes of another taxonomy."""
    w, lag = remap_weights(model._w, onto), model._lag and remap_weights(model._lag, onto)
    model._w, model._lag = w, lag


def add_nodes(model: Any, n_nodes: int) -> None:
    """Make room for new nodes."""
    model._w.add_nodes(n_nodes)
    if model._lag is not None:
        model._lag.add_nodes(n_nodes)


def check_norms(model: Any, X: Batch, safe_norm2: float) -> None:
    """Raise an error if a model cannot learn from a row, as the longest row tells."""
    if X.n and X.most_norm2 > safe_norm2:
        longest = int(Vectors(model._features, X).norms2.argmax())
        with at_row(longest):
            model._check(X.row(longest))


# An average of a multilabel model learns as the model does, records the steps in its own lag, and
# shares everything else with the inner model.


def of_inner_model(name: str) -> Any:
    """An attribute that an average shares with its inner model."""

    def get(self: Any) -> Any:
        return getattr(self.model, name)

    def put(self: Any, value: Any) -> None:
        setattr(self.model, name, value)
        if name == "_taxonomy":
            self._lag_taxonomy = value

    return property(get, put)


def averaged_learner(self: Any) -> Any:
    """The inner model of an average; an error if the taxonomy of the model alone has changed."""
    if self._lag_taxonomy is not self.model._taxonomy:
        raise RuntimeError(
            "the model inside has learned new labels by itself, of which its average knows "
            "nothing; let it learn through the average only, or begin another average of it"
        )
    return self.model
