"""Hieron, and its average."""

import math

from .averages import first_examples, mean
from .trees import distance, path
from .vectors import add, dot


def prototype_scores(parents, w, x):
    """W^v . x = sum over u in P(v) of w^u . x, for every node v ([H] Eq. 2, 3)."""
    return {v: sum((dot(w[u], x) for u in path(parents, v)), 0.0) for v in parents}


def argmax(scores):
    """The node with the largest score; ties go to the first node in taxonomy order."""
    return max(scores, key=lambda v: scores[v])


def hieron_loss(parents, w, x, y, yhat):
    """[W^yhat . x - W^y . x + sqrt(gamma(y, yhat))]_+ ([H] Eq. 5)."""
    scores = prototype_scores(parents, w, x)
    return max(0.0, scores[yhat] - scores[y] + math.sqrt(distance(parents, y, yhat)))


def hieron_step(parents, w, x, y, yhat, C=math.inf, weight=1.0):
    """The next hypothesis, w_{i+1} ([H] Eq. 7), its step at most C, times the weight of the
    example; w is left as it was."""
    after = {v: dict(w[v]) for v in parents}
    if yhat == y or dot(x, x) == 0.0:
        return after
    loss = hieron_loss(parents, w, x, y, yhat)
    alpha = weight * min(C, loss / (distance(parents, y, yhat) * dot(x, x)))  # [H] Eq. 8
    for v in set(path(parents, y)) - set(path(parents, yhat)):
        add(after[v], alpha, x)
    for v in set(path(parents, yhat)) - set(path(parents, y)):
        add(after[v], -alpha, x)
    return after


class Hieron:
    """Online Hieron ([H] Algorithm 1); `w` holds the differences w^v, that of the root empty."""

    def __init__(self, parents, C=math.inf):
        self.parents, self.C = parents, C
        self.w = {v: {} for v in parents}

    def scores(self, x):
        """W^v . x of every node."""
        return prototype_scores(self.parents, self.w, x)

    def predict(self, x):
        """argmax_v W^v . x ([H] Eq. 3), inner nodes and root included."""
        return argmax(self.scores(x))

    def learn(self, x, y, weight=1.0):
        """One step against the prediction; none if it is right (conservative)."""
        self.w = hieron_step(self.parents, self.w, x, y, self.predict(x), self.C, weight)


class HieronOfParts(Hieron):
    """Hieron that learns of some labels only that they are y or below it."""

    def learn_part(self, x, may, weight=1.0):
        """None if one of the labels is predicted; else the best of them has to beat the prediction.
        For it stands the highest label above it from which on all are possible, save the root."""
        scores, yhat = self.scores(x), self.predict(x)
        if yhat in may or dot(x, x) == 0.0:
            return
        best = max(scores[v] for v in may)
        y = next(v for v in self.parents if v in may and scores[v] == best)
        start = y
        while self.parents[start] and self.parents[start][0] in may:
            (start,) = self.parents[start]
        y = start if self.parents[start] else y
        gamma = distance(self.parents, y, yhat)
        step = (scores[yhat] - best + math.sqrt(gamma)) / (gamma * dot(x, x))
        for v in set(path(self.parents, y)) ^ set(path(self.parents, yhat)):
            sign = 1.0 if v in path(self.parents, y) else -1.0
            add(self.w[v], sign * weight * min(self.C, step), x)


class AveragedHieron:
    """Batch Hieron ([H] section 4), one pass; keeps all m + 1 hypotheses w_1 (= 0)..w_{m+1}."""

    def __init__(self, parents, C=math.inf, from_first_round=False):
        self.parents, self.C, self.from_first_round = parents, C, from_first_round
        self.hypotheses = [{v: {} for v in parents}]
        self.weights = [1.0]  # of each: that of the example before it
        self.labels = []

    @property
    def w(self):
        """The current hypothesis, w_{m+1}."""
        return self.hypotheses[-1]

    def average(self):
        """w^v = 1 / (m + 1) sum_{i=1}^{m+1} w_i^v ([H] Eq. 13), from the first example of v on."""
        first = first_examples(self.parents, self.labels, self.from_first_round)
        return mean(self.hypotheses, self.weights, first)

    def scores(self, x):
        """W^v . x of every node, W the average."""
        return prototype_scores(self.parents, self.average(), x)

    def predict(self, x):
        """argmax_v W^v . x ([H] Eq. 3), W the average."""
        return argmax(self.scores(x))

    def worst_label(self, x, y):
        """argmax_v W_i^v . x + sqrt(gamma(y, v)): the label that maximises [H] Eq. 5."""
        scores = prototype_scores(self.parents, self.w, x)
        return argmax({v: s + math.sqrt(distance(self.parents, y, v)) for v, s in scores.items()})

    def learn(self, x, y, weight=1.0):
        """One step against the loss-maximising label; every call adds a hypothesis."""
        yhat = self.worst_label(x, y)
        self.hypotheses.append(hieron_step(self.parents, self.w, x, y, yhat, self.C, weight))
        self.weights.append(weight)
        self.labels.append([y])
