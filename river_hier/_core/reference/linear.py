"""One step of a linear learner, whose rule determines how far the weights of nodes move along x.

`lag` is the sum of i s_i over the steps s_i of a node, where i is 1 + the weight of all examples
since its average began: the last hypothesis minus `lag` / (m + 1), for examples of weight m since
then, is the average of its hypotheses. `clocks` has both weights. They are `None` if nothing is
averaged. The compiled backend does the same for its policies (`native/algorithms/linear.hpp`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays, Label
from ..batch import Mask, Multilabels, Nodes
from .clocks import Clocks, rounds, start
from .feature_map import FeatureMap, Vector
from .labels import Labels, without_path
from .paths import path_of, path_sums, top_down, trained_nodes
from .rounding import decode
from .vectors import Vectors
from .weights import Weights

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def learn_top_down(
    learner: Any,
    w: Any,
    lag: Weights | None,
    clocks: Clocks | None,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    y: Any,
    weight: float,
) -> None:
    """Train the nodes whose parents are truly on, by the rule of the learner.

    The weight of the example multiplies the step or, with variances, the precision that the step
    adds: from k to weight * k, where confidence = k / (1 + k variance).
    """
    on = labels.taxonomy._closure_mask(y)
    vector = insert(w, features, x)
    moves = _moves_top_down(learner, w, labels, vector, on, weight)
    with _round(w, lag, clocks, np.flatnonzero(on), weight):
        if moves:
            (w.learn if learner.second_order else w.add)(vector, *moves)


def _moves_top_down(
    learner: Any, w: Any, labels: Labels, vector: Vector, on: Mask, weight: float
) -> tuple[Any, ...]:
    """The nodes whose weights change, and their steps; both empty if there are none."""
    if vector.norm2 == 0.0:
        return ()
    nodes = trained_nodes(on, labels.taxonomy._arrays)
    if labels.learning is not None:
        nodes = nodes[labels.learning[nodes]]
    signs, scores = np.where(on[nodes], 1.0, -1.0), w.scores(vector)[nodes]
    learns = np.asarray(learner.learns(scores, signs), dtype=bool)
    check_shape(learner, "learns", "a bool", learns, nodes)
    nodes, signs, scores = nodes[learns], signs[learns], scores[learns]
    if not len(nodes):
        return ()
    if not learner.second_order:
        steps = np.asarray(learner.rule(scores, signs, vector.norm2), dtype=np.float64)
        check_steps(learner, steps, nodes)
        with np.errstate(over="ignore"):  # steps have a limit
            return nodes[steps != 0.0], weight * steps[steps != 0.0]
    w.discount(vector, nodes, float(learner.forgetting))
    variances = w.variances(vector, nodes)
    moves = learner.rule(scores, signs, vector.norm2, variances)
    steps, confidence = (np.asarray(move, dtype=np.float64) for move in moves)
    check_steps(learner, steps, nodes)
    check_shape(learner, "rule", "a confidence", confidence, nodes)
    known = variances * confidence  # at most 1, up to rounding
    factor: Any = 1.0
    if weight != 1.0:
        factor = weight / (np.maximum(1.0 - known, 0.0) + weight * known)
    with np.errstate(over="ignore"):  # steps have a limit
        return nodes, factor * steps, factor * confidence


def learn_on_paths(
    learner: Any,
    w: Any,
    lag: Weights | None,
    clocks: Clocks | None,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    y: int,
    weight: float,
) -> None:
    """Move the paths of y and of its rival apart, by the rule of the learner, times the weight."""
    tree = labels.taxonomy._arrays
    vector = insert(w, features, x)
    scores = path_sums(w.scores(vector), tree)
    scores[without_path(labels.unlearned, y, tree)] = -np.inf
    rival = int(learner.rival(scores, y))
    if not 0 <= rival < tree.n:
        raise ValueError(
            f"`rival` of {type(learner).__name__} must return a node, 0 to {tree.n - 1}, "
            f"got {rival}"
        )
    nodes, signs = path_difference(y, rival, tree)
    gamma, step = len(nodes), 0.0
    if gamma > 0 and vector.norm2 != 0.0:
        step = learner.rule(scores[y] - scores[rival], float(gamma), vector.norm2)
    own = path_difference(y, 0, tree)[0]
    with _round(w, lag, clocks, own, weight), np.errstate(over="ignore"):  # steps have a limit
        if step > 0.0:
            w.add(vector, nodes, weight * step * signs)
    labels.learned(y)


def path_difference(y: int, other: int, tree: Arrays) -> tuple[Ints, Floats]:
    """The nodes of only one of two paths, ascending: +1 on that of y, -1 on the other one's."""
    signs: dict[int, float] = {}
    u, v = y, other
    while u != v:  # a parent comes before its children: the later one is not shared
        if u > v:
            signs[u] = 1.0
            u = int(tree.parent_index[u - 1])
        else:
            signs[v] = -1.0
            v = int(tree.parent_index[v - 1])
    nodes = sorted(signs)
    return np.array(nodes, dtype=np.intp), np.array([signs[v] for v in nodes])


