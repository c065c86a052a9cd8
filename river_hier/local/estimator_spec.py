"""The `classifier` parameter: one estimator for all positions, a mapping, or a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from river import base

from ..base.classifiers import shown

Position = Any  # of a local classifier: a node, by its label, or a level, by its depth
# For type checkers a River pipeline is an estimator; it is a classifier at run time only.
EstimatorSpec = (
    base.Estimator | Mapping[Position, base.Estimator] | Callable[[Position], base.Estimator]
)


def estimator_at(spec: EstimatorSpec, lineage: Iterable[Position]) -> base.Estimator:
    """The classifier for the first of these positions, which its ancestors follow."""
    if isinstance(spec, base.Estimator):
        return spec
    if isinstance(spec, Mapping):
        return next(spec[position] for position in lineage if position in spec)
    return spec(next(iter(lineage)))


def check_spec(spec: Any, top: Position, check: Callable[[Any], None]) -> None:
    """Raise an error unless `classifier` is one of the three and names one for the top position."""
    if isinstance(spec, Mapping):
        if top not in spec:
            raise ValueError(
                f"`classifier` has none for {top!r}; it is needed for all positions that are not "
                "named and have no named ancestor"
            )
        for classifier in spec.values():
            check(classifier)
    elif callable(spec) and not inspect.isclass(spec):
        check(spec(top))
    else:
        check(spec)


def check_classifier(classifier: Any) -> None:
    """Raise an error unless this is a River classifier, or a pipeline that ends in one."""
    if not isinstance(classifier, base.Classifier):
        raise TypeError(
            "`classifier` must be a River classifier, a mapping to classifiers or a function that "
            f"returns one, got {shown(classifier)}"
        )


def check_multiclass(classifier: Any) -> None:
    """Raise an error unless this is a multiclass classifier."""
    check_classifier(classifier)
    if not classifier._multiclass:
        raise ValueError(
            f"`classifier` must be multiclass, got {classifier}; wrap it, e.g. in "
            "river's multiclass.OneVsRestClassifier"
        )
