"""Softmax regression whose labels share one covariance, inverted at every update."""

import math

import numpy as np

from .vectors import dot


class NewtonSoftmax:
    """A weight vector for each label; the precision of the weights is kept as a dictionary."""

    def __init__(self, parents, prior_variance):
        self.parents = parents
        self.prior_variance = prior_variance
        self.weights = {}  # of the labels that have had examples
        self.precision = {}  # without that of the prior
        self.waiting = []  # examples and their curvatures
        self.n = 0

    def probabilities(self, x):
        powers = {v: math.exp(dot(w, x)) for v, w in self.weights.items()}
        return {v: power / sum(powers.values()) for v, power in powers.items()}

    def scores(self, x):
        return {
            v: dot(self.weights[v], x) if v in self.weights else math.log(0.01)
            for v in self.parents
        }

    def spread(self, x):
        """C x."""
        names = list(dict.fromkeys([*x, *(a for a, _ in self.precision)]))
        precision = np.array([[self.precision.get((a, b), 0.0) for b in names] for a in names])
        precision = precision.reshape(len(names), len(names))
        precision += np.eye(len(names)) / self.prior_variance
        right = [x.get(a, 0.0) for a in names]
        return dict(zip(names, np.linalg.solve(precision, right).tolist(), strict=True))

    def learn_part(self, x, may, w=1.0):
        """The labels are one, whose step they share; those without examples stay so."""
        branch = [v for v in self.weights if v in may]
        if branch:
            self.learn(x, None, w, branch)

    def learn(self, x, y, w=1.0, branch=()):
        if not w:
            return
        true = branch or [y]
        for v in true:
            self.weights.setdefault(v, {})
        p, spread = self.probabilities(x), self.spread(x)
        together = sum(p[v] for v in true)
        q = [together, *(p[v] for v in p if v not in true)]
        h = w * sum(a * (1.0 - a) for a in q) / len(p)
        for v, weights in self.weights.items():
            toward = (1.0 - together) / len(true) if v in true else -p[v]
            step = w * toward / (1.0 + h * dot(spread, x))
            for a, value in spread.items():
                weights[a] = weights.get(a, 0.0) + step * value
        self.waiting.append((x, h))
        self.n += 1
        if self.n in (1, 2, 4, 8, 16) or self.n % 32 == 0:
            for z, curvature in self.waiting:
                for a in z:
                    for b in z:
                        more = curvature * z[a] * z[b]
                        self.precision[a, b] = self.precision.get((a, b), 0.0) + more
            self.waiting = []
