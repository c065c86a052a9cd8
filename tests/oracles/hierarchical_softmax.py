"""A softmax at each inner node: over its children and itself."""

import math

from .hieron import argmax
from .path_softmax import PathSoftmax
from .trees import path


class HierarchicalSoftmax:
    """A flat `PathSoftmax` at each inner node, of its children and itself."""

    def __init__(self, parents, prior_variance=96.0, forgetting=1.0):
        self.parents = parents
        self.at = {}
        self.temperature, self.curvature = [0.0, 0.0], [[10.0, 0.0], [0.0, 10.0]]
        for u in parents:
            children = [c for c in parents if u in parents[c]]
            if children:
                flat = {u: (), **dict.fromkeys(children, (u,))}
                self.at[u] = PathSoftmax(flat, prior_variance, forgetting)
        for model in self.at.values():  # one temperature of all
            model.temperature, model.curvature = self.temperature, self.curvature

    @property
    def w(self):
        """The weights of each node among its siblings."""
        return {v: self.at[above[0]].w[v] if above else {} for v, above in self.parents.items()}

    @property
    def own(self):
        """The weights of each node among its children."""
        return {v: self.at[v].own[v] if v in self.at else {} for v in self.parents}

    def decisions(self, y):
        """The models on the path of a label, and what each has to choose."""
        nodes = path(self.parents, y)
        return [
            (self.at[u], below)
            for u, below in zip(nodes, [*nodes[1:], y], strict=True)
            if u in self.at
        ]

    def scores(self, x):
        """The logarithm of the probability of each label."""
        found = {}
        for v in self.parents:
            logs = []
            for model, below in self.decisions(v):
                slope = model.slope(model.by(x))
                s = {c: slope * each for c, each in model.scores(x).items()}
                most = max(s.values())
                total = sum(math.exp(each - most) for each in s.values())
                logs.append(s[below] - most - math.log(total))
            found[v] = math.fsum(logs)
        return found

    def predict(self, x):
        """The first of the most probable labels."""
        return argmax(self.scores(x))

    def predicted(self, x):
        """The probabilities of the labels."""
        return self.probabilities(self.scores(x))

    def probabilities(self, scores):
        """Of the labels."""
        return {v: math.exp(s) for v, s in scores.items()}

    def missing(self, x, y):
        """t - P of every alternative on the path."""
        return {
            (i, *name): gap
            for i, (model, below) in enumerate(self.decisions(y))
            for name, gap in model.missing(x, below).items()
        }

    def learn_part(self, x, may, weight=1.0):
        """The label is one of some: a step of each decision by how likely this is below each of its
        alternatives, of as much weight as its node is likely to be reached."""
        temperature, self.temperature[:] = self.temperature[:], [0.0, 0.0]
        p, steps = self.predicted(x), []
        self.temperature[:] = temperature
        in_all = sum(p[v] for v in may)
        for u, model in self.at.items():
            below = {c: {v for v in p if c in path(self.parents, v)} for c in model.parents}
            below[u] = {u}
            inside = {c: sum(p[v] for v in some & may) for c, some in below.items()}
            possible = {c: inside[c] / sum(p[v] for v in some) for c, some in below.items()}
            reached = sum(inside.values()) / in_all
            if reached and len({*possible.values()}) > 1:
                steps.append((model, possible, reached))
        for model, possible, reached in steps:
            model.learn(x, None, weight, possible, reached=reached)

    def learn(self, x, y, weight=1.0):
        """A step of each decision on the path."""
        for model, below in self.decisions(y):
            model.learn(x, below, weight)
