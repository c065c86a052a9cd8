"""Gaussian labels with one covariance, computed from all examples at every call."""

import math

import numpy as np

from .trees import path


class LinearDiscriminant:
    """Means that are drawn towards their parents', one covariance; scores up to a constant.

    The means are those of the model in which a label's mean is Gaussian around its parent's, with
    the covariance divided by the shrinkage. They minimise

        sum of w |x - mean[y]|^2 + shrinkage * sum of |mean[v] - mean[parent(v)]|^2,

    so they solve a linear system with the nodes as unknowns.
    """

    def __init__(self, parents, shrinkage, l2):
        self.parents = parents
        self.shrinkage = shrinkage
        self.l2 = l2
        self.examples = []

    def scores(self, x):
        first = self.examples[0][0] if self.examples else {}
        names = list(dict.fromkeys(a for z, _, _ in self.examples for a in z))

        def centred(z):
            return [z.get(a, 0.0) - first.get(a, 0.0) for a in names]

        nodes = list(self.parents)
        system = np.zeros((len(nodes), len(nodes)))
        right = np.zeros((len(nodes), len(names)))
        for v, above in self.parents.items():
            if above:
                a, b = nodes.index(v), nodes.index(above[0])
                for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                    system[i, j] += sign * self.shrinkage
        count, counted, m = dict.fromkeys(nodes, 0.0), dict.fromkeys(nodes, 0.0), 0.0
        since = dict.fromkeys(nodes, 0.0)
        for z, y, w in self.examples:
            if not count[y]:  # it is counted from here on, and so are its ancestors, again
                for v in path(self.parents, y):
                    if count[v] or v == y:
                        since[v], counted[v] = m, 0.0
            m += w
            count[y] += w
            counted[y] += w
            system[nodes.index(y), nodes.index(y)] += w
            right[nodes.index(y)] += w * np.array(centred(z))
        means = np.linalg.solve(system, right) if self.examples else right

        scatter = np.zeros((len(names), len(names)))
        for v in nodes:
            mine = [(np.array(centred(z)), w) for z, y, w in self.examples if y == v]
            plain = sum(w * z for z, w in mine) / max(count[v], 1e-300)
            for z, w in mine:
                scatter += w * np.outer(z - plain, z - plain)
        furthest = [max(centred(z)[j] ** 2 for z, _, _ in self.examples) for j in range(len(names))]
        d = sum(square > 0.0 for square in furthest)
        scatter += np.diag([self.l2 * d * square or 1.0 for square in furthest])
        freedom = 1 + sum(max(n - 1, 0.0) for n in count.values())
        precision = freedom * np.linalg.inv(scatter) if names else scatter
        spread = precision @ centred(x)
        labels = 1 + sum(n > 0.0 for n in count.values())
        rate = {v: (counted[v] + 0.01) / (m - since[v] + labels) for v in nodes}
        return {
            v: float(mean @ spread - mean @ precision @ mean / 2) + math.log(rate[v])
            for v, mean in zip(nodes, means, strict=True)
        }

    def learn(self, x, y, w=1.0):
        if w:
            self.examples.append((x, y, w))
