"""Which classifier is for which place: one for all of them, a mapping, or a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from river import base

from ..base.classifiers import shown

# A place is where a classifier stands: a node by its label, or a level by its depth.
Place = Any
# To a type checker River's pipelines are estimators; classifiers they are only when it runs.
Choice = base.Estimator | Mapping[Place, base.Estimator] | Callable[[Place], base.Estimator]


def chosen(choice: Choice, places: Iterable[Place]) -> base.Estimator:
    """The classifier for the first of `places`, which are followed by those above it."""
    if isinstance(choice, base.Estimator):
        return choice
    if isinstance(choice, Mapping):
        return next(choice[place] for place in places if place in choice)
    return choice(next(iter(places)))


def check_choice(choice: Any, top: Place, check: Callable[[Any], None]) -> None:
    """`classifier` must be one of the three, with a right classifier for the top at least."""
    if isinstance(choice, Mapping):
        if top not in choice:
            raise ValueError(
                f"`classifier` has none for {top!r}; that one serves all places that have no "
                "other, nor one above them"
            )
        for classifier in choice.values():
            check(classifier)
    elif callable(choice) and not inspect.isclass(choice):
        check(choice(top))
    else:
        check(choice)


def check_classifier(classifier: Any) -> None:
    """It must be a classifier of River's, or a pipeline that ends in one."""
    if not isinstance(classifier, base.Classifier):
        raise TypeError(
            "`classifier` must be a classifier of River's, a mapping to such or a function that "
            f"gives one, got {shown(classifier)}"
        )


def check_multiclass(classifier: Any) -> None:
    """It must tell several classes apart."""
    check_classifier(classifier)
    if not classifier._multiclass:
        raise ValueError(
            f"`classifier` must tell several classes apart, got {classifier}; wrap it, e.g. in "
            "river's multiclass.OneVsRestClassifier"
        )
