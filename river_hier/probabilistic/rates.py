"""How often each label occurs, counted from its first example."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays
from .means import extended

Floats = NDArray[np.float64]
UNSEEN = 0.01  # added to the number of examples of each node


class Rates:
    """The total weights `n` of the examples of each node, and `m` of all examples.

    The frequency of a label is counted from its first example on. When a label below it has its
    first example, the count starts again, because earlier examples may have belonged to that label.
    `since` has the values of m, and `earlier` those of n, at the start of the counts.
    """

    def __init__(self, tree: Arrays) -> None:
        self.tree: Arrays = tree
        self.n: Floats = np.zeros(tree.n)
        self.since: Floats = np.zeros(tree.n)
        self.earlier: Floats = np.zeros(tree.n)
        self.m: float = 0.0
        self.k: float = 1.0  # 1 + the number of labels with examples

    def learn(self, v: int, w: float) -> None:
        """Count an example."""
        if not self.n[v]:
            self._begin(v, self.m, self.n)
        m = self.m + w  # before anything changes, as it takes memory
        self.n[v] += w
        self.m = m

    def learn_many(self, y: NDArray[np.intp], w: Floats) -> None:
        """Count examples, as `learn` does one after the other."""
        before = np.cumsum([self.m, *w])
        labels, first = np.unique(y, return_index=True)
        for i, v in sorted(zip(first.tolist(), labels.tolist(), strict=True)):
            if not self.n[v]:
                counted = np.bincount(y[:i], weights=w[:i], minlength=self.tree.n)
                self._begin(v, before[i], self.n + counted)
        self.n = self.n + np.bincount(y, weights=w, minlength=self.tree.n)
        self.m = float(before[-1])

    def _begin(self, v: int, m: float, n: Floats) -> None:
        """Start to count a node, and start again to count its ancestors with examples."""
        self.since[v] = m
        self.k += 1.0
        while v:
            v = int(self.tree.parent_index[v - 1])
            if n[v]:
                self.since[v], self.earlier[v] = m, n[v]

    def forget(self, nodes: NDArray[np.uint32]) -> None:
        """These nodes have no examples."""
        self.n[nodes] = self.since[nodes] = self.earlier[nodes] = 0.0

    def copied(self) -> Rates:
        """A copy that counts further examples by itself."""
        new = copy.copy(self)
        new.n, new.since, new.earlier = self.n.copy(), self.since.copy(), self.earlier.copy()
        return new

    def add_nodes(self, tree: Arrays) -> None:
        """Add nodes without examples, the last ones of `tree`."""
        n, since, earlier = (extended(a, tree.n) for a in (self.n, self.since, self.earlier))
        self.n, self.since, self.earlier, self.tree = n, since, earlier, tree

    def logs(self) -> Floats:
        """log P(node): its share of the examples, smoothed.

        The share starts at that of an average label, so that the first example of a label does not
        make it more probable than the others.
        """
        counted = self.n - self.earlier + UNSEEN
        logs: Floats = np.log(counted / (self.m - self.since + self.k))
        return logs
