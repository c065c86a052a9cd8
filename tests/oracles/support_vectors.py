"""Support vector machines at the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from .kernels import KernelFunction
from .least_squares import top_down, trained_nodes
from .trees import Features, Node, Parents, closure, labels_below_root


def support_vector_weights(X: np.ndarray, v: np.ndarray, C: float) -> np.ndarray:
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

    def __init__(self, parents: Parents, C: float) -> None:
        self.parents = parents
        self.C = C

    def fit(self, examples: list[tuple[Features, Iterable[Node]]]) -> None:
        """At every node from the examples whose parents are all on, +1 / -1."""
        self.names = list(dict.fromkeys(name for x, _ in examples for name in x))
        closed = [(self.vector(x), closure(self.parents, y)) for x, y in examples]
        self.w: dict[Node, np.ndarray] = {}
        for i in labels_below_root(self.parents):
            seen = [(x, i in on) for x, on in closed if i in trained_nodes(self.parents, on)]
            if len({yes for _, yes in seen}) == 2:
                X, v = np.array([x for x, _ in seen]), np.array([2.0 * y - 1 for _, y in seen])
                self.w[i] = support_vector_weights(X, v, self.C)
            else:  # nothing to separate: what the examples say, and on without any
                bias = 1.0 if all(yes for _, yes in seen) else -1.0
                self.w[i] = np.array([0.0] * len(self.names) + [bias])

    def vector(self, x: Features) -> np.ndarray:
        """x over the features of the training examples, and 1."""
        return np.array([*(float(x.get(name, 0.0)) for name in self.names), 1.0])

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . x of every node but the root."""
        return {i: float(w @ self.vector(x)) for i, w in self.w.items()}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))


def kernel_machine(K: np.ndarray, v: np.ndarray, C: float) -> tuple[np.ndarray, float]:
    """The c and b of w = sum_t c_t phi(x_t) that minimise |w|^2 / 2 + C sum [1 - v_t (f_t + b)]_+,
    f = K c: c_t v_t in [0, C], sum c = 0, moved two at a time. b is the middle of the optimal ones.
    """
    c = np.zeros(len(v))
    while True:
        slope = v - K @ c
        highest, lowest = np.where(v > 0, C, 0.0), np.where(v > 0, 0.0, -C)
        i = max((t for t in range(len(v)) if c[t] < highest[t]), key=lambda t: slope[t])
        j = min((t for t in range(len(v)) if c[t] > lowest[t]), key=lambda t: slope[t])
        if slope[i] - slope[j] <= 1e-9:
            return c, (slope[i] + slope[j]) / 2
        curvature = max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
        step = min((slope[i] - slope[j]) / curvature, highest[i] - c[i], c[j] - lowest[j])
        c[i], c[j] = c[i] + step, c[j] - step


def hinge_losses(
    parents: Parents,
    scores: Callable[[Features], Mapping[Node, float]],
    examples: list[tuple[Features, Iterable[Node]]],
) -> dict[Node, float]:
    """sum_t [1 - v_t s_t]_+ of every node, over the examples whose parents are all on."""
    losses = dict.fromkeys(labels_below_root(parents), 0.0)
    for x, y in examples:
        on, s = closure(parents, y), scores(x)
        for i in trained_nodes(parents, on):
            losses[i] += max(0.0, 1.0 - (s[i] if i in on else -s[i]))
    return losses


class KernelHSVM(HSVM):
    """H-SVM ([R] section 8) in the space of a kernel, with a bias that costs nothing."""

    def __init__(self, parents: Parents, kernel: KernelFunction, C: float) -> None:
        super().__init__(parents, C)
        self.kernel = kernel

    def fit(self, examples: list[tuple[Features, Iterable[Node]]]) -> None:
        """At every node from the examples whose parents are all on, +1 / -1."""
        closed = [(x, closure(self.parents, y)) for x, y in examples]
        self.machines: dict[Node, tuple[list[tuple[Features, float]], float]] = {}
        for i in labels_below_root(self.parents):
            seen = [(x, i in on) for x, on in closed if i in trained_nodes(self.parents, on)]
            if len({yes for _, yes in seen}) == 2:
                K = np.array([[self.kernel(x, z) for z, _ in seen] for x, _ in seen])
                c, b = kernel_machine(K, np.array([2.0 * yes - 1 for _, yes in seen]), self.C)
                self.machines[i] = [(x, c[t]) for t, (x, _) in enumerate(seen)], b
            else:
                self.machines[i] = [], 1.0 if all(yes for _, yes in seen) else -1.0

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . phi(x) + b_i of every node but the root."""
        return {
            i: sum((c * self.kernel(z, x) for z, c in parts), b)
            for i, (parts, b) in self.machines.items()
        }
