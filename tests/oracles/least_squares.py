"""H-PERC, H-RLS and SH-RLS, and what a budget does."""

import math

import numpy as np

from .trees import children, closure, labels_below_root, root
from .vectors import add, dot


def top_down(parents, scores, has_learned=True):
    """On iff all parents are predicted on and the score is >= 0 ([R] Fig. 3, step 2); before the
    first example, not in the paper, no node is."""

    def is_on(i):
        return i == root(parents) or (all(is_on(j) for j in parents[i]) and scores[i] >= 0)

    if not has_learned:
        return dict.fromkeys(labels_below_root(parents), False)

    return {i: is_on(i) for i in labels_below_root(parents)}


def reference_classifier(parents, u, x):
    """The prediction of the true u_i ([R] Eq. 4)."""
    return top_down(parents, {i: dot(u[i], x) for i in labels_below_root(parents)})


def trained_nodes(parents, true):
    """The nodes that an example trains: those whose parents are all truly on ([R] section 4)."""
    return [i for i in labels_below_root(parents) if all(j in true for j in parents[i])]


class HPerceptron:
    """H-PERC ([R] section 8)."""

    def __init__(self, parents):
        self.parents = parents
        self.w = {i: {} for i in labels_below_root(parents)}
        self.has_learned = False

    def scores(self, x):
        """w_i . x of every node but the root."""
        return {i: dot(self.w[i], x) for i in self.w}

    def predict(self, x):
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x), self.has_learned)

    def learn_below(self, x, y, weight=1.0):
        """Of the children of the labels of y, those are unknown that are not on; they stay."""
        on = closure(self.parents, y)
        self.learn(
            x,
            y,
            weight,
            {c for v in y if v != root(self.parents) for c in children(self.parents, v)} - on,
        )

    def learn_known(self, x, y, weight=1.0):
        """Only these labels, and those above them, are known; all others stay."""
        on = closure(self.parents, y)
        self.learn(x, y, weight, set(self.parents) - on)

    def learn(self, x, y, weight=1.0, unknown=()):
        """w_i += weight v_i x, v_i = +1 / -1, iff {w_i . x >= 0} != v_i."""
        self.has_learned = True
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            if i not in unknown and (dot(self.w[i], x) >= 0) != (i in true):
                add(self.w[i], weight if i in true else -weight, x)


class _RLS:
    """What H-RLS and SH-RLS share: the estimator of [R] Eq. 1, solved afresh at every call.

    Where it forgets, a node counts its visits, the examples that it is trained on, in periods of h,
    the fewest with forgetting^h <= 1/2. An example counts forgetting^h as much for each period that
    has ended since it came, and so does it in N_i.
    Where the examples themselves are kept, one that counts forgetting^a is dropped as soon as
    forgetting^a max(1, |x|^2 / l2) < faint.
    """

    def __init__(self, parents, l2=1.0, forgetting=1.0, faint=0.0):
        self.parents = parents
        self.l2 = l2
        self.faint = faint
        self.period = 1  # h
        while forgetting < 1.0 and forgetting**self.period > 0.5:
            self.period += 1
        self.rate = forgetting**self.period
        self.t = 0.0  # rounds so far, by their weights
        self.features = {}  # every name learned from, in order
        nodes = labels_below_root(parents)
        self.visits = dict.fromkeys(nodes, 0)
        self.N = dict.fromkeys(nodes, 0.0)
        # (x, v, the visit on which it came, from 0, its weight)
        self.examples = {i: [] for i in nodes}

    def stored(self, node):
        """How many examples the node has stored, by their weights: N_i."""
        return self.N[node]

    def weight(self, node, x, visit):
        """What an example counts by now."""
        ended = self.visits[node] // self.period - visit // self.period
        weight = self.rate**ended
        return 0.0 if weight * max(1.0, dot(x, x) / self.l2) < self.faint else weight

    def _solve(self, node, x):
        """(l2 I + S S^T + x x^T)^{-1} S v ([R] Eq. 1)."""
        names = list({**self.features, **dict.fromkeys(x)})
        A, Sv = self.l2 * np.eye(len(names)), np.zeros(len(names))
        for s, v, visit, given in self.examples[node]:
            weight = given * self.weight(node, s, visit)
            column = np.array([s.get(name, 0.0) for name in names])
            A += weight * np.outer(column, column)
            Sv += weight * v * column
        x_t = np.array([x.get(name, 0.0) for name in names])
        w = np.linalg.solve(A + np.outer(x_t, x_t), Sv)
        return dict(zip(names, w.tolist(), strict=True))

    def w(self, node):
        """w_old = (l2 I + S S^T)^{-1} S v: no current x."""
        return self._solve(node, {})

    def margin(self, node, x):
        """w_{i,t} . x, x itself in the matrix ([R] Eq. 1)."""
        return dot(self._solve(node, x), x)

    def scores(self, x):
        """The margin of every node but the root."""
        return {i: self.margin(i, x) for i in self.examples}

    def predict(self, x):
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x), self.t)

    def learn(self, x, y, weight=1.0):
        """Store (x, +1 / -1) where the parents are truly on; a zero x is a round, never stored."""
        self.t += weight
        if dot(x, x) == 0.0:
            return
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            if self._stores(i, x):
                v = 1.0 if i in true else -1.0
                self.examples[i].append((dict(x), v, self.visits[i], weight))
                self.N[i] += weight
            self.visits[i] += 1
            if self.rate < 1.0 and self.visits[i] % self.period == 0:
                self.N[i] = self.rate * self.N[i]
        self.features.update(dict.fromkeys(x))


