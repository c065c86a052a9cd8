"""The average of the hypotheses of a learner, each of them kept.

The average of a node begins again with its first example: the first whose label is the node or
below it. With `from_first_round`, all averages are over all rounds.
"""

import copy
from collections.abc import Hashable

from .trees import closure
from .vectors import add


def first_examples(parents, labels, from_first_round=False):
    """The number of the round in which the average of each node begins, counted from 0."""
    first = dict.fromkeys(parents, 0) if from_first_round else {}
    for i, y in enumerate(labels):
        for v in closure(parents, y):
            first.setdefault(v, i)
    return first


def shares(counts, first):
    """What each hypothesis counts in the average of a node that begins in this round.

    `counts` are 1 and then the weights of the examples. The hypothesis before the first example
    counts 1, as in a model that has never learned; without an example, all count.
    """
    if first is None:
        return list(counts)
    return [0.0] * first + [1.0, *counts[first + 1 :]]


def mean(hypotheses, counts, first):
    """The mean of each weight over the hypotheses of its node."""
    means = {v: {} for v in hypotheses[-1]}
    for v, w in means.items():
        own = shares(counts or [1.0] * len(hypotheses), first.get(v))
        for share, hypothesis in zip(own, hypotheses, strict=True):
            add(w, share / sum(own), hypothesis[v])
    return means


def averaged_scores(parents, every, labels, from_first_round=False):
    """Scores of paths, from those of every hypothesis."""
    first, scores = first_examples(parents, labels, from_first_round), {}
    for v, above in parents.items():  # a parent comes before its children
        own = [s[v] - s[above[0]] if above else s[v] for s in every]
        counts = shares([1.0] * len(every), first.get(v))
        score = sum(c * s for c, s in zip(counts, own, strict=True)) / sum(counts)
        scores[v] = score + (scores[above[0]] if above else 0.0)
    return scores


class Averaged:
    """Around an oracle with weights `w`: predicts with the average of w_1, .., w_{m+1}."""

    def __init__(self, oracle, from_first_round=False):
        self.oracle = oracle
        self.from_first_round = from_first_round
        self.hypotheses = [copy.deepcopy(oracle.w)]
        self.counts = [1.0]  # of each hypothesis: the weight of the example before it
        self.labels = []

    @property
    def w(self):
        """The average."""
        first = first_examples(self.oracle.parents, self.labels, self.from_first_round)
        return mean(self.hypotheses, self.counts, first)

    def averaged(self):
        """The oracle with the average for its weights."""
        twin = copy.copy(self.oracle)
        twin.w = self.w
        return twin

    def scores(self, x):
        """Of the average."""
        return self.averaged().scores(x)

    def predict(self, x):
        """By the average."""
        return self.averaged().predict(x)

    def learn(self, x, y, weight=1.0):
        """One more hypothesis, the same as before if nothing is learned."""
        self.oracle.learn(x, y, weight)
        self.hypotheses.append(copy.deepcopy(self.oracle.w))
        self.counts.append(weight)
        single = isinstance(y, Hashable) and y in self.oracle.parents
        self.labels.append([y] if single else y)
