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

    def answer(self, p):
        found, branch = root(self.parents), self.branch(p)
        for v, share in self.way(p):
            if share > self.threshold(branch, self.level_of(branch)):
                found = v
        return found

    def learn(self, p, y):
        path, branch, way = closure(self.parents, [y]), self.branch(p), self.way(p)
        answer, level = self.answer(p), self.levels.get(branch, self.risk)
        least = max((share for v, share in way if v not in path), default=0.0)
        alone = least > self.threshold(branch, level)
        allowed = self.risk * (self.weight_of_root if answer == root(self.parents) else 1.0)
        if self.by_branch:
            mistake = answer not in path
            self.whole = min(self.risk, self.whole + 0.1 * self.risk * (allowed - mistake))
        level = min(2.0 * self.risk, level + 0.1 * self.risk * (allowed - alone))
        self.levels[branch] = level
        self.values.setdefault(branch, []).append((least, max((s for _, s in way), default=0.0)))
