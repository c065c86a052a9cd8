"""Labels of which some are wrong."""

from .trees import path


class NoisyLabels:
    """Beside a model: the posterior of a label, given the model's probabilities of all labels, and
    the rates by which labels are wrong below each depth, a step for each example."""

    def __init__(self, parents):
        self.parents = parents
        self.rates = {}  # by depth
        self.labels = []  # those that were seen, and their weights

    def weights(self, p, y):
        """How likely y is right, and how likely it is only down to each depth."""
        nodes = path(self.parents, y)
        above = nodes[:-1]
        if all(label != y for label, _ in self.labels):
            return 1.0, []
        rates = [self.rates.setdefault(d, 0.01) for d in range(len(above))]
        wrong = []
        for rate, a in zip(rates, above, strict=True):
            inside = [(v, w) for v, w in self.labels if a in path(self.parents, v)]
            own = sum(w for v, w in inside if v == y)
            share = (own + 1.0) / (sum(w for _, w in inside) + len({v for v, _ in inside}) + 1.0)
            wrong.append(rate * share * sum(p[v] for v in p if a in path(self.parents, v)))
        right = max(1.0 - sum(rates), 0.0) * p[y]
        total = right + sum(wrong)
        return right / total, [r / total for r in wrong]

    def seen(self, y, below, w):
        """One more label, and the steps of the rates after 500."""
        self.labels.append((y, w))
        if sum(w for _, w in self.labels) > 500:
            for d, r in enumerate(below):
                moved = self.rates[d] + min(0.003 * w, 1.0) * (r - self.rates[d])
                self.rates[d] = min(max(moved, 0.001), 0.6)
