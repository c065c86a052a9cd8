"""Rankings of labels."""

import itertools
import math

import numpy as np

from .hieron import argmax
from .losses import symmetric_difference_loss
from .trees import children, closure, labels_below_root, root
from .vectors import add, dot

# [T] ranks candidates; the leaves, unless others are asked for. The relevant ones are those that
# are on; sets of labels are closed first.


def leaves(parents):
    """The nodes without children, but for the root."""
    return [v for v in labels_below_root(parents) if not children(parents, v)]


def relevant(parents, candidates, y):
    """The candidates that are on: Y_i of [T]."""
    return [c for c in candidates if c in closure(parents, y)]


def pair_loss(parents, y, ybar, volumes=None, missed=1.0, spurious=1.0):
    """Delta(y, ybar) = |anc(y) symmetric-difference anc(ybar)| ([T] section 2), with volumes."""
    true, pred = closure(parents, [y]), closure(parents, [ybar])
    return symmetric_difference_loss(parents, true, pred, volumes, missed, spurious)


def misordered(scores, true, others):
    """The pairs of a relevant and an irrelevant candidate that is not below it."""
    return [(y, ybar) for y in true for ybar in others if not scores[y] > scores[ybar]]


def one_accuracy(scores, true):
    """Whether the first of the candidates with the largest score is relevant; none without one."""
    return float(max(scores.values()) > -math.inf and argmax(scores) in true)


def average_precision(scores, true):
    """The mean, over relevant candidates, of the share of relevant ones among those that rank as
    high; 1 if none is relevant."""
    shares = []
    for y in true:
        as_high = [c for c in scores if scores[c] >= scores[y]]
        shares.append(sum(c in true for c in as_high) / len(as_high))
    return sum(shares) / len(shares) if shares else 1.0


def ranking_loss(scores, true):
    """The fraction of misordered pairs; 0 if there is no pair."""
    others = [c for c in scores if c not in true]
    n_pairs = len(true) * len(others)
    return len(misordered(scores, true, others)) / n_pairs if n_pairs else 0.0


def maximal_loss(parents, scores, true, *costs):
    """The largest Delta of a misordered pair; 0 if there is none."""
    others = [c for c in scores if c not in true]
    pairs = misordered(scores, true, others)
    return max((pair_loss(parents, y, ybar, *costs) for y, ybar in pairs), default=0.0)


def parent_one_accuracy(parents, scores, true):
    """Whether a parent of the top candidate is a parent of a relevant one."""
    if max(scores.values()) == -math.inf:
        return 0.0
    top = argmax(scores)
    return float(any(p in parents[y] for y in true for p in parents[top]))


def unit_attributes(parents, t, candidates):
    """t divided by the largest norm of a candidate's attributes, the root's left out; then the own
    attribute of each candidate solves ||lambda(y)|| = 1."""

    def above(y):
        return [v for v in closure(parents, [y]) if v not in (y, root(parents))]

    norms = [math.hypot(*(t.get(v, 1.0) for v in [y, *above(y)])) for y in candidates]
    unit = {v: t.get(v, 1.0) / (max(norms, default=0.0) or 1.0) for v in parents}
    for y in candidates:
        unit[y] = math.sqrt(max(1.0 - sum(unit[v] ** 2 for v in above(y)), 0.0))
    return unit


def best_threshold(scores, true):
    """The highest threshold that puts the fewest candidates on the wrong side, taken midway
    between two scores; above all scores the first stands for it, below all the last."""
    steps = sorted(set(scores.values()), reverse=True)
    middles = [(a + b) / 2 for a, b in itertools.pairwise(steps)]

    def wrong(threshold):
        return sum((scores[c] >= threshold) != (c in true) for c in scores)

    best = min([math.inf, *middles, -math.inf], key=wrong)
    return min(max(best, steps[-1]), steps[0])


