"""Gaussian labels with one covariance, computed from all examples at every call."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from .trees import Features, Node, Parents


class LinearDiscriminant:
    """Means drawn towards the parents', one covariance; scores up to a common constant."""

    def __init__(self, parents: Parents, shrinkage: float, l2: float) -> None:
        self.parents = parents
        self.shrinkage = shrinkage
        self.l2 = l2
        self.examples: list[tuple[Features, Node]] = []

    def scores(self, x: Features) -> dict[Node, float]:
        first = self.examples[0][0] if self.examples else {}

        def centred(z: Features) -> Features:
            return {a: z.get(a, 0.0) - first.get(a, 0.0) for a in {*z, *first}}

        x, examples = centred(x), [(centred(z), y) for z, y in self.examples]
        names: list[Hashable] = list(dict.fromkeys(name for z, _ in examples for name in z))
        mean: dict[Node, dict[Hashable, float]] = {}
        scatter = {a: {b: self.l2 * (a == b) for b in names} for a in names}
        free = 1
        for v, above in self.parents.items():  # a parent comes before its children
            mine = [z for z, y in examples if y == v]
            mean[v] = {}
            for a in names:
                prior = self.shrinkage * mean[above[0]][a] if above else 0.0
                total = sum(z.get(a, 0.0) for z in mine)
                mean[v][a] = (total + prior) / (len(mine) + self.shrinkage)
            plain = {a: sum(z.get(a, 0.0) for z in mine) / max(len(mine), 1) for a in names}
            for z in mine:
                for a in names:
                    for b in names:
                        off = (z.get(a, 0.0) - plain[a]) * (z.get(b, 0.0) - plain[b])
                        scatter[a][b] += off
            free += max(len(mine) - 1, 0)
        matrix = np.array([[scatter[a][b] for b in names] for a in names]).reshape(
            len(names), len(names)
        )
        precision = free * np.linalg.inv(matrix) if names else np.zeros((0, 0))
        dense = np.array([x.get(a, 0.0) for a in names])
        scores = {}
        for v in self.parents:
            m = np.array([mean[v][a] for a in names])
            n = sum(y == v for _, y in self.examples)
            scores[v] = float(m @ precision @ dense - m @ precision @ m / 2) + math.log(n + 1)
        return scores

    def learn(self, x: Features, y: Node) -> None:
        self.examples.append((x, y))