class HRLS(_RLS):
    """H-RLS ([R] Fig. 3): every trained node stores every example."""

    def _stores(self, node, x):
        return True


class SHRLS(_RLS):
    """SH-RLS ([R] section 8): a trained node stores an example only if its margin is small."""

    def __init__(self, parents, threshold=5.0, l2=1.0, forgetting=1.0, faint=0.0):
        super().__init__(parents, l2, forgetting, faint)
        self.threshold = threshold

    def _stores(self, node, x):
        """|w_{i,t} . x_t| <= sqrt(5 ln t / N_{i,t}); t is the current round; N = 0 stores."""
        N = self.stored(node)
        if N == 0:
            return True
        return abs(self.margin(node, x)) <= math.sqrt(
            self.threshold * math.log(max(1.0, self.t)) / N
        )


class BudgetedSHRLS:
    """SH-RLS at one node that forgets: with more than `budget` instances, the oldest go until
    budget // 2 are left, and what they contributed to w stays as w0. From then on
    w = argmin l2 |w - w0|^2 + sum over the kept (v - w . x)^2."""

    def __init__(self, d, threshold, l2, budget):
        self.threshold, self.l2, self.budget = threshold, l2, budget
        self.w0 = np.zeros(d)
        self.S = []
        self.v = []
        self.t = self.n_stored = 0

    def alpha(self):
        """With w = w0 + S alpha, (l2 I + S^T S) alpha = v - S^T w0."""
        S = np.array(self.S).reshape(len(self.S), len(self.w0))
        B = self.l2 * np.eye(len(S)) + S @ S.T
        return np.linalg.solve(B, np.array(self.v) - S @ self.w0)

    def w(self):
        """The minimiser, solved as it is written."""
        S = np.array(self.S).reshape(len(self.S), len(self.w0))
        A = self.l2 * np.eye(len(self.w0)) + S.T @ S
        return np.linalg.solve(A, self.l2 * self.w0 + S.T @ np.array(self.v))

    def score(self, x):
        """w . x / (1 + x^T A^-1 x)."""
        S = np.array(self.S).reshape(len(self.S), len(self.w0))
        A = self.l2 * np.eye(len(self.w0)) + S.T @ S
        return float(self.w() @ x / (1.0 + x @ np.linalg.solve(A, x)))

    def learn(self, x, v):
        """Store where in doubt, then forget."""
        self.t += 1
        if self.n_stored and self.threshold < math.inf:
            bound = math.sqrt(self.threshold * math.log(self.t) / self.n_stored)
            if abs(self.score(x)) > bound:
                return
        self.S.append(x)
        self.v.append(v)
        self.n_stored += 1
        if len(self.S) > self.budget:
            dropped = len(self.S) - self.budget // 2
            alpha = self.alpha()[:dropped]
            self.w0 = self.w0 + np.array(self.S[:dropped]).T @ alpha
            self.S, self.v = self.S[dropped:], self.v[dropped:]