def distances_from(y: int, tree: Arrays) -> Floats:
    """gamma(y, v) for every node v: O(nodes)."""
    on_path = np.zeros(tree.n)
    on_path[path_of(y, tree)] = 1.0
    shared = path_sums(on_path, tree)  # nodes that the paths of y and v have in common
    distances: Floats = tree.depth[y] + tree.depth - 2.0 * shared
    return distances


# Predictions: of the last hypothesis or, with a lag, of the average of each node's hypotheses


def averaged_scores(w: Any, lag: Any, clocks: Any, x: Vector | Vectors) -> Floats:
    """w . x of every node, where w may be the average; for many vectors, one column each."""
    scores: Floats = w.scores(x)
    return scores if lag is None else scores - (lag.scores(x).T / rounds(clocks)).T


def top_down_nodes(
    w: Weights, lag: Weights | None, clocks: Any, features: FeatureMap, labels: Labels, x: Any
) -> list[int]:
    """The nodes but the root that are on, in order: those whose parents are and score is >= 0."""
    scores = averaged_scores(w, lag, clocks, features.find(x))
    nodes: list[int] = np.flatnonzero(top_down(scores >= 0.0, labels.arrays))[1:].tolist()
    return nodes


def path_answer(
    w: Weights, lag: Weights | None, clocks: Any, features: FeatureMap, labels: Labels, x: Any
) -> Label:
    """The first of the labels with the largest sum of scores along its path."""
    scores = path_scores(w, lag, clocks, features, labels, x)
    return labels.taxonomy.nodes[int(scores.argmax())]


def path_scores(
    w: Weights, lag: Weights | None, clocks: Any, features: FeatureMap, labels: Labels, x: Any
) -> Floats:
    """The sum of scores along the path of each label."""
    return path_sums(averaged_scores(w, lag, clocks, features.find(x)), labels.arrays)


def top_down_answers(
    w: Weights, lag: Weights | None, clocks: Any, labels: Labels, X: Vectors
) -> Mask:
    """The same for each row: masks (rows, nodes)."""
    on = [top_down(averaged_scores(w, lag, clocks, x) >= 0.0, labels.arrays) for x in X]
    return np.array(on, dtype=bool).reshape(len(X), len(labels.taxonomy))


def descend(w: Weights, labels: Labels, X: Vectors, known: Multilabels) -> tuple[Any, Any]:
    """The nodes of a shard that are on where some nodes are known to be, for each row.

    The taxonomy is a tree. Returned as the fields of `Multilabels`.
    """
    on = np.zeros((len(labels.taxonomy), len(X)), dtype=bool)
    on[known.nodes, known.rows] = True
    yes = w.scores(X) >= 0.0
    if labels.learning is not None:
        yes &= labels.learning[:, None]
    for level in labels.arrays.levels:
        on[level.nodes] |= yes[level.nodes] & on[level.parents]
    found = Multilabels.of(on.T)
    return found.start, found.nodes


def path_answers(w: Weights, lag: Weights | None, clocks: Any, labels: Labels, X: Vectors) -> Nodes:
    """The same for each row: its node."""
    best = [path_sums(averaged_scores(w, lag, clocks, x), labels.arrays).argmax() for x in X]
    return np.array(best, dtype=np.uint32)


def column_weights(w: Weights, X: Vectors) -> NDArray[Any]:
    """The weights of the columns of a batch, (columns, nodes), in float64 or float32."""
    found = map(X.features.row, X.batch.names)
    rows = np.array([len(w.matrix) if row is None else row for row in found], dtype=np.intp)
    known = rows < len(w.matrix)
    weights = np.zeros((len(rows), w.n_nodes), "float64" if w.dtype == "float64" else "float32")
    weights[known] = decode(w.matrix[rows[known], : w.n_nodes])
    return weights


def insert(w: Weights, features: FeatureMap, x: Any) -> Vector:
    """The vector of x, whose new features get rows unless x is too large for the weights."""
    w.check_range(features.find(x).norm2)
    return features.insert(x)


def check_steps(learner: Any, steps: Floats, nodes: Ints) -> None:
    """Raise an error unless a rule has returned a step for each node, none of which is nan."""
    check_shape(learner, "rule", "a step", steps, nodes)
    if np.isnan(steps).any():
        raise ValueError(f"`rule` of {type(learner).__name__} must return numbers, got {steps}")


def check_shape(learner: Any, method: str, what: str, found: NDArray[Any], nodes: Ints) -> None:
    """Raise an error unless a method has given a number for each node."""
    if found.shape != nodes.shape:
        raise ValueError(
            f"`{method}` of {type(learner).__name__} must return {what} for each of the "
            f"{len(nodes)} nodes that it is given, got an array of shape {found.shape}"
        )


@contextmanager
def _round(
    w: Weights, lag: Weights | None, clocks: Any, nodes: Ints, weight: float
) -> Iterator[None]:
    """A context for a round in which these nodes learn: changes of weights are recorded."""
    if lag is None:
        yield
        return
    start(clocks, lag, nodes)
    w.record(lag, clocks)
    try:
        yield
    finally:
        w.record(None, None)
    clocks.m += weight
