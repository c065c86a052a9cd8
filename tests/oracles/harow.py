"""H-AROW."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable

from .least_squares import top_down, trained_nodes
from .trees import Features, Node, Parents, Weights, closure, labels_below_root
from .vectors import dot


class HAROW:
    """Adaptive regularisation of weights at every node, with a diagonal of variances, all 1 at
    first; trained and evaluated from the top down as H-PERC is (Crammer, Kulesza & Dredze 2009).

    What a node has learned about a feature, its precision 1 / S less the 1 of the start, fades by
    `forgetting` whenever the node learns from it."""

    def __init__(self, parents: Parents, r: float = 1.0, forgetting: float = 1.0) -> None:
        self.parents = parents
        self.r = r
        self.forgetting = forgetting
        self.w: Weights = {i: {} for i in labels_below_root(parents)}
        self.variances: Weights = {i: {} for i in labels_below_root(parents)}

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . x of every node but the root."""
        return {i: dot(self.w[i], x) for i in self.w}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))

    def learn(self, x: Features, y: Iterable[Node], weight: float = 1.0) -> None:
        """With r / weight for r: if y_i w_i . x < 1, with y_i = +1 / -1 and r_x = sum_j S_j x_j^2:
        w_j += (y_i - w_i . x) / (r_x + r) S_j x_j, and S_j -= (S_j x_j)^2 / (r_x + r)."""
        if not any(x.values()):
            return
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            v, score = (1.0 if i in true else -1.0), dot(self.w[i], x)
            if v * score >= 1.0:
                continue
            S = {name: self.variances[i].get(name, 1.0) for name in x}
            if self.forgetting < 1.0:
                self.changed(i)
                for j, (name, value) in enumerate(x.items()):
                    if value != 0.0:
                        S[name] = 1.0 / (1.0 + self.forgetting * (1.0 / S[name] - 1.0))
                        S[name] = self.rounded_variance(i, j, S[name])
            self.changed(i)
            whole = sum(S[name] * value**2 for name, value in x.items()) + self.r / weight
            for j, (name, value) in enumerate(x.items()):
                move = S[name] * value
                w = self.w[i].get(name, 0.0) + (v - score) / whole * move
                self.w[i][name] = self.rounded_weight(i, j, w)
                self.variances[i][name] = self.rounded_variance(i, j, S[name] - move**2 / whole)

    def changed(self, i: Node) -> None:
        """Called before weights or variances of a node change."""

    def rounded_weight(self, i: Node, j: int, w: float) -> float:
        """As it is stored: the weight of the j-th feature of x."""
        return w

    def rounded_variance(self, i: Node, j: int, S: float) -> float:
        """As it is stored: the variance of the j-th feature of x."""
        return S


# The sizes of weights of 14 bits: 256 between two powers of 2, less the smallest of these powers.
# The variances of 10 bits: 64 between two powers of 2.
SIZES = [2.0**e * (1.0 + k / 256.0) - 2.0**-16 for e in range(-16, 16) for k in range(256)]
VARIANCES = sorted(2.0**-e * (1.0 - k / 128.0) for e in range(16) for k in range(64))


class CompactHAROW(HAROW):
    """Weights of 14 bits and variances of 10, rounded at random so that the mean is exact.

    Of the two stored numbers next to a weight w = below + p (above - below), the one that is
    farther from 0 is taken if p + u >= 1, with a random number u in [0, 1); of a variance, the
    smaller one if (above - S) / (above - below) + u >= 1. Both u are parts of a number of 64
    bits: a hash value of the seed and of the number of the change of the node, plus j times the
    golden ratio for the j-th feature."""

    def __init__(
        self, parents: Parents, r: float = 1.0, forgetting: float = 1.0, seed: int = 0
    ) -> None:
        super().__init__(parents, r, forgetting)
        self.seed = seed
        self.changes = dict.fromkeys(self.w, 0)

    def changed(self, i: Node) -> None:
        self.changes[i] += 1

    def random(self, i: Node, j: int) -> tuple[float, float]:
        """The random numbers of a weight and of a variance."""
        bits = (splitmix(splitmix(self.seed) + self.changes[i]) + j * 0x9E3779B97F4A7C15) % 2**64
        return (bits >> 20) / 2**44, bits % 2**32 / 2**32

    def rounded_weight(self, i: Node, j: int, w: float) -> float:
        size = min(abs(w), SIZES[-1])
        at = min(bisect.bisect_right(SIZES, size), len(SIZES) - 1)
        below, above = SIZES[at - 1], SIZES[at]
        up = (size - below) / (above - below) + self.random(i, j)[0] >= 1.0
        return math.copysign(above if up else below, w)

    def rounded_variance(self, i: Node, j: int, S: float) -> float:
        S = min(max(S, VARIANCES[0]), 1.0)
        at = max(bisect.bisect_left(VARIANCES, S), 1)
        below, above = VARIANCES[at - 1], VARIANCES[at]
        return below if (above - S) / (above - below) + self.random(i, j)[1] >= 1.0 else above


def splitmix(z: int) -> int:
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)
