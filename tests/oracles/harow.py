"""H-AROW."""

from .least_squares import HPerceptron, trained_nodes
from .trees import closure, labels_below_root
from .vectors import dot


class HAROW(HPerceptron):
    """Adaptive regularisation of weights at every node, with a diagonal of variances, all 1 at
    first; trained and evaluated from the top down as H-PERC is (Crammer, Kulesza & Dredze 2009).

    What a node has learned about a feature, its precision 1 / S less the 1 of the start, fades by
    `forgetting` whenever the node learns from it."""

    def __init__(self, parents, r=1.0, forgetting=1.0):
        super().__init__(parents)
        self.r = r
        self.forgetting = forgetting
        self.variances = {i: {} for i in labels_below_root(parents)}

    def learn(self, x, y, weight=1.0, unknown=()):
        """With r / weight for r: if y_i w_i . x < 1, with y_i = +1 / -1 and r_x = sum_j S_j x_j^2:
        w_j += (y_i - w_i . x) / (r_x + r) S_j x_j, and S_j -= (S_j x_j)^2 / (r_x + r)."""
        self.has_learned = True
        if not any(x.values()):
            return
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            v, score = (1.0 if i in true else -1.0), dot(self.w[i], x)
            if v * score >= 1.0 or i in unknown:
                continue
            S = {name: self.variances[i].get(name, 1.0) for name in x}
            if self.forgetting < 1.0:
                for name, value in x.items():
                    if value != 0.0:
                        S[name] = 1.0 / (1.0 + self.forgetting * (1.0 / S[name] - 1.0))
            whole = sum(S[name] * value**2 for name, value in x.items()) + self.r / weight
            for name, value in x.items():
                move = S[name] * value
                self.w[i][name] = self.w[i].get(name, 0.0) + (v - score) / whole * move
                self.variances[i][name] = S[name] - move**2 / whole
