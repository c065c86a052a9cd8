"""Mini-batches in one call into the core.

A batch is the loop over its rows, no more: the same steps in the same order. The compiled twin
lets other threads run meanwhile, and turns them away if they ask for the same model.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batch import Batch, Mask, Multilabels, Nodes, Vectors
from .feature_map import FeatureMap
from .gaussian_weights import GaussianWeights
from .harow import harow_step
from .hieron import averaged_hieron_step, hieron_step
from .hperceptron import hperceptron_step
from .hrls import hrls_step, least_squares_answer, shrls_step
from .labels import Labels
from .least_squares import LeastSquares
from .paths import path_sums, top_down
from .weights import Weights


def closed_many(labels: Labels, ys: Sequence[Any]) -> tuple[NDArray[np.int64], Nodes]:
    """What `Labels.closed` says of each y, as the two parts of `Multilabels`."""
    on = np.array([labels.closed(y) for y in ys]).reshape(len(ys), len(labels.taxonomy))
    closed = Multilabels.of(on)
    return closed.start, closed.nodes


# Learning. Whether x may be learned from has been checked.


def _rounds(w: Weights, X: Batch) -> Iterator[dict[Hashable, float]]:
    """The rows, each a round of its own."""
    for x in X:
        yield x
        w.next_round()


def hperceptron_steps(
    w: Weights, features: FeatureMap, labels: Labels, X: Batch, Y: Multilabels
) -> None:
    for x, y in zip(_rounds(w, X), Y.labels(labels), strict=True):
        hperceptron_step(w, features, labels, x, y)


def harow_steps(
    w: GaussianWeights,
    r: float,
    forgetting: float,
    features: FeatureMap,
    labels: Labels,
    X: Batch,
    Y: Multilabels,
) -> None:
    for x, y in zip(_rounds(w, X), Y.labels(labels), strict=True):
        harow_step(w, r, forgetting, features, labels, x, y)


def hieron_steps(
    w: Weights, C: float, features: FeatureMap, labels: Labels, X: Batch, y: Nodes
) -> None:
    for x, v in zip(_rounds(w, X), y.tolist(), strict=True):
        hieron_step(w, C, features, labels, x, v)


def averaged_hieron_steps(
    w: Weights,
    lag: Weights,
    i: int,
    C: float,
    features: FeatureMap,
    labels: Labels,
    X: Batch,
    y: Nodes,
) -> None:
    """Rounds i, i + 1 and so on."""
    for round_, (x, v) in enumerate(zip(X, y.tolist(), strict=True), start=i):
        averaged_hieron_step(w, lag, round_, C, features, labels, x, v)


def hrls_steps(
    rls: LeastSquares, features: FeatureMap, labels: Labels, X: Batch, Y: Multilabels
) -> None:
    for x, y in zip(X, Y.labels(labels), strict=True):
        hrls_step(rls, features, labels, x, y)


def shrls_steps(
    rls: LeastSquares,
    c: float,
    t: int,
    features: FeatureMap,
    labels: Labels,
    X: Batch,
    Y: Multilabels,
) -> None:
    """Rounds t, t + 1 and so on."""
    for round_, (x, y) in enumerate(zip(X, Y.labels(labels), strict=True), start=t):
        shrls_step(rls, c, round_, features, labels, x, y)


# Answers: masks (rows, nodes), or a node a row


def top_down_answers(w: Weights, labels: Labels, X: Vectors) -> Mask:
    on = [top_down(w.scores(x) >= 0.0, labels.arrays) for x in X]
    return np.array(on, dtype=bool).reshape(len(X), len(labels.taxonomy))


def hieron_answers(w: Weights, labels: Labels, X: Vectors) -> Nodes:
    best = [path_sums(w.scores(x), labels.arrays).argmax() for x in X]
    return np.array(best, dtype=np.uint32)


def least_squares_answers(rls: LeastSquares, labels: Labels, X: Vectors) -> Mask:
    answers = (least_squares_answer(rls, X.features, labels, x) for x in X.batch)
    on = [[True, *answer.values()] for answer in answers]
    return np.array(on, dtype=bool).reshape(len(X), len(labels.taxonomy))
