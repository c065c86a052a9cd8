"""Selective prediction, with all values so far kept in a list."""

import math

from .trees import ancestors, children, closure, root


class Selective:
    """Answers given P(label), and what is learned from the true labels."""

    def __init__(self, parents, risk, window):
        self.parents = parents
        self.risk = risk
        self.window = window
        self.level = risk
        self.values = []

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

    def threshold(self):
        latest = sorted(self.values[-self.window :])
        k = math.ceil((1.0 - self.level) * (len(latest) + 1))
        if k > len(latest):
            return 1.0
        return latest[k - 1] if k >= 1 else 0.0

    def answer(self, p):
        found = root(self.parents)
        for v, share in self.way(p):
            if share > self.threshold():
                found = v
        return found

    def learn(self, p, y):
        path, threshold = closure(self.parents, [y]), self.threshold()
        wrong = [share for v, share in self.way(p) if v not in path]
        mistake = self.answer(p) not in path
        if mistake or threshold > 0.0:
            self.level += 0.1 * self.risk * (self.risk - mistake)
        self.values.append(max(wrong, default=0.0))
