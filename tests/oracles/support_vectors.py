"""Support vector machines at the nodes."""

import numpy as np

from .least_squares import top_down, trained_nodes
from .trees import closure, labels_below_root


def support_vector_weights(X, v, C):
    """argmin |w|^2 / 2 + C sum [1 - v_t w . x_t]_+, by coordinate ascent in the dual."""
    alpha, w = np.zeros(len(X)), np.zeros(X.shape[1])
    for _ in range(20_000):
        before = alpha.copy()
        for t, x in enumerate(X):
            alpha_t = np.clip(alpha[t] + (1.0 - v[t] * (w @ x)) / (x @ x), 0.0, C)
            w, alpha[t] = w + (alpha_t - alpha[t]) * v[t] * x, alpha_t
        if abs(alpha - before).max() < 1e-12:
            break
    return w


class HSVM:
    """H-SVM ([R] section 8), with the bias as the weight of a feature that is always 1."""

    def __init__(self, parents, C):
        self.parents = parents
        self.C = C

    def fit(self, examples):
        """At every node from the examples whose parents are all on, +1 / -1."""
        self.names = list(dict.fromkeys(name for x, _ in examples for name in x))
        closed = [(self.vector(x), closure(self.parents, y)) for x, y in examples]
        self.w = {}
        for i in labels_below_root(self.parents):
            seen = [(x, i in on) for x, on in closed if i in trained_nodes(self.parents, on)]
            if len({yes for _, yes in seen}) == 2:
                X, v = np.array([x for x, _ in seen]), np.array([2.0 * y - 1 for _, y in seen])
                self.w[i] = support_vector_weights(X, v, self.C)
            else:  # nothing to separate: what the examples say, and on without any
                bias = 1.0 if all(yes for _, yes in seen) else -1.0
                self.w[i] = np.array([0.0] * len(self.names) + [bias])

    def vector(self, x):
        """x over the features of the training examples, and 1."""
        return np.array([*(float(x.get(name, 0.0)) for name in self.names), 1.0])

    def scores(self, x):
        """w_i . x of every node but the root."""
        return {i: float(w @ self.vector(x)) for i, w in self.w.items()}

    def predict(self, x):
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))
