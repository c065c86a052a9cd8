"""Softmax regression over the labels of a tree, learned by diagonal second-order steps."""

import math

from .hieron import argmax
from .trees import distance, path
from .vectors import dot


class PathSoftmax:
    """A label's score is the sum of w_u . x over its path, and o_v . x of its own weights.

    `sets` are all weight vectors, by the labels that they are part of: those of the subtree of a
    node, and an inner node alone. A step finds moves a_i = weight (t_i - P_i) for the vectors with
    |t_i - P_i| >= 0.01, where P_i is the probability of the set *after* the step, by Newton steps
    on each a_i alone, which are halved for good whenever the last one went too far; w_i moves by
    a_i S_i x, and S_i shrinks as if it had been observed with the precision weight P_i (1 - P_i).
    No a_i S_i x . x exceeds log(1 + weight S_i x . x) less the logarithm of the probability, before
    the step, of the labels that are in the same moving sets as y. In a step, though not in
    predictions, a label's score is larger by `margin` for each edge between it and y.

    Probabilities to be predicted are the softmax of e^a (1 + H)^b times the scores, whose own
    softmax has the entropy H. Before a step, a and b move by a Newton step, each by at most 1, on
    the log loss, whose second derivatives are those of the latest thousand examples."""

    def __init__(self, parents, prior_variance=32.0, forgetting=1.0, margin=0.0):
        self.parents, self.prior, self.forgetting = parents, prior_variance, forgetting
        self.margin = margin
        root = next(v for v in parents if not parents[v])
        self.sets = {}
        for u in parents:
            if u != root:
                self.sets["shared", u] = {v for v in parents if u in path(parents, v)}
            if any(u in above for above in parents.values()):
                self.sets["own", u] = {u}
        self.vectors = {i: {} for i in self.sets}
        self.variances = {i: {} for i in self.sets}
        self.temperature, self.curvature = [0.0, 0.0], [[10.0, 0.0], [0.0, 10.0]]

    @property
    def w(self):
        """The shared weights of each node."""
        return {v: self.vectors.get(("shared", v), {}) for v in self.parents}

    @property
    def own(self):
        """The weights of each label alone."""
        return {v: self.vectors.get(("own", v), {}) for v in self.parents}

    def scores(self, x):
        """The sum of the vectors that each label is part of, times x."""
        return {
            v: sum((dot(self.vectors[i], x) for i, some in self.sets.items() if v in some), 0.0)
            for v in self.parents
        }

    def predict(self, x):
        """The first of the labels with the largest score."""
        return argmax(self.scores(x))

    def probabilities(self, scores):
        """Of the labels."""
        most = max(scores.values())
        e = {v: math.exp(s - most) for v, s in scores.items()}
        return {v: e[v] / sum(e.values()) for v in e}

    def learn_part(self, x, may, weight=1.0):
        """The label is one of some. Vectors that set such labels apart, of which one is the parent
        of the other or alone, stay."""
        shared = [("shared", v) for v in may if may & set(self.parents[v])]
        fixed = [*shared, *(("own", v) for v in may)]
        self.learn(x, None, weight, {v: float(v in may) for v in self.parents}, fixed)

    def predicted(self, x):
        """The probabilities of the labels."""
        slope = self.slope(self.by(x))
        return self.probabilities({v: slope * s for v, s in self.scores(x).items()})

    def by(self, x):
        """The derivatives of the logarithm of the slope: 1, and log(1 + entropy)."""
        p = self.probabilities(self.scores(x)).values()
        return 1.0, math.log1p(-sum(q * math.log(q) for q in p if q))

    def slope(self, by):
        """The factor of the scores."""
        log = sum(value * each for value, each in zip(self.temperature, by, strict=True))
        return math.exp(min(max(log, -3.0), 3.0))

    def temper(self, x, y, weight):
        """One step of the temperature."""
        by = self.by(x)
        p, slope = self.predicted(x), self.slope(by)
        gap = {v: slope * (s - self.scores(x)[y]) for v, s in self.scores(x).items()}
        mean = sum(p[v] * gap[v] for v in p)
        second = sum(p[v] * (gap[v] - mean) ** 2 for v in p)
        kept = max(1.0 - weight / 1000.0, 0.0)
        for i in range(2):
            for j in range(2):
                new = weight * (0.1 * (i == j) + second * by[i] * by[j])
                self.curvature[i][j] = kept * self.curvature[i][j] + new
        (aa, ab), (_, bb) = self.curvature
        g = [weight * mean * each for each in by]
        moves = [(bb * g[0] - ab * g[1]), (aa * g[1] - ab * g[0])]
        for i, move in enumerate(moves):
            move = min(max(move / (aa * bb - ab * ab), -1.0), 1.0)
            self.temperature[i] = min(max(self.temperature[i] - move, -3.0), 3.0)

    def rivals(self, x, possible):
        """The scores of a step, larger by the distance from the nearest label that is possible."""
        some = [v for v in self.parents if possible[v]]
        far = {v: min(distance(self.parents, y, v) for y in some) for v in self.parents}
        return {v: s + self.margin * far[v] for v, s in self.scores(x).items()}

    def shares(self, x, possible, moved=None):
        """t and P of every vector: the probabilities with and without what is known, which is as
        likely as a label is possible."""
        moves = moved or dict.fromkeys(self.parents, 0.0)
        scores = {v: s + moves[v] for v, s in self.rivals(x, possible).items()}
        p = self.probabilities(scores)
        known = {v: scores[v] + math.log(q) for v, q in possible.items() if q}
        t = dict.fromkeys(p, 0.0) | self.probabilities(known)
        return {i: (sum(t[v] for v in s), sum(p[v] for v in s)) for i, s in self.sets.items()}

    def missing(self, x, y):
        """t - P of every vector, if y is the label."""
        found = self.shares(x, {v: float(v == y) for v in self.parents})
        return {i: t - p for i, (t, p) in found.items()}

    def learn(self, x, y, weight=1.0, possible=None, fixed=(), reached=1.0):
        """One step, in which some vectors are fixed; none if x is zero. If y is None, what is known
        is as likely as `possible` says if a label is true, and if the label is `reached` at all."""
        if dot(x, x) < 1e-300:
            return
        weight *= reached
        if possible is None:
            self.temper(x, y, weight)
            possible = {v: float(v == y) for v in self.parents}
        gaps = self.shares(x, possible)
        wrong = [i for i, (t, p) in gaps.items() if reached * abs(t - p) >= 0.01]
        moving = [i for i in wrong if i not in fixed]
        variance = {}
        for i in moving:
            for name, value in x.items():
                s = self.variances[i].get(name, self.prior)
                if value:
                    gained = self.forgetting * (self.prior / s - 1.0)
                    self.variances[i][name] = self.prior / (1.0 + gained)
                else:
                    self.variances[i][name] = s
            variance[i] = sum(self.variances[i][name] * value**2 for name, value in x.items())
        p = self.probabilities(self.rivals(x, possible))
        alike = {v: tuple(v in self.sets[i] for i in moving) for v in p}
        same = [v for v in p if alike[v] in {alike[u] for u in p if possible[u]}]
        gap = -math.log(sum(p[v] for v in same))
        a, h = dict.fromkeys(moving, 0.0), {}
        rate, last = dict.fromkeys(moving, 1.0), dict.fromkeys(moving, 0.0)
        for _ in range(30):
            moved = {
                v: sum(a[i] * variance[i] for i in moving if v in self.sets[i])
                for v in self.parents
            }
            gaps = self.shares(x, possible, moved)
            rest = {i: weight * (gaps[i][0] - gaps[i][1]) - a[i] for i in moving}
            bends = {i: p * (1.0 - p) - t * (1.0 - t) for i, (t, p) in gaps.items()}
            h = {i: weight * max(bends[i], 0.0) for i in moving}
            if all(abs(r) < 0.01 * weight for r in rest.values()):
                break
            for i in moving:
                if rest[i] * last[i] < 0.0:
                    rate[i] /= 2.0
                last[i] = rest[i]
                most = (gap + math.log(1.0 + weight * variance[i])) / variance[i]
                a[i] += rate[i] * rest[i] / (1.0 + h[i] * variance[i])
                a[i] = min(max(a[i], -most), most)
        for i in moving:
            for name, value in x.items():
                s = self.variances[i][name]
                self.vectors[i][name] = self.vectors[i].get(name, 0.0) + a[i] * s * value
                confidence = h[i] / (1.0 + h[i] * variance[i])
                self.variances[i][name] = s - confidence * (s * value) ** 2
