"""Votes of the nearest examples, found by sorting all of them."""

import math

import numpy as np


class DiscriminantNeighbors:
    """A list of the latest examples, in the metric of Hastie and Tibshirani (1996), Eq. 6."""

    def __init__(self, parents, n_neighbors, budget):
        self.parents = parents
        self.n_neighbors = n_neighbors
        self.budget = budget
        self.examples = []
        self.known = set()  # features of all examples so far; others do not count
        self.n = 0  # examples so far
        self.next = 16
        self.metric = None

    def scores(self, x):
        x = {name: value for name, value in x.items() if name in self.known}
        votes = dict.fromkeys(self.parents, 1e-4)
        nearest = sorted((self.distance(x, z), i) for i, (z, _, _) in enumerate(self.examples))
        nearest = nearest[: self.n_neighbors]
        last = nearest[-1][0] if nearest else 0.0
        for square, i in nearest:
            _, y, w = self.examples[i]
            votes[y] += w * math.exp(-2.0 * square / (last or 1.0))
        return {v: math.log(vote) for v, vote in votes.items()}

    def learn(self, x, y, w=1.0):
        if w:
            self.known.update(x)
            self.examples = [*self.examples, (x, y, w)][-self.budget :]
            self.n += 1
        if self.n == self.next:
            self.next = self.n * 3 // 2
            self.metric = self.estimate()

    def distance(self, x, z):
        if self.metric is None:
            return squared_distance(x, z)
        off = {a: x.get(a, 0.0) - z.get(a, 0.0) for a in {**x, **z}}
        return sum(off[a] * m * off[b] for (a, b), m in self.metric.items() if {a, b} <= {*off})

    def forget(self, labels):
        self.examples = [example for example in self.examples if example[1] not in labels]
        self.n = len(self.examples)

    def estimate(self):
        names = sorted(self.known, key=str)
        rows = [[x.get(a, 0.0) for a in names] for x, _, _ in self.examples]
        total = sum(w for *_, w in self.examples)

        def mean(of):
            some = [(row, w) for row, (_, y, w) in zip(rows, self.examples, strict=True) if y == of]
            if of is None:
                some = [(row, w) for row, (*_, w) in zip(rows, self.examples, strict=True)]
            n = sum(w for _, w in some)
            return [sum(w * row[j] for row, w in some) / n for j in range(len(names))]

        middle, d = mean(None), len(names)
        within, between = ([[0.0] * d for _ in range(d)] for _ in range(2))
        for row, (_, y, w) in zip(rows, self.examples, strict=True):
            centre = mean(y)
            for i in range(d):
                for j in range(d):
                    within[i][j] += w / total * (row[i] - centre[i]) * (row[j] - centre[j])
                    between[i][j] += w / total * (centre[i] - middle[i]) * (centre[j] - middle[j])
        ridge = 0.03 * sum(within[i][i] for i in range(d)) / d
        if not ridge:
            return {(a, a): 1.0 for a in names}
        inverse = np.linalg.inv(np.array(within) + ridge * np.eye(d))
        metric = inverse + inverse @ np.array(between) @ inverse
        return {(a, b): metric[i, j] for i, a in enumerate(names) for j, b in enumerate(names)}


def squared_distance(x, z):
    return sum((x.get(a, 0.0) - z.get(a, 0.0)) ** 2 for a in {**x, **z})
