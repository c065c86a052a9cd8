"""Answers that stop early: at a depth, or above the nodes that are not likely enough.

`threshold=` and `max_depth=` mean the same for every model, so they are handled here and nowhere
else: a model writes `predict_one(self, x)`, its own rule, and `truncatable` adds both keywords. (A
subclass of `river.base.Wrapper` writes `predict_one(self, x, **kwargs)`, as River asks of it.)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from river import base

from .._backend import deepest, subtree_sums
from .._backend.reference.paths import top_down
from ..taxonomy import Label, Taxonomy
from .checks import check_integer, check_probability
from .classifiers import probabilities
from .model import Floats

# What stands in the docstring of every `predict_one` after its x.
_KEYWORDS = """
        threshold
            Decide by `predict_proba_one` instead of by the model's own rule: switch on the nodes
            that have at least this probability or, where the answer is one label, give the deepest
            node at or below which the label lies with at least this probability (the likeliest of
            several, then the first). `None` for the model's own rule.
        max_depth
            The largest depth of an answer: deeper nodes are switched off, and a deeper label is
            replaced by its ancestor at this depth. `None` for no limit.
"""

P = ParamSpec("P")
Y = TypeVar("Y")
Rule = Callable[..., Y]


def _signature(
    self: Any,
    x: Mapping[Any, Any],
    threshold: float | None = None,
    max_depth: int | None = None,
) -> Any:
    """The parameters that `truncatable` gives to a rule."""


def _like(signature: Callable[P, Any]) -> Callable[[Callable[..., Y]], Callable[P, Y]]:
    def truncatable(rule: Callable[..., Y]) -> Callable[P, Y]:
        def predict_one(
            self: Any, x: Any, threshold: float | None = None, max_depth: int | None = None
        ) -> Any:
            if threshold is None and max_depth is None:
                return rule(self, x)
            check_truncation(threshold, max_depth)
            # Some wrappers are for models of either kind.
            if isinstance(getattr(self, "_last", self), base.MultiLabelClassifier):
                return truncate_multilabel(self, rule, x, threshold, max_depth)
            return truncate_label(self, rule, x, threshold, max_depth)

        def predict_one_of_wrapper(
            self: Any,
            x: Any,
            threshold: float | None = None,
            max_depth: int | None = None,
            **kwargs: Any,
        ) -> Any:
            refuse_unknown(rule, kwargs)
            return predict_one(self, x, threshold, max_depth)

        # River wants `**kwargs` in the methods of its wrappers, and of nothing else.
        wrapped = inspect.getfullargspec(rule).varkw is not None
        method = predict_one_of_wrapper if wrapped else predict_one
        # Not functools.wraps: the parameters are these, and not those of the rule.
        method.__name__, method.__qualname__ = rule.__name__, rule.__qualname__
        method.__module__ = rule.__module__
        before, below, after = (rule.__doc__ or "").partition("\n\n        Returns\n")
        method.__doc__ = before.rstrip() + _KEYWORDS.rstrip() + below + after
        return cast(Callable[P, Y], method)

    return truncatable


truncatable = _like(_signature)


def truncate_multilabel(
    model: Any,
    rule: Rule[Any],
    x: Any,
    threshold: float | None,
    max_depth: int | None,
) -> dict[Label, bool]:
    """The nodes that are likely enough or, without a threshold, on; none of them deeper."""
    taxonomy = _taxonomy_of(model)
    labels = taxonomy.nodes[1:]
    if threshold is None:
        answer = rule(model, x)
        yes = np.array([True, *(answer[label] for label in labels)])
    else:
        try:
            p = model.predict_proba_one(x)
        except NotImplementedError:
            raise ValueError(
                f"`threshold` must be None, as {type(model).__name__} gives scores and no "
                f"probabilities, got {threshold!r}; calibrate it, e.g. decision.Calibrated(model)"
            ) from None
        yes = np.array([True, *(p[label][True] >= threshold for label in labels)])
    if max_depth is not None:
        yes &= taxonomy.arrays.depth <= max_depth
    on = top_down(yes, taxonomy.arrays)  # a model around a flat one need not be coherent
    return dict(zip(labels, on[1:].tolist(), strict=True))


def truncate_label(
    model: Any,
    rule: Rule[Any],
    x: Any,
    threshold: float | None,
    max_depth: int | None,
) -> Label:
    """The deepest node that is likely enough or, without a threshold, the answer; not deeper."""
    taxonomy = _taxonomy_of(model)
    if threshold is None:
        v = taxonomy.index(rule(model, x))
    else:
        below = subtree_probabilities(taxonomy, probabilities(model, x))
        v = deepest(below, taxonomy.arrays.depth, float(threshold))
    while max_depth is not None and taxonomy.arrays.depth[v] > max_depth:
        v = taxonomy.parent_indices[v][0]
    return taxonomy.nodes[v]


def subtree_probabilities(taxonomy: Taxonomy, given: Mapping[Label, float]) -> Floats:
    """Of each node the probability that the label is the node or below it."""
    p = np.zeros(len(taxonomy))
    for label, value in given.items():
        p[taxonomy.index(label)] = value
    return subtree_sums(p, taxonomy.arrays)


def check_truncation(threshold: Any, max_depth: Any) -> None:
    """Raise an error if a keyword of `predict_one` makes no sense."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is not None:
        check_integer("max_depth", max_depth, at_least=0)


def refuse_unknown(method: Callable[..., Any], kwargs: Mapping[str, Any]) -> None:
    """Raise an error for keywords that a wrapper must accept for River, and that mean nothing."""
    for name in kwargs:
        raise TypeError(f"{method.__qualname__}() got an unexpected keyword argument {name!r}")


def _taxonomy_of(model: Any) -> Taxonomy:
    """The taxonomy of a model as it is now, grown if it is open."""
    taxonomy: Taxonomy = getattr(model, "_taxonomy", None) or model.taxonomy
    return taxonomy
