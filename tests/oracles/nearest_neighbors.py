"""Votes of the nearest examples, found by sorting all of them."""

from __future__ import annotations

import math
from collections.abc import Hashable

from .trees import Features, Node, Parents


class NearestNeighbors:
    """A list of the latest examples."""

    def __init__(self, parents: Parents, n_neighbors: int, budget: int) -> None:
        self.parents = parents
        self.n_neighbors = n_neighbors
        self.budget = budget
        self.examples: list[tuple[Features, Node, float]] = []
        self.known: set[Hashable] = set()  # features of all examples so far; others do not count

    def scores(self, x: Features) -> dict[Node, float]:
        x = {name: value for name, value in x.items() if name in self.known}
        votes = dict.fromkeys(self.parents, 1e-4)
        nearest = sorted((squared_distance(x, z), i) for i, (z, _, _) in enumerate(self.examples))
        nearest = nearest[: self.n_neighbors]
        last = nearest[-1][0] if nearest else 0.0
        for square, i in nearest:
            _, y, w = self.examples[i]
            votes[y] += w * math.exp(-2.0 * square / (last or 1.0))
        return {v: math.log(vote) for v, vote in votes.items()}

    def learn(self, x: Features, y: Node, w: float = 1.0) -> None:
        if w:
            self.known.update(x)
            self.examples = [*self.examples, (x, y, w)][-self.budget :]

    def forget(self, labels: set[Node]) -> None:
        self.examples = [example for example in self.examples if example[1] not in labels]


def squared_distance(x: Features, z: Features) -> float:
    return sum((x.get(a, 0.0) - z.get(a, 0.0)) ** 2 for a in {**x, **z})
