"""The learners in dual form."""

import math

import numpy as np

from .averages import averaged_scores
from .hieron import argmax
from .least_squares import top_down, trained_nodes
from .trees import closure, distance, labels_below_root, path
from .vectors import add, dot


def linear_kernel(x, z):
    """x . z."""
    return dot(x, z)


def rbf_kernel(sigma):
    """exp(-|x - z|^2 / (2 sigma^2)), coordinate by coordinate."""

    def kernel(x, z):
        names = {**x, **z}
        squared = sum((x.get(name, 0.0) - z.get(name, 0.0)) ** 2 for name in names)
        return math.exp(-squared / (2.0 * sigma**2))

    return kernel


def polynomial_kernel(degree, coef0):
    """(x . z + coef0)^degree."""
    return lambda x, z: (dot(x, z) + coef0) ** degree


def expansion_scores(parents, kernel, expansion, x):
    """W^v . x = sum over u in P(v) of sum_i a_i^u K(x_i, x): [H] Eq. 11."""
    return {
        v: sum((a.get(u, 0.0) * kernel(z, x) for z, a in expansion for u in path(parents, v)), 0.0)
        for v in parents
    }


def kernel_step(parents, kernel, scores, x, y, r, C):
    """The coefficients of x at the nodes, at most C ([H] Eq. 7, 8, 13 with + sqrt(gamma))."""
    gamma = distance(parents, y, r)
    loss = max(0.0, scores[r] - scores[y] + math.sqrt(gamma))
    if y == r or loss == 0.0 or kernel(x, x) == 0.0:
        return {}
    alpha = min(C, loss / (gamma * kernel(x, x)))
    up = dict.fromkeys(set(path(parents, y)) - set(path(parents, r)), alpha)
    return up | dict.fromkeys(set(path(parents, r)) - set(path(parents, y)), -alpha)


def nearest(kernel, kept, x):
    """p such that sum_i p_i phi(z_i) over the kept is nearest to phi(x); the squared distance."""
    K = np.array([[kernel(a, b) for b in kept] for a in kept]).reshape(len(kept), len(kept))
    k = np.array([kernel(z, x) for z in kept])
    p = np.linalg.lstsq(K, k, rcond=1e-12)[0]
    return p, kernel(x, x) - float(p @ k)


def to_keep(kernel, instances, weights, n):
    """One after the other the instance whose squared distance from the sums over those chosen
    before, times its weight, is the largest; n, or fewer where all distances are 0. In order."""
    kept = []
    while len(kept) < n:
        lost = {
            i: nearest(kernel, [instances[j] for j in kept], x)[1] * weights[i]
            for i, x in enumerate(instances)
            if i not in kept
        }
        best = max(lost, key=lambda i: lost[i])
        if kept and lost[best] < 1e-12:
            break
        kept.append(best)
    return sorted(kept)


def forgotten(kernel, expansion, kept):
    """The kept ones only, on which the others are projected."""
    after = [(expansion[i][0], dict(expansion[i][1])) for i in kept]
    for j, (x, b) in enumerate(expansion):
        if j not in kept:
            for p_i, (_, a) in zip(
                nearest(kernel, [z for z, _ in after], x)[0], after, strict=True
            ):
                add(a, float(p_i), b)
    return after


def squared(a):
    """sum_v a_v^2"""
    return sum(value**2 for value in a.values())


