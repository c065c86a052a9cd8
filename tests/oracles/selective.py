"""Selective prediction, with all values so far kept in lists."""

from .trees import ancestors, children, closure, root


class Selective:
    """Answers given P(label), and what is learned from the true labels."""

    def __init__(self, parents, risk, window, weight_of_root=1.0, by_branch=False):
        self.parents = parents
        self.risk = risk
        self.window = window
        self.weight_of_root = weight_of_root
        self.by_branch = by_branch
        self.whole = risk
        self.levels = {}
        self.values = {}

    def way(self, p):
        """From the root to the child with the most probable subtree, as long as the label is more
        likely there than here."""
        here, way = root(self.parents), []
        while below := children(self.parents, here):
            shares = {
                c: sum(q for u, q in p.items() if c == u or c in ancestors(self.parents, u))
                for c in below
            }
            best = max(below, key=lambda c: shares[c])
            if shares[best] <= p.get(here, 0.0):
                break
            here = best
            way.append((here, shares[best]))
        return way

    def branch(self, p):
        way = self.way(p)
        return way[0][0] if self.by_branch and way else root(self.parents)

    def threshold(self, branch, level):
        """The smallest one at which the mistakes, and one more, are at most the level times the
        answers, and one more."""
        latest = self.values.get(branch, [])[-self.window :]
        for threshold in sorted({0.0, *(least for least, _ in latest)}):
            right = sum(least <= threshold for least, _ in latest)
            silent = sum(first <= threshold for _, first in latest)
            unsaid = level * (1.0 - self.weight_of_root) * silent
            if right >= (1.0 - level) * (len(latest) + 1) + unsaid:
                return threshold
        return 1.0

    def thresholds(self):
        return {v: self.threshold(v, self.level_of(v)) for v in self.levels}

    def level_of(self, branch):
        return self.levels.get(branch, self.risk) + self.whole - self.risk

    def reached(self, p):
        branch = self.branch(p)
        threshold = self.threshold(branch, self.level_of(branch))
        return [v for v, share in self.way(p) if share > threshold]

    def answer(self, p):
        return [root(self.parents), *self.reached(p)][-1]

    def learn(self, p, y):
        """y is a list of labels."""
        on, branch, way = closure(self.parents, y), self.branch(p), self.way(p)
        reached, level = self.reached(p), self.levels.get(branch, self.risk)
        least = max((share for v, share in way if v not in on), default=0.0)
        alone = least > self.threshold(branch, level)
        allowed = self.risk * (1.0 if reached else self.weight_of_root)
        if self.by_branch:
            mistake = not on.issuperset(reached)
            self.whole = min(self.risk, self.whole + 0.1 * self.risk * (allowed - mistake))
        level = min(2.0 * self.risk, level + 0.1 * self.risk * (allowed - alone))
        self.levels[branch] = level
        self.values.setdefault(branch, []).append((least, max((s for _, s in way), default=0.0)))


class Gate:
    """Refuses examples whose familiarity is small among the latest that are known."""

    def __init__(self, share, window):
        self.share = share
        self.window = window
        self.level = share
        self.known = []

    def refuses(self, familiarity):
        """Fewer of the others than the level allows are as small or smaller."""
        latest = self.known[-self.window :]
        allowed = self.level * (len(latest) + 1)
        return sum(other <= familiarity for other in latest) + 1 <= allowed

    def learn(self, familiarity):
        step = 0.1 * self.share * (self.share - self.refuses(familiarity))
        self.level = min(2.0 * self.share, self.level + step)
        self.known.append(familiarity)


class SelectiveLabels(Selective):
    """Sets of labels, given P(on) of each node."""

    def way(self, p):
        """The likeliest node given its parents, of those whose parents are in, as long as its
        probability is above 0; and P(all so far are on), if labels depend on their parents only."""
        p = p | {root(self.parents): 1.0}
        found, both, way = {root(self.parents)}, 1.0, []
        while True:
            given = {
                v: min(p[v] / min(p[u] for u in self.parents[v]), 1.0)
                for v in self.parents
                if v not in found and found.issuperset(self.parents[v]) and p[v] > 0.0
            }
            if not given:
                return way
            best = max(given, key=given.get)
            both *= given[best]
            found.add(best)
            way.append((best, both))

    def answer(self, p):
        return set(self.reached(p))
