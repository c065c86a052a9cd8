"""One step of `PathSoftmax`, whose rule determines how far the weights of nodes move along x.

A node v has two weight vectors: column 2 v, shared by all labels of its subtree, and column
2 v + 1, of the label v alone. `native/algorithms/path_softmax.hpp` does the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays, Label
from ..batch import Nodes
from .feature_map import FeatureMap
from .labels import Labels
from .linear import insert
from .paths import path_of, path_sums, softmax, subtree_sums
from .vectors import Vectors

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

MOST_VARIANCE = 1e300  # limit of the variance of a score, so that no product overflows


def label_scores(columns: Floats, tree: Arrays) -> Floats:
    """The score of every label, (nodes, ...), from those of the columns, (2 nodes, ...)."""
    return path_sums(columns[::2], tree) + columns[1::2]


def learn_softmax(
    learner: Any,
    w: Any,
    lag: None,
    clocks: None,
    features: FeatureMap,
    labels: Labels,
    x: Any,
    y: int,
    weight: float,
) -> None:
    """Update the weight vectors that learn, by the rule of the learner."""
    tree = labels.taxonomy._arrays
    vector = insert(w, features, x)
    labels.learned(y)
    if vector.norm2 == 0.0:
        return
    scale = learner.prior_variance**0.5
    scores = scale * label_scores(w.scores(vector), tree)
    scores[labels.unlearned] = -np.inf
    columns, above, group, target = moving(learner, softmax(scores), y, labels)
    if not len(columns):
        return
    w.discount(vector, columns, float(learner.forgetting))
    variance = learner.prior_variance * np.minimum(
        w.variances(vector, columns), MOST_VARIANCE / learner.prior_variance
    )
    together = np.full(1 + len(columns), -np.inf)
    np.logaddexp.at(together, group, scores)
    move, curvature = learner.rule(together, above, int(group[y]), target, variance, weight)
    confidence = curvature / (1.0 + curvature * variance)
    w.learn(vector, columns, scale * move, learner.prior_variance * confidence)


def moving(learner: Any, p: Floats, y: int, labels: Labels) -> tuple[Ints, Ints, Ints, Floats]:
    """The columns that learn, and the groups of labels whose scores move together.

    Labels are in the same group if their paths have the same moving columns. Group 0 has none;
    group i has the i-th column and those of the group `above[i - 1]`.

    Returns
    -------
    The columns, (columns,); the group above each, (columns,); the group of each label, (nodes,);
    and the target of each column, 1 if it is on the path of y and 0 otherwise, (columns,).

    """
    tree = labels.taxonomy._arrays
    inner = np.zeros(tree.n, dtype=bool)
    inner[np.delete(tree.parent_index, np.array(labels.unlearned, dtype=np.intp) - 1)] = True
    below = subtree_sums(p, tree)
    on = np.zeros(tree.n)
    on[path_of(y, tree)] = 1.0
    columns: list[int] = []
    above: list[int] = []
    target: list[float] = []
    subtree, group = np.zeros(tree.n, dtype=np.intp), np.zeros(tree.n, dtype=np.intp)
    for v in range(tree.n):
        if v:
            subtree[v] = subtree[tree.parent_index[v - 1]]
        if v and learner.learns(below[v], on[v]):
            columns.append(2 * v)
            above.append(int(subtree[v]))
            target.append(on[v])
            subtree[v] = len(columns)
        group[v] = subtree[v]
        if inner[v] and learner.learns(p[v], float(v == y)):
            columns.append(2 * v + 1)
            above.append(int(subtree[v]))
            target.append(float(v == y))
            group[v] = len(columns)
    return np.array(columns, dtype=np.intp), np.array(above, dtype=np.intp), group, np.array(target)


# Predictions


def softmax_answer(w: Any, features: FeatureMap, labels: Labels, x: Any) -> Label:
    """The first of the labels with the largest score."""
    scores = label_scores(w.scores(features.find(x)), labels.arrays)
    return labels.taxonomy.nodes[int(scores.argmax())]


def softmax_answers(w: Any, labels: Labels, X: Vectors) -> Nodes:
    """The node with the largest score of each row, the first one of several."""
    best = [label_scores(w.scores(x), labels.arrays).argmax() for x in X]
    return np.array(best, dtype=np.uint32)