class KernelAveraged:
    """The mean of the hypotheses of online Hieron in its dual form; keeps all m + 1 of them.

    Every w^u is the mean from the first example of u on or, as in [H] Eq. 13, from the first round.
    """

    def __init__(self, parents, kernel, budget=math.inf, C=math.inf, from_first_round=False):
        self.parents, self.kernel, self.budget, self.C = parents, kernel, budget, C
        self.from_first_round = from_first_round
        self.hypotheses = [[]]
        self.labels = []

    def current(self, x):
        """W^v . x of every node, of the last hypothesis."""
        return expansion_scores(self.parents, self.kernel, self.hypotheses[-1], x)

    def scores(self, x):
        """The means over the hypotheses, added up along paths."""
        every = [expansion_scores(self.parents, self.kernel, h, x) for h in self.hypotheses]
        return averaged_scores(self.parents, every, self.labels, self.from_first_round)

    def rival(self, scores, y):
        """The prediction."""
        return argmax(scores)

    def learn(self, x, y):
        """One step of the last hypothesis; what is forgotten is so everywhere."""
        scores = self.current(x)
        self.labels.append([y])
        r = self.rival(scores, y)
        a = kernel_step(self.parents, self.kernel, scores, x, y, r, self.C)
        held = [z for z, _ in self.hypotheses[-1]]
        after = [*self.hypotheses[-1], (dict(x), a)] if a else self.hypotheses[-1]
        self.hypotheses.append(after)
        if len(after) > self.budget:
            instances, weights = zip(*((z, squared(b)) for z, b in after), strict=True)
            kept = to_keep(self.kernel, instances, weights, max(1, 4 * int(self.budget) // 5))
            # A hypothesis that does not know the newest instances has coefficient 0 there.
            whole = [h + [(z, {}) for z in [*held, dict(x)][len(h) :]] for h in self.hypotheses]
            self.hypotheses = [forgotten(self.kernel, h, kept) for h in whole]


class KernelHieron(KernelAveraged):
    """Online Hieron in its dual form; with more than `budget` instances it keeps four fifths."""

    def scores(self, x):
        """W^v . x of every node, of the last hypothesis."""
        return self.current(x)


class KernelAveragedHieron(KernelAveraged):
    """Batch Hieron in its dual form, one pass."""

    def rival(self, scores, y):
        """The label of the largest loss."""
        return argmax({v: s + distance(self.parents, y, v) ** 0.5 for v, s in scores.items()})


class KernelRLS:
    """H-RLS (threshold inf) and SH-RLS in their dual form, solved afresh at every call.

    With more than `budget` instances a group of siblings (SH-RLS: a node) keeps four fifths, and is
    from then on regularised towards w0: what the forgotten ones contributed to w, projected onto
    the instances that are kept.
    """

    def __init__(self, parents, kernel, threshold=math.inf, l2=1.0, budget=math.inf):
        self.parents, self.kernel, self.threshold = parents, kernel, threshold
        self.l2, self.budget = l2, budget
        self.t = 0
        # Of every node: instance, label, and coefficient in w0.
        self.examples = {i: [] for i in labels_below_root(parents)}
        self.n_stored = dict.fromkeys(self.examples, 0)

    def prior(self, node, x):
        """w0 . x"""
        return sum((c * self.kernel(z, x) for z, _, c in self.examples[node]), 0.0)

    def solve(self, node, instances, labels):
        """(l2 I + K)^-1 of what w0 leaves of the labels."""
        K = np.array([[self.kernel(a, b) for b in instances] for a in instances])
        left = [v - self.prior(node, z) for z, v in zip(instances, labels, strict=True)]
        return np.linalg.solve(self.l2 * np.eye(len(instances)) + K, left)

    def margin(self, node, x):
        """w . x / (1 + r), r = (K(x, x) - k^T (l2 I + K)^-1 k) / l2."""
        if not self.examples[node]:
            return 0.0
        instances = [z for z, _, _ in self.examples[node]]
        labels = [v for _, v, _ in self.examples[node]]
        k = [self.kernel(z, x) for z in instances]
        score = self.prior(node, x) + float(np.dot(k, self.solve(node, instances, labels)))
        K = np.array([[self.kernel(a, b) for b in instances] for a in instances])
        left = np.linalg.solve(self.l2 * np.eye(len(k)) + K, k)
        r = (self.kernel(x, x) - float(np.dot(k, left))) / self.l2
        return score / (1.0 + r)

    def equation_1(self, node, x):
        """[R] Eq. 1 as it is written, where w0 = 0: x is in the matrix, and not in S v."""
        instances = [*(z for z, _, _ in self.examples[node]), x]
        labels = [*(v for _, v, _ in self.examples[node]), 0.0]
        alpha = self.solve(node, instances, labels)
        return float(sum(a * self.kernel(z, x) for a, z in zip(alpha, instances, strict=True)))

    def scores(self, x):
        """The margin of every node but the root."""
        return {i: self.margin(i, x) for i in self.examples}

    def predict(self, x):
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x), self.t)

    def learn(self, x, y):
        """Store where the parents are truly on and in doubt; then forget."""
        self.t += 1
        if self.kernel(x, x) == 0.0:
            return
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            N = self.n_stored[i]
            if N and abs(self.margin(i, x)) > math.sqrt(self.threshold * math.log(self.t) / N):
                continue
            self.examples[i].append((dict(x), 1.0 if i in true else -1.0, 0.0))
            self.n_stored[i] += 1
        self.forget()

    def forget(self):
        """The part of w of those that go goes to w0, by projection."""
        groups = [[i] for i in self.examples]
        if self.threshold == math.inf:  # siblings share their instances, and what they forget
            above = dict.fromkeys(self.parents[i] for i in self.examples)
            groups = [[i for i in self.examples if self.parents[i] == ps] for ps in above]
        for group in groups:
            if len(self.examples[group[0]]) <= self.budget:
                continue
            instances = [z for z, _, _ in self.examples[group[0]]]
            c = {}
            for i in group:
                labels = [v for _, v, _ in self.examples[i]]
                old = np.array([c0 for _, _, c0 in self.examples[i]])
                c[i] = old + self.solve(i, instances, labels)  # w = S c
            weights = [float(sum(c[i][j] ** 2 for i in group)) for j in range(len(instances))]
            kept = to_keep(self.kernel, instances, weights, max(1, 4 * int(self.budget) // 5))
            for i in group:
                w0 = {j: self.examples[i][j][2] for j in kept}
                for j, x in enumerate(instances):
                    if j not in kept:
                        p = nearest(self.kernel, [instances[k] for k in kept], x)[0]
                        for k, p_k in zip(kept, p, strict=True):
                            w0[k] += float(p_k * c[i][j])
                self.examples[i] = [(instances[k], self.examples[i][k][1], w0[k]) for k in kept]
