"""The loss of one prediction: expected where the stream knows its probabilities, else sampled."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .. import losses, metrics
from ..metrics.base import MeanLoss
from ..taxonomy import Taxonomy
from .pair import Answers, Both

METRICS: dict[Any, Callable[[Taxonomy], MeanLoss]] = {
    losses.h_loss: metrics.HLoss,
    losses.maximal_loss: metrics.MaximalLoss,
    losses.ranking_loss: metrics.RankingLoss,
    losses.symmetric_difference_loss: metrics.SymmetricDifferenceLoss,
    losses.tree_induced_error: metrics.TreeInducedError,
    losses.zero_one_loss: metrics.ZeroOneLoss,
}


def read_loss(loss: Any, dataset: Any) -> MeanLoss:
    """The metric that `loss` is or, for a function of `losses`, belongs to."""
    if isinstance(loss, MeanLoss):
        return loss
    if not inspect.isfunction(loss) or loss not in METRICS:
        kind = loss.__name__ if hasattr(loss, "__name__") else type(loss).__name__
        raise TypeError(
            "`loss` must be a metric that is the mean of a loss, such as metrics.HLoss(taxonomy), "
            f"or a function of losses, such as losses.h_loss, got {kind}"
        )
    taxonomy = getattr(dataset, "taxonomy", None)
    if taxonomy is None:
        raise ValueError(
            f"losses.{loss.__name__} needs a taxonomy, but the dataset knows none; give "
            f"metrics.{METRICS[loss].__name__}(taxonomy) in its place"
        )
    return METRICS[loss](taxonomy)


def instantaneous(metric: MeanLoss, dataset: Any) -> Callable[[Any, Answers], Both]:
    """How to score both answers to an example: a function of `y_true` and the answers."""
    loss: Any = metric._eval
    probabilities = getattr(dataset, "probabilities", None)
    # The expected losses are known in trees only.
    expected = getattr(metric, "expected", None) if metric.taxonomy.is_tree else None
    if probabilities is None or expected is None:
        return lambda y, said: (loss(y, said.ours), loss(y, said.theirs))
    drifts = "step" in inspect.signature(probabilities).parameters

    def in_expectation(y: Any, said: Answers) -> Both:
        p = probabilities(said.x, said.step) if drifts else probabilities(said.x)
        return expected(p, said.ours), expected(p, said.theirs)

    return in_expectation