class HMinOver:
    """The online perceptron of [T] section 4, with a threshold that is regressed on the scores."""

    def __init__(self, parents, margin=1.0, t=None, candidates=None):
        self.parents = parents
        self.margin = margin
        self.t = {v: 1.0 if t is None else t.get(v, 1.0) for v in parents}
        self.candidates = leaves(parents) if candidates is None else list(candidates)
        self.w = {v: {} for v in parents}
        # (1, top, mean score), the best threshold, and the weight of the example
        self.thresholds = []

    def scores(self, x):
        """F(x, y) = sum_v lambda_v(y) <w_v, x> of every node but the root ([T] section 2.2)."""
        return {
            y: sum(self.t[v] * dot(self.w[v], x) for v in closure(self.parents, [y]))
            for y in labels_below_root(self.parents)
        }

    def ranked(self, x):
        """The scores of the candidates."""
        scores = self.scores(x)
        return {c: scores[c] for c in self.candidates}

    @staticmethod
    def summary(scores):
        """What the threshold is regressed on."""
        return [1.0, max(scores.values()), sum(scores.values()) / len(scores)]

    def threshold(self, x):
        """Least squares of the best thresholds so far, l2 = 0.001, solved afresh; each equation is
        divided by the largest of its coefficients."""
        sizes = [max(map(abs, z)) / math.sqrt(weight) for z, _, weight in self.thresholds]
        equations = list(zip(sizes, self.thresholds, strict=True))
        Z = np.array([[v / s for v in z] for s, (z, _, _) in equations])
        b = np.array([best / s for s, (_, best, _) in equations])
        Z = Z.reshape(-1, 3)
        solution = np.linalg.solve(1e-3 * np.eye(3) + Z.T @ Z, Z.T @ b)
        return float(solution @ np.array(self.summary(self.ranked(x))))

    def predict(self, x):
        """The candidates that reach the threshold, and their ancestors; none before the first
        example."""
        threshold, scores = self.threshold(x), self.ranked(x)
        on = closure(
            self.parents, [c for c in scores if self.thresholds and scores[c] >= threshold]
        )
        return {v: v in on for v in labels_below_root(self.parents)}

    def worst_pair(self, x, y):
        """argmin F(x, y) - F(x, ybar); the first of each in taxonomy order."""
        scores = self.ranked(x)
        true = relevant(self.parents, self.candidates, y)
        others = [c for c in self.candidates if c not in true]
        if not true or not others:
            return None
        return min(true, key=lambda c: scores[c]), max(others, key=lambda c: scores[c])

    def learn(self, x, y, weight=1.0):
        """The threshold learns from the scores as they were; then, if the smallest margin is too
        small, w_v +- Delta t_v x ([T] Algorithm 2)."""
        y = set(y)
        scores, pair = self.ranked(x), self.worst_pair(x, y)
        true = relevant(self.parents, self.candidates, y)
        self.thresholds.append((self.summary(scores), best_threshold(scores, true), weight))
        if pair is not None and scores[pair[0]] - scores[pair[1]] < self.margin:
            self.step(x, pair, weight)

    def step(self, x, pair, weight=1.0):
        up, down = (closure(self.parents, [v]) for v in pair)
        delta = weight * pair_loss(self.parents, *pair)
        for v in up ^ down:
            add(self.w[v], (1 if v in up else -1) * delta * self.t[v], x)


class BatchHMinOver(HMinOver):
    """Algorithm 2 of [T]: the worst pair over all examples, until its margin is met."""

    def fit(self, examples, max_steps):
        """How many steps were made."""
        for step in range(max_steps):
            margins = []
            for i, (x, y) in enumerate(examples):
                pair, scores = self.worst_pair(x, y), self.ranked(x)
                if pair is not None:
                    margins.append((scores[pair[0]] - scores[pair[1]], i, pair))
            smallest = min(margins, key=lambda m: m[0], default=(math.inf, 0, (None, None)))
            if smallest[0] >= self.margin:
                return step
            _, i, pair = smallest
            self.step(examples[i][0], pair)
        return max_steps


def label_ranking_dual(parents, examples, candidates, t, kernel, costs=()):
    """The dual of [T] section 3: the pairs (i, y, ybar), their Delta, and the matrix of
    <dPhi_i(y, ybar), dPhi_j(r, rbar)> = <L(y) - L(ybar), L(r) - L(rbar)> K(x_i, x_j)."""
    pairs = [
        (i, y, ybar)
        for i, (_, labels) in enumerate(examples)
        for y in relevant(parents, candidates, labels)
        for ybar in candidates
        if ybar not in relevant(parents, candidates, labels)
    ]
    deltas = [pair_loss(parents, y, ybar, *costs) for _, y, ybar in pairs]

    def difference(y, ybar):
        up, down = closure(parents, [y]), closure(parents, [ybar])
        return {v: t.get(v, 1.0) * ((v in up) - (v in down)) for v in parents}

    products = np.array(
        [
            [
                dot(difference(y, ybar), difference(r, rbar))
                * kernel(examples[i][0], examples[j][0])
                for j, r, rbar in pairs
            ]
            for i, y, ybar in pairs
        ]
    )
    return pairs, np.array(deltas), products
